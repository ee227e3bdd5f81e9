"""An agent's stream over HTTP becomes the message, byte for byte."""

import asyncio
from uuid import UUID, uuid5

import pytest

from orchestration.ids import message_id
from orchestration.supervisor import Supervisor
from tests.orchestration.conftest import Ask, AskHttp
from tests.support.agent_server import Exchange, ScriptedAgent
from tests.support.directories import directory, http_entry, request
from tests.support.sinks import CollectingSink


async def test_a_good_answer(ask_http: AskHttp, sink: CollectingSink) -> None:
    async def script(exchange: Exchange) -> None:
        await exchange.head()
        await exchange.event("tool", {"name": "look_up", "arguments": {"code": "P0171"}})
        await exchange.tokens("P0171: ", "系统过稀")
        await exchange.event("citation", {"title": "A page", "url": "https://example.org/"})
        await exchange.done(usage={"input_tokens": 3, "output_tokens": 5}, citations=[{"title": "Another"}])

    outcome, _ = await ask_http(script)

    assert outcome.status == "completed"
    assert outcome.agent == "echo_agent"
    assert outcome.usage == {"input_tokens": 3, "output_tokens": 5}
    assert sink.types == [
        "route.decided",
        "delegation.started",
        "delegation.tool",
        "message.started",
        "message.delta",
        "delegation.finished",
        "message.completed",
    ]
    assert sink.one("delegation.tool").arguments == {"code": "P0171"}
    finished, message = sink.one("delegation.finished"), sink.one("message.completed")
    assert message.content == finished.result == sink.text == "P0171: 系统过稀"
    assert message.status == "complete"
    assert [citation["title"] for citation in finished.citations] == ["A page", "Another"]
    assert finished.attempts == 1
    assert 0 <= finished.first_token_ms <= finished.duration_ms


async def test_ids_are_derived_from_the_run(supervisor: Supervisor, sink: CollectingSink) -> None:
    async with ScriptedAgent(lambda exchange: exchange.answer("hi")).serving() as agent:
        asked = request()
        await supervisor.supervise(asked, directory(http_entry(agent.url)), sink)

    delegation = sink.one("delegation.started").delegation_id
    assert delegation == str(uuid5(UUID(asked.run_id), "/0"))
    assert sink.one("message.started").message_id == message_id(asked.run_id)
    assert {delta.delegation_id for delta in sink.of("message.delta")} == {delegation}


async def test_the_request_and_its_headers(supervisor: Supervisor, sink: CollectingSink) -> None:
    async with ScriptedAgent(lambda exchange: exchange.answer("hi")).serving() as agent:
        asked = request(
            "嗨",
            locale="zh-hans",
            context={"vin": "LSV1"},
            forward_headers={"X-Tenant": "a", "x-trace-id": "mine", "Host": "evil", "X-Bad": "a\r\nb"},
        )
        await supervisor.supervise(asked, directory(http_entry(agent.url)), sink)
        received = agent.requests[0]

    delegation = sink.one("delegation.started").delegation_id
    assert received.path == "/stream"
    assert received.json == {
        "input": "嗨",
        "session_id": asked.conversation_id,
        "user_id": "alice",
        "context": {"history": [], "metadata": {"vin": "LSV1", "locale": "zh-hans"}},
        "stream": True,
    }
    headers = received.headers
    assert headers["traceparent"] == f"00-{asked.trace_id}-{UUID(delegation).hex[-16:]}-01"
    assert headers["x-trace-id"] == asked.trace_id
    assert headers["x-session-id"] == asked.conversation_id
    assert headers["idempotency-key"] == delegation
    assert headers["x-tenant"] == "a"
    assert headers["host"] == f"127.0.0.1:{agent.port}"
    assert "x-bad" not in headers
    assert "authorization" not in headers


async def test_the_row_is_there_before_the_agent_is_called(supervisor: Supervisor) -> None:
    stored = asyncio.Event()

    class SlowSink(CollectingSink):
        async def emit(self, event: object) -> None:
            if event.type == "delegation.started":
                assert not agent.requests
                await asyncio.sleep(0)
                assert not agent.requests
                stored.set()
            await super().emit(event)

    async def script(exchange: Exchange) -> None:
        assert stored.is_set()
        await exchange.answer("hi")

    async with ScriptedAgent(script).serving() as agent:
        outcome = await supervisor.supervise(request(), directory(http_entry(agent.url)), SlowSink())
    assert outcome.status == "completed"


async def test_every_cut_of_the_bytes_gives_the_same_text(ask_http: AskHttp, sink: CollectingSink) -> None:
    stream = 'event: token\r\ndata: {"text": "蓄电池🔋"}\r\n\r\nevent: done\r\ndata: {}\r\n\r\n'.encode()

    async def script(exchange: Exchange) -> None:
        await exchange.head()
        for byte in stream:
            await exchange.raw(bytes([byte]))
            await asyncio.sleep(0)

    await ask_http(script)
    assert sink.one("message.completed").content == "蓄电池🔋"


