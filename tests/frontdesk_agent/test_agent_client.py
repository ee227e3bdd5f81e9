"""The client: whole answers, streams, and every way in which an agent can fail to give one."""

import asyncio
import socket
from collections.abc import AsyncIterator
from typing import Any

import pytest

from frontdesk_agent import (
    AgentRequest,
    AgentResponse,
    Citation,
    Done,
    ErrorCode,
    FrontdeskError,
    Token,
    Tool,
    agent_app,
)
from frontdesk_agent.client import AgentClient
from frontdesk_agent.contract import CitationEvent, Usage
from tests.frontdesk_agent.live import WAIT_S, http, raw_server, serving, sse

REQUEST = AgentRequest(input="hi", session_id="s-1")
TOKEN = b'event: token\ndata: {"text": "x"}\n\n'
DONE = b"event: done\ndata: {}\n\n"


async def echo(request: AgentRequest) -> AsyncIterator[Any]:
    yield Tool(name="t")
    yield "you said \ud83d"
    yield f"\ude00 {request.input} {request.stream}"
    yield CitationEvent(title="c")
    yield Done(usage=Usage(input_tokens=1))


def client_of(url: str, **options: Any) -> AgentClient:
    base = url.rstrip("/")
    addresses = {
        "endpoint": f"{base}/invoke",
        "stream_endpoint": f"{base}/stream",
        "health": f"{base}/health",
    }
    return AgentClient(**{**addresses, **options})


async def streamed(client: AgentClient) -> list[Any]:
    async with client:
        return [event async for event in client.stream(REQUEST)]


async def invoked(client: AgentClient) -> AgentResponse:
    async with client:
        return await client.invoke(REQUEST)


async def fault(client: AgentClient, *, stream: bool) -> FrontdeskError:
    call = streamed if stream else invoked
    with pytest.raises(FrontdeskError) as caught:
        await asyncio.wait_for(call(client), WAIT_S)
    return caught.value


async def test_invoke_stream_and_health() -> None:
    async with serving(agent_app(echo)) as url, client_of(url) as client:
        answer = await client.invoke(REQUEST)
        assert answer.output == "you said 😀 hi False"
        assert answer.citations == (Citation(title="c"),)
        assert [event async for event in client.stream(REQUEST)] == [
            Tool(name="t"),
            Token("you said "),
            Token("😀 hi True"),
            CitationEvent(title="c"),
            Done(usage=Usage(input_tokens=1)),
        ]
        assert await client.health()


async def test_without_a_stream_the_answer_comes_whole() -> None:
    async with serving(agent_app(echo)) as url:
        found = await streamed(client_of(url, stream_endpoint=None))
    done = Done(usage=Usage(input_tokens=1), citations=(Citation(title="c"),))
    assert found == [Tool(name="t"), Token("you said 😀 hi False"), done]


