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

# Calling one of these runs nothing yet.
_RETURN_AT_ONCE: Final[tuple[Callable[[Any], bool], ...]] = (
    inspect.iscoroutinefunction,
    inspect.isasyncgenfunction,
    inspect.isgeneratorfunction,
)


def function_source(target: Callable[..., Any]) -> Source:
    """What `target` returns or yields, piece by piece. Code that is not asynchronous runs in a thread."""
    call = target if inspect.isroutine(target) else getattr(target, "__call__", target)  # noqa: B004
    if any(returns_at_once(function) for function in (target, call) for returns_at_once in _RETURN_AT_ONCE):
        return lambda request: _unfold(target(request))
    return lambda request: _unfold(_in_thread(target, request))


async def _unfold(result: Any) -> AsyncGenerator[Any, None]:
    """The pieces of whatever a function returned: an answer, or something that will yield answers."""
    while inspect.isawaitable(result):
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
