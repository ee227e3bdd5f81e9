"""Every way in which an agent over HTTP can fail ends in a code, a sentence, and nothing of its insides."""

import asyncio
import socket
from typing import Any

import pytest

from orchestration.transcript import MAX_TEXT
from tests.orchestration.conftest import Ask, AskHttp
from tests.support.agent_server import Exchange, Script, ScriptedAgent
from tests.support.directories import http_entry
from tests.support.sinks import CollectingSink

SECRET = b"Traceback: password=hunter2 http://10.0.0.5/internal"


def failing(sink: CollectingSink, outcome: Any, *, status: str = "failed") -> Any:
    """The delegation that failed, after what every failure has in common was checked."""
    finished = sink.one("delegation.finished")
    assert outcome.status == "failed"
    assert outcome.error == finished.error
    assert finished.status == status
    assert finished.error["message"].endswith(".")
    for inside in ("hunter2", "http://", "127.0.0.1", "Traceback"):
        assert inside not in finished.error["message"]
    return finished


def status(line: str, **headers: str) -> Script:
    async def script(exchange: Exchange) -> None:
        await exchange.body(SECRET, status=line, content_type="text/plain", **headers)

    return script


@pytest.mark.parametrize(
    ("line", "code", "retryable"),
    [
        ("401 Unauthorized", "AGENT_AUTH_FAILED", False),
        ("403 Forbidden", "AGENT_AUTH_FAILED", False),
        ("404 Not Found", "AGENT_UNAVAILABLE", False),
        ("429 Too Many Requests", "RATE_LIMITED", True),
        ("500 Internal Server Error", "AGENT_FAILED", True),
        ("502 Bad Gateway", "AGENT_UNAVAILABLE", True),
        ("503 Service Unavailable", "AGENT_UNAVAILABLE", True),
        ("504 Gateway Timeout", "AGENT_UNAVAILABLE", True),
        ("400 Bad Request", "AGENT_BAD_RESPONSE", False),
        ("302 Found", "AGENT_BAD_RESPONSE", False),
    ],
)
async def test_status(
    ask_http: AskHttp, sink: CollectingSink, line: str, code: str, *, retryable: bool
) -> None:
    outcome, agent = await ask_http(status(line, Location="http://127.0.0.1:1/"))

    error = failing(sink, outcome).error
    assert (error["code"], error["retryable"]) == (code, retryable)
    assert len(agent.requests) == 1
    assert "message.started" not in sink.types


async def test_refused_connection(ask: Ask, sink: CollectingSink) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        outcome = await ask(http_entry(f"http://127.0.0.1:{unused.getsockname()[1]}"))
    error = failing(sink, outcome).error
    assert (error["code"], error["retryable"]) == ("AGENT_UNAVAILABLE", True)


async def test_unknown_host(ask: Ask, sink: CollectingSink) -> None:
    outcome = await ask(http_entry("http://agent.invalid"))
    assert failing(sink, outcome).error["code"] == "AGENT_UNAVAILABLE"