async def test_token_and_headers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AGENT_SECRET_X", "s3cret")
    async with serving(agent_app(echo, secret_ref="AGENT_SECRET_X")) as url:
        async with client_of(url, token="s3cret") as client:
            headers = {"X-Trace-Id": "t-1", "Authorization": "Bearer other"}
            assert (await client.invoke(REQUEST, headers=headers)).trace_id == "t-1"
        for stream in (False, True):
            error = await fault(client_of(url, token="wrong"), stream=stream)
            assert error.code is ErrorCode.AGENT_AUTH_FAILED


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        (http(b"<html>", kind="text/html"), ErrorCode.AGENT_BAD_RESPONSE),
        (http(b"{"), ErrorCode.AGENT_BAD_RESPONSE),
        (http(b"{}"), ErrorCode.AGENT_BAD_RESPONSE),
        (http(b"[]"), ErrorCode.AGENT_BAD_RESPONSE),
        (http(b"{}", status="404 Not Found"), ErrorCode.AGENT_BAD_RESPONSE),
        (http(b"", status="302 Found"), ErrorCode.AGENT_BAD_RESPONSE),
        (http(b"{}", status="403 Forbidden"), ErrorCode.AGENT_AUTH_FAILED),
        (http(b"<html>", status="502 Bad Gateway"), ErrorCode.AGENT_UNAVAILABLE),
        (http(b'{"code": "RATE_LIMITED", "message": "x"}', status="429 X"), ErrorCode.RATE_LIMITED),
        (http(b'{"code": "ODD"}', status="500 X"), ErrorCode.AGENT_FAILED),
        (http(b'"' + b"x" * 5_000_000 + b'"'), ErrorCode.LIMIT_EXCEEDED),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf", ErrorCode.STREAM_INTERRUPTED),
        (b"no http at all\r\n\r\n", ErrorCode.AGENT_UNAVAILABLE),
        (b"", ErrorCode.AGENT_UNAVAILABLE),
    ],
)
async def test_faults_of_a_whole_answer(answer: bytes, code: ErrorCode) -> None:
    async with raw_server(answer) as url:
        assert (await fault(client_of(url), stream=False)).code is code


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        (http(b"{}"), ErrorCode.AGENT_BAD_RESPONSE),
        (http(b"<html>", kind="text/html"), ErrorCode.AGENT_BAD_RESPONSE),
        (sse(b""), ErrorCode.STREAM_INTERRUPTED),
        (sse(TOKEN), ErrorCode.STREAM_INTERRUPTED),
        (sse(TOKEN + DONE[:-1]), ErrorCode.STREAM_INTERRUPTED),
        (sse(b"event: token\ndata: <html>\n\n"), ErrorCode.AGENT_BAD_RESPONSE),
        (sse(b'event: error\ndata: {"code": "MODEL_UNAVAILABLE"}\n\n'), ErrorCode.MODEL_UNAVAILABLE),
        (sse(b"event: error\ndata: {}\n\n"), ErrorCode.AGENT_FAILED),
        (sse(b"data: " + b"x" * 3_000_000), ErrorCode.LIMIT_EXCEEDED),
    ],
)
async def test_faults_of_a_stream(answer: bytes, code: ErrorCode) -> None:
    async with raw_server(answer) as url:
        assert (await fault(client_of(url), stream=True)).code is code


async def test_a_stream_ends_with_done_whatever_follows() -> None:
    async with raw_server(sse(TOKEN + DONE + TOKEN)) as url:
        assert await streamed(client_of(url)) == [Token("x"), Done()]


async def test_half_a_character_before_done() -> None:
    async with raw_server(
        sse(rb"event: token" + b"\n" + rb'data: {"text": "a\ud83d"}' + b"\n\n" + DONE)
    ) as url:
        assert await streamed(client_of(url)) == [Token("a"), Token("\ufffd"), Done()]


@pytest.mark.parametrize("stream", [False, True])
async def test_nobody_there(stream: bool) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    error = await fault(client_of(f"http://127.0.0.1:{port}"), stream=stream)
    assert error.code is ErrorCode.AGENT_UNAVAILABLE
    assert error.retryable
    assert str(port) not in error.message


@pytest.mark.parametrize("answer", [b"", sse(TOKEN)], ids=["before the first byte", "in mid-stream"])
async def test_too_slow(answer: bytes) -> None:
    async with raw_server(answer, hold=True) as url:
        error = await fault(client_of(url, timeout_ms=50), stream=True)
    assert error.code is ErrorCode.AGENT_TIMEOUT


@pytest.mark.parametrize(
    "answer",
    [http(b'{"status": "down"}'), http(b"ok"), http(b"[]"), http(b'{"status": "ok"}', status="503 X"), b""],
)
async def test_ill_health(answer: bytes) -> None:
    async with raw_server(answer) as url, client_of(url) as client:
        assert not await client.health()


async def test_health_without_an_address() -> None:
    async with AgentClient(endpoint="http://127.0.0.1:1/") as client:
        assert not await client.health()


async def test_closing_the_stream_hangs_up() -> None:
    stopped = asyncio.Event()

    async def slow(request: AgentRequest) -> AsyncIterator[str]:
        try:
            yield "first"
            await asyncio.Event().wait()
        finally:
            stopped.set()

    async with serving(agent_app(slow)) as url, client_of(url) as client:
        stream = client.stream(REQUEST)
        assert await anext(stream) == Token("first")
        await stream.aclose()
        await asyncio.wait_for(stopped.wait(), WAIT_S)


def test_answers_and_events_hold_the_same() -> None:
    assert set(AgentResponse.model_fields) - {"output", "tool_calls"} == set(Done.model_fields) - {"output"}
