"""LangChain Runnables (a model, `prompt | model`, a lambda) as agents."""

from collections.abc import AsyncGenerator, Callable, Iterable
from contextlib import aclosing
from typing import Any, Final

from frontdesk_agent.adapters.functions import Source
from frontdesk_agent.adapters.messages import (
    config_of,
    is_ai,
    is_ai_chunk,
    messages_of,
    text_of,
    tools_of,
    usage_of,
)
from frontdesk_agent.contract import AgentRequest, Done, Tool, Usage

_QUESTION_NAMES: Final = frozenset({"input", "question", "query", "text", "task"})
_MESSAGES_NAMES: Final = frozenset({"messages"})
_HISTORY_NAMES: Final = frozenset({"history", "chat_history"})


def is_runnable(target: Any) -> bool:
    """Whether `target` is something LangChain can stream."""
    return not isinstance(target, type) and hasattr(target, "astream") and hasattr(target, "ainvoke")


def runnable_source(target: Any) -> Source:
    """The stream of a Runnable, given what its first part takes: variables, messages or the question."""
    fill = _filler(target)

    async def pieces(request: AgentRequest) -> AsyncGenerator[Any, None]:
        usage = Usage()
        calls: list[Any] = []
        stream = target.astream(fill(request), config_of(target, request))
        async with aclosing(stream) as chunks:
            async for chunk in chunks:
                if not is_ai(chunk):
                    yield chunk
                    continue
                usage += usage_of(chunk)
                if getattr(chunk, "tool_call_chunks", None) or getattr(chunk, "tool_calls", None):
                    calls.append(chunk)
                yield text_of(chunk)
        for tool in _tools(calls):
            yield tool
        yield Done(usage=usage)

    return pieces


def _tools(messages: list[Any]) -> Iterable[Tool]:
    chunks = [message for message in messages if is_ai_chunk(message)]
    whole = [message for message in messages if not is_ai_chunk(message)]
    if chunks:  # a call's arguments come in pieces that only chunks know how to join
        joined = chunks[0]
        for chunk in chunks[1:]:
            joined = joined + chunk
        whole.append(joined)
    return [tool for message in whole for tool in tools_of(message)]


def _filler(target: Any) -> Callable[[AgentRequest], Any]:
    first = _first(target)
    if hasattr(first, "generate_prompt"):
        return messages_of
    if not hasattr(first, "input_variables"):
        return lambda request: request.input
    variables = list(first.input_variables)
    optional = list(getattr(first, "optional_variables", ()))
    unknown = [name for name in variables if name not in _QUESTION_NAMES | _MESSAGES_NAMES | _HISTORY_NAMES]
    if len(unknown) > 1 or (unknown and len(variables) > 1 and _QUESTION_NAMES.intersection(variables)):
        raise TypeError(
            f"the prompt asks for {', '.join(variables)}; put a function in front that makes them"
        )
    return lambda request: {name: _variable(name, request) for name in [*variables, *optional]}


def _first(target: Any) -> Any:
    """The part of a Runnable that takes its input: bindings and sequences wrap others."""
    for wrapper in ("bound", "first"):
        inner = getattr(target, wrapper, None)
        if is_runnable(inner):
            return _first(inner)
    return target


def _variable(name: str, request: AgentRequest) -> Any:
    if name in _MESSAGES_NAMES:
        return messages_of(request)
    if name in _HISTORY_NAMES:
        return messages_of(request)[:-1]
    return request.input
