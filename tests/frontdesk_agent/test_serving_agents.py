"""An agent behind HTTP: what the contract's three addresses answer, to good and to bad requests."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from langchain.agents import create_agent

from frontdesk_agent import (
    AgentRequest,
    AgentResponse,
    Citation,
    CitationEvent,
    ErrorCode,
    FrontdeskError,
    Token,
    Tool,
    Usage,
    agent_app,
)
from frontdesk_agent.contract import Done, parse_event
from tests.frontdesk_agent.live import WAIT_S, events, post, serving
from tests.frontdesk_agent.scripted_model import ScriptedModel, Turn

ASK = {"input": "hi", "session_id": "s-1", "user_id": "u-1"}
SECRET_REF = "AGENT_SECRET_TEST"


async def echo(request: AgentRequest) -> AsyncIterator[Any]:
    yield Tool(name="think", arguments={"about": request.input})
    yield "you said "
    yield CitationEvent(title="Source")
    yield request.input
    yield Done(usage=Usage(input_tokens=1, output_tokens=2), citations=(Citation(title="Other"),))


async def failing(request: AgentRequest) -> AsyncIterator[str]:
    yield "half"
    raise ValueError("password=hunter2")


async def test_invoke() -> None:
    async with serving(agent_app(echo)) as url:
        status, body, _ = await post(f"{url}/invoke", ASK)
    assert status == 200
    assert body == {
        "output": "you said hi",
        "tool_calls": [{"name": "think", "arguments": {"about": "hi"}}],
        "citations": [
            {"title": "Source", "url": "", "snippet": ""},
            {"title": "Other", "url": "", "snippet": ""},
        ],
        "usage": {"input_tokens": 1, "output_tokens": 2},
        "trace_id": "",
    }


async def test_stream() -> None:
    async with serving(agent_app(echo)) as url:
        found = await events(f"{url}/stream", ASK, **{"X-Trace-Id": "trace-7"})
    assert [name for name, _ in found] == ["tool", "token", "citation", "token", "done"]
    done = parse_event(*found[-1])
    assert isinstance(done, Done)
    assert done.trace_id == "trace-7"
    assert done.usage == Usage(input_tokens=1, output_tokens=2)


async def test_a_graph_in_three_lines() -> None:
    graph = create_agent(ScriptedModel(turns=[Turn(words=["Hello", " there"])]), [])
    async with serving(agent_app(graph)) as url:
        found = [parse_event(*event) for event in await events(f"{url}/stream", ASK)]
    assert found == [Token("Hello"), Token(" there"), Done()]


async def test_health_needs_no_login() -> None:
    async with (
        serving(agent_app(echo, secret_ref=SECRET_REF)) as url,
        aiohttp.ClientSession() as session,
        session.get(f"{url}/health") as response,
    ):
        assert response.status == 200
        assert await response.json() == {"status": "ok"}


async def test_stream_headers_and_first_bytes_at_once() -> None:
    async def silent(request: AgentRequest) -> str:
        await asyncio.Event().wait()
        return "never"

    async with (
        serving(agent_app(silent)) as url,
        aiohttp.ClientSession() as session,
        session.post(f"{url}/stream", json=ASK) as response,
    ):
        assert response.content_type == "text/event-stream"
        assert response.headers["Cache-Control"] == "no-cache"
        assert response.headers["X-Accel-Buffering"] == "no"
        assert (await asyncio.wait_for(response.content.readany(), WAIT_S)).startswith(b":")


async def test_silence_is_filled_with_comments() -> None:
    go_on = asyncio.Event()

    async def slow(request: AgentRequest) -> str:
        await go_on.wait()
        return "at last"

    async with (
        serving(agent_app(slow, keepalive_seconds=0.01)) as url,
        aiohttp.ClientSession() as session,
        session.post(f"{url}/stream", json=ASK) as response,
    ):
        for _ in range(2):
            await asyncio.wait_for(response.content.readuntil(b": keepalive\n\n"), WAIT_S)
        go_on.set()
        assert b"at last" in await asyncio.wait_for(response.content.read(), WAIT_S)


@pytest.mark.parametrize("address", ["invoke", "stream"])
async def test_a_client_that_hangs_up_stops_the_agent(address: str) -> None:
    started, stopped = asyncio.Event(), asyncio.Event()

    async def slow(request: AgentRequest) -> AsyncIterator[str]:
        yield "first"
        started.set()
        try:
            await asyncio.Event().wait()
        finally:
            stopped.set()

    async with serving(agent_app(slow)) as url, aiohttp.ClientSession() as session:
        task = asyncio.create_task(session.post(f"{url}/{address}", json=ASK).__aenter__())
        await asyncio.wait_for(started.wait(), WAIT_S)
        task.cancel()
        await session.close()
        await asyncio.wait_for(stopped.wait(), WAIT_S)


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        (b"", 422, "INVALID_INPUT"),
        (b"{", 422, "INVALID_INPUT"),
        (b"\xff", 422, "INVALID_INPUT"),
        (b"[]", 422, "INVALID_INPUT"),
        (b"{}", 422, "INVALID_INPUT"),
        (b'{"input": 7}', 422, "INVALID_INPUT"),
        (b'{"input": " "}', 422, "INVALID_INPUT"),
        (b'{"input": "' + b"x" * 1024 * 1024 + b'"}', 413, "LIMIT_EXCEEDED"),
    ],
)
@pytest.mark.parametrize("address", ["invoke", "stream"])
async def test_bad_requests(address: str, body: bytes, status: int, code: str) -> None:
    async with (
        serving(agent_app(echo)) as url,
        aiohttp.ClientSession() as session,
        session.post(f"{url}/{address}", data=body) as response,
    ):
        assert response.status == status
        answer = await response.json()
    assert answer["code"] == code
    assert answer["message"].endswith(".")


async def test_a_body_without_a_length_is_limited_too() -> None:
    async def endless() -> AsyncIterator[bytes]:
        for _ in range(64):
            yield b"x" * 65536

    async with (
        serving(agent_app(echo)) as url,
        aiohttp.ClientSession() as session,
        session.post(f"{url}/invoke", data=endless()) as response,
    ):
        assert response.status == 413


async def test_wrong_fields_are_named() -> None:
    async with serving(agent_app(echo)) as url:
        _, body, _ = await post(f"{url}/invoke", {"input": "x", "context": {"history": [{"role": "x"}]}})
    assert {"context.history.0.role", "context.history.0.content"} == {
        item["field"] for item in body["details"]
    }


@pytest.mark.parametrize(("address", "status"), [("nothing", 404), ("", 404), ("health", 405)])
async def test_other_addresses(address: str, status: int) -> None:
    async with serving(agent_app(echo)) as url:
        found, body, _ = await post(f"{url}/{address}", ASK)
    assert (found, body["code"]) == (status, "NOT_ALLOWED")


@pytest.mark.parametrize(
    "sent", [None, "Bearer wrong", "Bearer ", "Basic s3cret-ä", "s3cret", "Bearer s3cretX"]
)
@pytest.mark.parametrize("address", ["invoke", "stream"])
async def test_a_wrong_token(address: str, sent: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(SECRET_REF, "s3cret")
    headers = {} if sent is None else {"Authorization": sent}
    async with serving(agent_app(echo, secret_ref=SECRET_REF)) as url:
        status, body, answered = await post(f"{url}/{address}", ASK, **headers)
    assert (status, body["code"]) == (401, "AGENT_AUTH_FAILED")
    assert answered["WWW-Authenticate"] == "Bearer"


async def test_the_right_token(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(SECRET_REF, "s3cret")
    async with serving(agent_app(echo, secret_ref=SECRET_REF)) as url:
        for scheme in ("Bearer", "bearer"):
            assert (await post(f"{url}/invoke", ASK, Authorization=f"{scheme} s3cret"))[0] == 200
        monkeypatch.setenv(SECRET_REF, "rotated")  # looked up at each request
        assert (await post(f"{url}/invoke", ASK, Authorization="Bearer s3cret"))[0] == 401


async def test_a_token_from_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "token").write_text("from-a-file\n")
    monkeypatch.setenv("SECRETS_DIR", str(tmp_path))
    async with serving(agent_app(echo, secret_ref="file:token")) as url:
        assert (await post(f"{url}/invoke", ASK, Authorization="Bearer from-a-file"))[0] == 200


@pytest.mark.parametrize("value", [None, ""])
async def test_without_its_secret_the_agent_is_shut(
    value: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(SECRET_REF, raising=False)
    if value is not None:
        monkeypatch.setenv(SECRET_REF, value)
    async with serving(agent_app(echo, secret_ref=SECRET_REF)) as url:
        for headers in ({}, {"Authorization": "Bearer "}, {"Authorization": "Bearer None"}):
            status, body, _ = await post(f"{url}/invoke", ASK, **headers)
            assert (status, body["code"]) == (503, "AGENT_UNAVAILABLE")


@pytest.mark.parametrize("ref", ["DATABASE_URL", "s3cret-value", "file:../x", ""])
def test_a_bad_secret_ref_is_refused_at_once(ref: str) -> None:
    with pytest.raises(ValueError, match="must name a secret") as caught:
        agent_app(echo, secret_ref=ref)
    assert not ref or ref not in str(caught.value)


async def test_a_fault_is_told_without_details() -> None:
    async with serving(agent_app(failing)) as url:
        status, body, _ = await post(f"{url}/invoke", ASK)
        found = await events(f"{url}/stream", ASK)
    assert status == 500
    assert body == {
        "code": "AGENT_FAILED",
        "message": "The agent failed while answering.",
        "retryable": False,
    }
    assert [name for name, _ in found] == ["token", "error"]
    assert "hunter2" not in str(found) + str(body)
    assert "Traceback" not in str(found) + str(body)


@pytest.mark.parametrize(
    ("code", "status"),
    [
        (ErrorCode.RATE_LIMITED, 429),
        (ErrorCode.MODEL_UNAVAILABLE, 503),
        (ErrorCode.CONTEXT_MISSING, 422),
        (ErrorCode.AGENT_FAILED, 500),
    ],
)
async def test_coded_errors(code: ErrorCode, status: int) -> None:
    async def target(request: AgentRequest) -> str:
        raise FrontdeskError(code, "As it is.", retryable=True, details={"why": 1})

    async with serving(agent_app(target)) as url:
        answered, body, _ = await post(f"{url}/invoke", ASK)
        found = await events(f"{url}/stream", ASK)
    assert (answered, body["code"], body["message"], body["retryable"]) == (status, code, "As it is.", True)
    assert [name for name, _ in found] == ["error"]


async def test_what_cannot_be_sent_ends_in_an_error() -> None:
    async def target(request: AgentRequest) -> AsyncIterator[Any]:
        yield "before"
        yield Tool(name="x", arguments={"connection": object()})
        yield "after"

    async with serving(agent_app(target)) as url:
        found = await events(f"{url}/stream", ASK)
        status, body, _ = await post(f"{url}/invoke", ASK)
    assert [name for name, _ in found] == ["token", "error"]
    assert (status, body["code"]) == (500, "INTERNAL")


@pytest.mark.parametrize(
    ("headers", "trace_id"),
    [
        ({}, ""),
        ({"X-Trace-Id": "a" * 32}, "a" * 32),
        ({"X-Trace-Id": "with space"}, ""),
        ({"X-Trace-Id": "x" * 129}, ""),
        ({"traceparent": f"00-{'b' * 32}-{'c' * 16}-01"}, "b" * 32),
        ({"traceparent": "nonsense"}, ""),
        ({"X-Trace-Id": "own", "traceparent": f"00-{'b' * 32}-{'c' * 16}-01"}, "own"),
    ],
)
async def test_the_callers_trace(headers: dict[str, str], trace_id: str) -> None:
    async with serving(agent_app(echo)) as url:
        _, body, _ = await post(f"{url}/invoke", ASK, **headers)
    assert body["trace_id"] == trace_id


async def test_the_agents_own_trace_stays() -> None:
    async def target(request: AgentRequest) -> AgentResponse:
        return AgentResponse(output="x", trace_id="mine")

    async with serving(agent_app(target)) as url:
        _, body, _ = await post(f"{url}/invoke", ASK, **{"X-Trace-Id": "theirs"})
    assert body["trace_id"] == "mine"


async def test_lone_surrogates_in_and_out() -> None:
    async with (
        serving(agent_app(echo)) as url,
        aiohttp.ClientSession() as session,
        session.post(f"{url}/invoke", data=rb'{"input": "a\ud83d\u0000b"}') as response,
    ):
        assert (await response.json())["output"] == "you said a\ufffdb"


def test_names() -> None:
    assert agent_app(echo).state.agent_name == "echo"
    assert agent_app(echo, name="echo_agent").state.agent_name == "echo_agent"