@pytest.mark.parametrize(
    ("tokens", "text"),
    [
        ([rb'{"text":"a\ud83d"}', rb'{"text":"\udd0bb"}'], "a🔋b"),
        ([rb'{"text":"a\ud83d"}', rb'{"text":"b"}'], "a\ufffdb"),
        ([rb'{"text":"a\ud83d"}'], "a\ufffd"),
        ([rb'{"text":"a\u0000b"}'], "ab"),
        ([b'{"text":"a\xffb"}'], "a\ufffdb"),
    ],
    ids=["split pair", "lone half", "lone half at the end", "U+0000", "invalid UTF-8"],
)
async def test_text_is_cleaned(
    ask_http: AskHttp, sink: CollectingSink, tokens: list[bytes], text: str
) -> None:
    async def script(exchange: Exchange) -> None:
        await exchange.head()
        for token in tokens:
            await exchange.event("token", token)
        await exchange.done()

    outcome, _ = await ask_http(script)
    assert outcome.status == "completed"
    assert sink.text == sink.one("message.completed").content == text
    assert text.encode()


async def test_the_first_token_does_not_wait_for_the_rest(
    supervisor: Supervisor, sink: CollectingSink
) -> None:
    go_on = asyncio.Event()

    async def script(exchange: Exchange) -> None:
        await exchange.head()
        await exchange.tokens("first ")
        await go_on.wait()
        await exchange.tokens("second")
        await exchange.done()

    async with ScriptedAgent(script).serving() as agent:
        run = asyncio.create_task(supervisor.supervise(request(), directory(http_entry(agent.url)), sink))
        await sink.until("message.delta")
        assert sink.text == "first "
        go_on.set()
        await run
    assert sink.text == "first second"


async def test_output_in_done_is_the_text_when_nothing_was_streamed(
    ask_http: AskHttp, sink: CollectingSink
) -> None:
    await ask_http(lambda exchange: exchange.answer(output="all of it"))
    assert sink.text == "all of it"


async def test_streamed_tokens_win_over_output(ask_http: AskHttp, sink: CollectingSink) -> None:
    await ask_http(lambda exchange: exchange.answer("streamed", output="something else"))
    assert sink.one("message.completed").content == sink.text == "streamed"


async def test_what_follows_done_is_ignored(ask_http: AskHttp, sink: CollectingSink) -> None:
    async def script(exchange: Exchange) -> None:
        await exchange.answer("hi")
        await exchange.tokens("too late")
        await exchange.event("error", {"code": "AGENT_FAILED", "message": "too late"})

    outcome, _ = await ask_http(script)
    assert outcome.status == "completed"
    assert sink.text == "hi"


async def test_unknown_events_and_comments_are_ignored(ask_http: AskHttp, sink: CollectingSink) -> None:
    async def script(exchange: Exchange) -> None:
        await exchange.head()
        await exchange.raw(b": keepalive\n\n")
        await exchange.event("thinking", {"text": "hm"})
        await exchange.tokens("hi")
        await exchange.done()

    await ask_http(script)
    assert sink.text == "hi"


async def test_an_agent_without_a_stream_answers_plainly(ask_http: AskHttp, sink: CollectingSink) -> None:
    async def script(exchange: Exchange) -> None:
        body = b'{"output": "whole", "tool_calls": [{"name": "t"}], "citations": [{"title": "A"}]}'
        await exchange.body(body, content_type="application/json")

    outcome, agent = await ask_http(script, stream_endpoint=None)
    assert outcome.status == "completed"
    assert agent.requests[0].path == "/invoke"
    assert agent.requests[0].json["stream"] is False
    assert sink.text == "whole"
    assert sink.one("delegation.tool").name == "t"
    assert sink.one("message.completed").citations[0]["title"] == "A"


async def test_json_instead_of_a_stream_is_a_whole_answer(ask_http: AskHttp, sink: CollectingSink) -> None:
    async def script(exchange: Exchange) -> None:
        await exchange.body(b'{"output": "whole"}', content_type="application/json; charset=utf-8")

    await ask_http(script)
    assert sink.text == "whole"


async def test_an_agent_that_says_nothing_is_told_so_plainly(ask_http: AskHttp, sink: CollectingSink) -> None:
    outcome, _ = await ask_http(lambda exchange: exchange.answer())

    assert outcome.status == "completed"
    finished = sink.one("delegation.finished")
    assert (finished.status, finished.result, finished.empty) == ("completed", "", True)
    assert sink.one("message.started").agent is None
    assert "Echo" in sink.one("message.completed").content


async def test_only_declared_context_is_written_back(ask: Ask) -> None:
    async def script(exchange: Exchange) -> None:
        await exchange.answer("hi", context={"vin": "LSV2", "undeclared": 1})

    async with ScriptedAgent(script).serving() as agent:
        entry = http_entry(agent.url, required_context=["vin"])
        outcome = await ask(entry, context={"vin": "LSV1"})
    assert outcome.context == {"vin": "LSV2"}
