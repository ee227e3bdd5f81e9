"""Every way an agent can fail: its code, the rows, what the person keeps, and that the next message works."""

from typing import Any

import pytest
from asgiref.sync import sync_to_async

from conversations.models import Delegation, Lease, Message, Run
from tests.conversations.conftest import card
from tests.support.agent_server import Exchange, ScriptedAgent

pytestmark = pytest.mark.django_db(transaction=True)
TRACEBACK = b'Traceback (most recent call last):\n  File "/srv/agent.py", line 1\nKeyError: secret-7'


async def down(exchange: Exchange) -> None:
    await exchange.body(b"", status="503 Service Unavailable", content_type="text/plain")


async def unauthorised(exchange: Exchange) -> None:
    await exchange.body(b"{}", status="401 Unauthorized", content_type="application/json")


async def html(exchange: Exchange) -> None:
    await exchange.body(b"<html>Welcome</html>", content_type="text/html")


async def traceback(exchange: Exchange) -> None:
    await exchange.body(TRACEBACK, status="500 Internal Server Error", content_type="text/plain")


async def breaks_off(exchange: Exchange) -> None:
    await exchange.head()
    await exchange.tokens("half ", "said")


async def breaks_off_in_a_frame(exchange: Exchange) -> None:
    await exchange.head()
    await exchange.tokens("half ", "said")
    await exchange.raw(b'event: token\ndata: {"text": "lo')


async def says_error(exchange: Exchange) -> None:
    await exchange.head()
    await exchange.event("error", {"code": "RATE_LIMITED", "message": "Too busy.", "retryable": True})


async def says_own_error(exchange: Exchange) -> None:
    await exchange.head()
    await exchange.tokens("half ", "said")
    await exchange.event("error", {"code": "KABOOM", "message": "It broke."})


async def never_ends(exchange: Exchange) -> None:
    await exchange.head()
    await exchange.tokens("half ", "said")
    await exchange.request.closed.wait()


async def silent(exchange: Exchange) -> None:
    await exchange.request.closed.wait()


async def garbage(exchange: Exchange) -> None:
    await exchange.head()
    await exchange.event("token", b"not json")


@pytest.mark.parametrize(
    ("script", "code", "status", "kept"),
    [
        (down, "AGENT_UNAVAILABLE", "failed", ""),
        (unauthorised, "AGENT_AUTH_FAILED", "failed", ""),
        (html, "AGENT_BAD_RESPONSE", "failed", ""),
        (traceback, "AGENT_FAILED", "failed", ""),
        (breaks_off, "STREAM_INTERRUPTED", "failed", "half said"),
        (breaks_off_in_a_frame, "STREAM_INTERRUPTED", "failed", "half said"),
        (says_error, "RATE_LIMITED", "failed", ""),
        (says_own_error, "AGENT_FAILED", "failed", "half said"),
        (never_ends, "AGENT_TIMEOUT", "timed_out", "half said"),
        (silent, "AGENT_TIMEOUT", "timed_out", ""),
        (garbage, "AGENT_BAD_RESPONSE", "failed", ""),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
async def test_it_fails_with_its_code(product, publish, script, code, status, kept) -> None:
    async def good(exchange: Exchange) -> None:
        await exchange.answer("fine")

    async with ScriptedAgent(script, good).serving() as agent, product.person("alice") as alice:
        await sync_to_async(publish)(card("flaky", agent.port, timeout_ms=400))
        conversation = await alice.conversation()
        frames = await alice.ask(conversation, "ask_flaky")
        assert len(agent.requests) == 1, "an agent that may not be retried was called again"
        again = await alice.ask(conversation, "ask_flaky")

    finished = frames[-1]
    assert (finished["status"], finished["error"]["code"]) == ("failed", code)
    assert "secret-7" not in str(frames)
    assert str(agent.port) not in finished["error"]["message"]
    ended = next(frame for frame in frames if frame["type"] == "delegation.finished")
    assert (ended["status"], ended["error"]["code"], ended["result"]) == (status, code, kept)
    delegation = await Delegation.objects.order_by("started_at").afirst()
    assert (delegation.status, delegation.error_code, delegation.result) == (status, code, kept)
    run = await Run.objects.order_by("created_at").afirst()
    assert (run.status, run.error_code) == ("failed", code)
    partial = [(m.content, m.status) async for m in Message.objects.filter(role="assistant", run=run)]
    assert partial == ([(kept, "partial")] if kept else [])
    assert again[-1]["status"] == "completed"
    assert not await Lease.objects.aexists()


async def test_nothing_listens(product, publish) -> None:
    async with ScriptedAgent(silent).serving() as agent:
        port = agent.port
    async with product.person("alice") as alice:
        await sync_to_async(publish)(card("gone", port))
        frames = await alice.ask(await alice.conversation(), "ask_gone")
    assert frames[-1]["error"]["code"] == "AGENT_UNAVAILABLE"
    assert str(port) not in str([frame for frame in frames if frame["type"] != "hello"])


@pytest.mark.parametrize(
    ("pieces", "content"),
    [
        (["\ud83d", "\ude00 ok"], "😀 ok"),
        (["lone \ud83d", " half"], "lone \ufffd half"),
        (["lone \ud83d"], "lone \ufffd"),
        (["a\x00b", "\x00"], "ab"),
    ],
)
async def test_text_that_nobody_could_store_is_cleaned(product, publish, pieces, content) -> None:
    async def script(exchange: Exchange) -> None:
        await exchange.answer(*pieces)

    frames = await _one_answer(product, publish, script)
    assert _content(frames) == content
    assert (await Message.objects.aget(role="assistant")).content == content


async def test_a_character_split_at_a_chunks_edge(product, publish) -> None:
    async def script(exchange: Exchange) -> None:
        await exchange.head()
        data = 'event: token\ndata: {"text": "混合气 😀"}\n\n'.encode()
        for at in range(len(data)):
            await exchange.raw(data[at : at + 1])
        await exchange.done()

    frames = await _one_answer(product, publish, script)
    assert _content(frames) == "混合气 😀"


async def test_an_agent_that_says_nothing(product, publish) -> None:
    async def script(exchange: Exchange) -> None:
        await exchange.answer()

    frames = await _one_answer(product, publish, script)
    ended = next(frame for frame in frames if frame["type"] == "delegation.finished")
    assert (ended["status"], ended["empty"]) == ("completed", True)
    assert _content(frames).strip()


async def _one_answer(product: Any, publish: Any, script: Any) -> list[dict[str, Any]]:
    async with ScriptedAgent(script).serving() as agent, product.person("alice") as alice:
        await sync_to_async(publish)(card("odd", agent.port))
        frames = await alice.ask(await alice.conversation(), "ask_odd")
    assert frames[-1]["status"] == "completed", frames[-1]
    return frames


def _content(frames: list[dict[str, Any]]) -> str:
    return str(next(frame["content"] for frame in frames if frame["type"] == "message.completed"))