async def test_no_tls(ask: Ask, sink: CollectingSink) -> None:
    async def speak_plainly(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        writer.close()

    async with await asyncio.start_server(speak_plainly, "127.0.0.1", 0) as server:
        outcome = await ask(http_entry(f"https://127.0.0.1:{server.sockets[0].getsockname()[1]}"))
    assert failing(sink, outcome).error["code"] == "AGENT_UNAVAILABLE"


async def html(exchange: Exchange) -> None:
    await exchange.body(b"<html>" + SECRET, content_type="text/html")


async def html_said_to_be_json(exchange: Exchange) -> None:
    await exchange.body(b"<html>" + SECRET, content_type="application/json")


async def json_of_another_shape(exchange: Exchange) -> None:
    await exchange.body(b'{"answer": "hunter2"}', content_type="application/json")


async def compressed(exchange: Exchange) -> None:
    await exchange.body(b"\x1f\x8b", content_type="application/json", Content_Encoding="gzip")


async def no_http(exchange: Exchange) -> None:
    await exchange.raw(b"SSH-2.0-OpenSSH\r\n\r\n")


@pytest.mark.parametrize(
    "script",
    [html, html_said_to_be_json, json_of_another_shape, compressed, no_http],
    ids=lambda script: script.__name__,
)
async def test_not_an_answer(ask_http: AskHttp, sink: CollectingSink, script: Script) -> None:
    outcome, _ = await ask_http(script)
    assert failing(sink, outcome).error["code"] == "AGENT_BAD_RESPONSE"


@pytest.mark.parametrize("data", [b"{", b"[]", b'{"text": 1}', b"{}", b'"hi"'])
async def test_broken_token(ask_http: AskHttp, sink: CollectingSink, data: bytes) -> None:
    async def script(exchange: Exchange) -> None:
        await exchange.head()
        await exchange.raw(b'event: token\ndata: {"text": "good "}\n\nevent: token\ndata: ' + data + b"\n\n")

    outcome, _ = await ask_http(script)
    assert failing(sink, outcome).error["code"] == "AGENT_BAD_RESPONSE"
    assert sink.text == "good "


async def ends_without_done(exchange: Exchange) -> None:
    await exchange.head()
    await exchange.tokens("half ")


async def ends_inside_an_event(exchange: Exchange) -> None:
    await exchange.head()
    await exchange.tokens("half ")
    await exchange.raw(b'event: done\ndata: {"usage"')


async def breaks_off_before_the_promised_end(exchange: Exchange) -> None:
    await exchange.head(Content_Length="1000")
    await exchange.tokens("half ")


async def breaks_off_inside_a_chunk(exchange: Exchange) -> None:
    await exchange.raw(
        b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
    )
    body = b'event: token\ndata: {"text": "half "}\n\n'
    await exchange.raw(b"%x\r\n%b\r\nff\r\nevent" % (len(body), body))


@pytest.mark.parametrize(
    "script",
    [ends_without_done, ends_inside_an_event, breaks_off_before_the_promised_end, breaks_off_inside_a_chunk],
    ids=lambda script: script.__name__,
)
async def test_half_an_answer_is_kept_and_marked(
    ask_http: AskHttp, sink: CollectingSink, script: Script
) -> None:
    outcome, agent = await ask_http(script, max_retries=3)

    finished = failing(sink, outcome)
    assert (finished.error["code"], finished.error["retryable"]) == ("STREAM_INTERRUPTED", True)
    message = sink.one("message.completed")
    assert (message.status, message.content) == ("partial", "half ")
    assert finished.result == sink.text == "half "
    assert sink.types[-2:] == ["delegation.finished", "message.completed"]
    assert len(agent.requests) == 1


async def test_nothing_but_an_end(ask_http: AskHttp, sink: CollectingSink) -> None:
    outcome, _ = await ask_http(lambda exchange: exchange.head())
    assert failing(sink, outcome).error["code"] == "STREAM_INTERRUPTED"


async def test_closed_without_a_word(ask_http: AskHttp, sink: CollectingSink) -> None:
    outcome, _ = await ask_http(lambda exchange: exchange.raw(b""))
    assert failing(sink, outcome).error["code"] == "AGENT_UNAVAILABLE"


@pytest.mark.parametrize(
    ("sent", "error"),
    [
        (
            {"code": "RATE_LIMITED", "message": "Too\nmany\u0000.", "retryable": True},
            {"code": "RATE_LIMITED", "message": "Too many.", "retryable": True},
        ),
        (
            {"code": "MY_OWN", "message": "Out of coffee."},
            {"code": "AGENT_FAILED", "message": "Out of coffee.", "retryable": False},
        ),
    ],
)
async def test_the_agents_own_error(
    ask_http: AskHttp, sink: CollectingSink, sent: dict[str, Any], error: dict[str, Any]
) -> None:
    async def script(exchange: Exchange) -> None:
        await exchange.head()
        await exchange.event("error", sent)

    outcome, _ = await ask_http(script)
    assert failing(sink, outcome).error == error


async def test_the_agents_own_error_is_cut(ask_http: AskHttp, sink: CollectingSink) -> None:
    async def script(exchange: Exchange) -> None:
        await exchange.head()
        await exchange.event("error", {"code": "AGENT_FAILED", "message": "x" * 10_000})

    outcome, _ = await ask_http(script)
    assert len(outcome.error["message"]) == 500


async def test_too_much_text(ask_http: AskHttp, sink: CollectingSink) -> None:
    async def script(exchange: Exchange) -> None:
        await exchange.head()
        for _ in range(5):
            await exchange.tokens("x" * (1024 * 1024))
        await exchange.done()

    outcome, _ = await ask_http(script)
    assert failing(sink, outcome).error["code"] == "LIMIT_EXCEEDED"
    assert len(sink.text) <= MAX_TEXT
    assert sink.one("message.completed").status == "partial"


async def test_an_event_without_end(ask_http: AskHttp, sink: CollectingSink) -> None:
    async def script(exchange: Exchange) -> None:
        await exchange.head()
        while not exchange.request.closed.is_set():
            await exchange.raw(b"data: " + b"x" * 65536)

    outcome, _ = await ask_http(script)
    assert failing(sink, outcome).error["code"] == "LIMIT_EXCEEDED"


async def forever(exchange: Exchange) -> None:
    await exchange.request.closed.wait()


async def forever_after_a_token(exchange: Exchange) -> None:
    await exchange.head()
    await exchange.tokens("half ")
    await exchange.request.closed.wait()


@pytest.mark.parametrize(("script", "text"), [(forever, ""), (forever_after_a_token, "half ")])
async def test_deadline(ask: Ask, sink: CollectingSink, script: Script, text: str) -> None:
    async with ScriptedAgent(script).serving() as agent:
        outcome = await ask(http_entry(agent.url, timeout_ms=150, max_retries=2))
        async with asyncio.timeout(1):
            await agent.requests[0].closed.wait()

    finished = failing(sink, outcome, status="timed_out")
    assert (finished.error["code"], finished.error["retryable"]) == ("AGENT_TIMEOUT", True)
    assert finished.result == sink.text == text
    assert 100 <= finished.duration_ms < 2000
    assert ("message.completed" in sink.types) is bool(text)
