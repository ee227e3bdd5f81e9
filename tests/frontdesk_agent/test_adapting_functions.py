"""Functions and generators as agents: one stream of events that always ends, once."""

import asyncio
import functools
import logging
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import pytest

from frontdesk_agent import (
    AgentRequest,
    AgentResponse,
    Citation,
    CitationEvent,
    Done,
    Error,
    ErrorCode,
    FrontdeskError,
    Handoff,
    Token,
    Tool,
    ToolCall,
    Usage,
    adapt,
)
from tests.frontdesk_agent.live import WAIT_S

REQUEST = AgentRequest(input="hi")


async def told(target: Any, request: AgentRequest = REQUEST) -> list[Any]:
    return [event async for event in adapt(target)(request)]


async def coroutine(request: AgentRequest) -> str:
    return f"you said {request.input}"


def function(request: AgentRequest) -> str:
    return f"you said {request.input}"


class Instance:
    async def __call__(self, request: AgentRequest) -> str:
        return f"you said {request.input}"

    def method(self, request: AgentRequest) -> str:
        return f"you said {request.input}"


async def two_arguments(greeting: str, request: AgentRequest) -> str:
    return f"{greeting} {request.input}"


async def generator(request: AgentRequest) -> AsyncIterator[str]:
    yield "you said"
    yield ""
    yield f" {request.input}"


def sync_generator(request: AgentRequest) -> Iterator[str]:
    yield "you said"
    yield f" {request.input}"


@pytest.mark.parametrize(
    "target",
    [
        coroutine,
        function,
        Instance(),
        Instance().method,
        functools.partial(two_arguments, "you said"),
        lambda request: coroutine(request),
        generator,
        lambda request: generator(request),
        sync_generator,
        lambda request: sync_generator(request),
    ],
)
async def test_every_kind_of_function(target: Callable[..., Any]) -> None:
    *tokens, done = await told(target)
    assert all(isinstance(token, Token) and token.text for token in tokens)
    assert "".join(token.text for token in tokens) == "you said hi"
    assert done == Done()


@pytest.mark.parametrize("target", [None, "text", 7, Instance, str])
def test_what_is_no_agent(target: Any) -> None:
    with pytest.raises(TypeError, match="an agent is an async function"):
        adapt(target)


async def test_functions_that_block_run_in_a_thread() -> None:
    started, release = threading.Event(), threading.Event()

    def target(request: AgentRequest) -> str:
        started.set()
        assert release.wait(WAIT_S)
        return "free"

    task = asyncio.create_task(told(target))
    await asyncio.to_thread(started.wait, WAIT_S)  # reached only because the loop is not blocked
    release.set()
    assert await task == [Token("free"), Done()]


async def test_a_response_becomes_events() -> None:
    response = AgentResponse(
        output="whole",
        citations=(Citation(title="x"),),
        tool_calls=(ToolCall(name="t", arguments={"a": 1}),),
        usage=Usage(input_tokens=1),
        context={"vin": "X"},
        handoff=Handoff(agent="other_agent"),
    )

    async def target(request: AgentRequest) -> AgentResponse:
        return response

    assert await told(target) == [
        Tool(name="t", arguments={"a": 1}),
        Token("whole"),
        Done(
            citations=response.citations,
            usage=response.usage,
            context=response.context,
            handoff=response.handoff,
        ),
    ]


async def test_a_response_after_tokens_does_not_repeat_them() -> None:
    async def target(request: AgentRequest) -> AsyncIterator[Any]:
        yield "who"
        yield "le"
        yield AgentResponse(output="whole", usage=Usage(output_tokens=2))
        yield "never"

    assert await told(target) == [
        Token("who"),
        Token("le"),
        Done(output="whole", usage=Usage(output_tokens=2)),
    ]


async def test_events_pass_and_the_first_end_is_the_end() -> None:
    events = [Tool(name="t"), CitationEvent(title="c"), Token("x"), Done(trace_id="t"), Token("late"), Done()]

    async def target(request: AgentRequest) -> AsyncIterator[Any]:
        for event in events:
            yield event

    assert await told(target) == events[:4]


async def test_calls_and_citations_count_as_events() -> None:
    async def target(request: AgentRequest) -> AsyncIterator[Any]:
        yield ToolCall(name="t")
        yield Citation(title="c")
        yield None

    assert await told(target) == [Tool(name="t"), CitationEvent(title="c"), Done()]


async def test_text_is_cleaned_across_pieces() -> None:
    async def target(request: AgentRequest) -> AsyncIterator[str]:
        for piece in ("a\ud83d", "\ude00b\x00", "\ud83d"):
            yield piece

    assert await told(target) == [Token("a"), Token("😀b"), Token("\ufffd"), Done()]


async def test_a_coded_error_keeps_its_code() -> None:
    async def target(request: AgentRequest) -> AsyncIterator[str]:
        yield "half"
        raise FrontdeskError(ErrorCode.RATE_LIMITED, "Please wait a minute.", retryable=True)

    assert await told(target) == [
        Token("half"),
        Error(code="RATE_LIMITED", message="Please wait a minute.", retryable=True),
    ]


@pytest.mark.parametrize("fault", [ValueError("db password is hunter2"), TimeoutError(), 1 / 3, object()])
async def test_any_other_fault_is_told_without_details(fault: Any, caplog: pytest.LogCaptureFixture) -> None:
    async def target(request: AgentRequest) -> Any:
        if isinstance(fault, Exception):
            raise fault
        return fault

    with caplog.at_level(logging.ERROR):
        (error,) = await told(target)
    assert error == Error(code="AGENT_FAILED", message="The agent failed while answering.")
    assert caplog.records[0].exc_info  # the traceback is in the log


async def test_a_cancelled_helper_task_is_a_fault_not_a_cancel() -> None:
    async def target(request: AgentRequest) -> str:
        helper = asyncio.ensure_future(asyncio.Event().wait())
        helper.cancel()
        await helper
        return "never"

    (error,) = await told(target)
    assert error.code == "AGENT_FAILED"


@pytest.mark.parametrize("cancel", [True, False], ids=["cancel", "aclose"])
async def test_hanging_up_stops_the_target(cancel: bool) -> None:
    stopped = asyncio.Event()

    async def target(request: AgentRequest) -> AsyncIterator[str]:
        try:
            yield "first"
            if cancel:
                await asyncio.Event().wait()
            yield "second"
        finally:
            stopped.set()

    answer = adapt(target)(REQUEST)
    assert await anext(answer) == Token("first")
    if cancel:
        task = asyncio.ensure_future(anext(answer))
        await asyncio.wait([task], timeout=0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    else:
        await answer.aclose()
    assert stopped.is_set()


async def test_one_agent_answers_many_at_once() -> None:
    together = asyncio.Barrier(3)

    async def target(request: AgentRequest) -> str:
        await together.wait()
        return request.input

    answer = adapt(target)

    async def one(text: str) -> Any:
        first, _ = [event async for event in answer(AgentRequest(input=text))]
        return first

    async with asyncio.timeout(WAIT_S):
        assert await asyncio.gather(*map(one, "abc")) == [Token("a"), Token("b"), Token("c")]
