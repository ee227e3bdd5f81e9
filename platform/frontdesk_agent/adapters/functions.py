"""Functions and generators, asynchronous or not, as sources of pieces of an answer."""

import asyncio
import contextvars
import inspect
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any, Final

from frontdesk_agent.contract import AgentRequest, AgentResponse, Citation, StreamEvent, ToolCall

Piece = str | StreamEvent | AgentResponse | Citation | ToolCall | None
Source = Callable[[AgentRequest], AsyncGenerator[Any, None]]

# The event loop's own pool also resolves host names, and slow agents must not hold that up.
_THREADS: Final = ThreadPoolExecutor(max_workers=32, thread_name_prefix="frontdesk-agent")
_END: Final = object()


def function_source(target: Callable[..., Any]) -> Source:
    """What `target` returns or yields, piece by piece. Code that is not asynchronous runs in a thread."""
    call = target if inspect.isroutine(target) else getattr(target, "__call__", target)  # noqa: B004
    if inspect.isasyncgenfunction(target) or inspect.isasyncgenfunction(call):
        return _generated(target)
    if inspect.isgeneratorfunction(target) or inspect.isgeneratorfunction(call):
        return _stepped(target)
    if inspect.iscoroutinefunction(target) or inspect.iscoroutinefunction(call):
        return _awaited(target)
    return _threaded(target)


def _generated(target: Callable[..., Any]) -> Source:
    async def pieces(request: AgentRequest) -> AsyncGenerator[Any, None]:
        async for piece in unfold(target(request)):
            yield piece

    return pieces


def _awaited(target: Callable[..., Any]) -> Source:
    async def pieces(request: AgentRequest) -> AsyncGenerator[Any, None]:
        async for piece in unfold(await target(request)):
            yield piece

    return pieces


def _threaded(target: Callable[..., Any]) -> Source:
    async def pieces(request: AgentRequest) -> AsyncGenerator[Any, None]:
        async for piece in unfold(await _in_thread(target, request)):
            yield piece

    return pieces


def _stepped(target: Callable[..., Any]) -> Source:
    async def pieces(request: AgentRequest) -> AsyncGenerator[Any, None]:
        async for piece in _steps(target(request)):
            yield piece

    return pieces


async def unfold(result: Any) -> AsyncGenerator[Any, None]:
    """The pieces of whatever a function returned: an answer, or something that will yield answers."""
    if inspect.isawaitable(result):
        result = await result
    if inspect.isgenerator(result):
        result = _steps(result)
    if not isinstance(result, AsyncIterator):
        yield result
        return
    try:
        async for piece in result:
            yield piece
    finally:
        if isinstance(result, AsyncGenerator):
            await result.aclose()


async def _steps(generator: Generator[Any, Any, Any]) -> AsyncGenerator[Any, None]:
    try:
        while (piece := await _in_thread(next, generator, _END)) is not _END:
            yield piece
    finally:
        with suppress(ValueError):  # after a cancel its last step may still run in the thread
            generator.close()


async def _in_thread(function: Callable[..., Any], *arguments: Any) -> Any:
    context = contextvars.copy_context()
    return await asyncio.get_running_loop().run_in_executor(_THREADS, context.run, function, *arguments)
