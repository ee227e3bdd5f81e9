"""What is refused, with which code, and that nothing is lost or shown by it."""

import asyncio
import json
from typing import Any

import aiohttp
import pytest
from asgiref.sync import sync_to_async
from django.contrib.sessions.models import Session

from conversations.models import Message, Run
from tests.conversations.conftest import card
from tests.support.agent_server import Exchange, ScriptedAgent

pytestmark = pytest.mark.django_db(transaction=True)
UNKNOWN = "00000000-0000-4000-8000-000000000000"


async def answers(exchange: Exchange) -> None:
    await exchange.answer("ok")


async def refused(product: Any, **frame: Any) -> dict[str, Any]:
    """The error that one frame is answered with; the socket stays open."""
    async with product.person("alice") as alice:
        conversation = await alice.conversation()
        async with alice.socket(conversation) as socket:
            await socket.hello()
            await socket.send(**frame)
            return (await socket.until("error"))[-1]


@pytest.mark.parametrize(
    ("frame", "code"),
    [
        ({"type": "run.start", "input": ""}, "INVALID_INPUT"),
        ({"type": "run.start", "input": " \n\u3000 "}, "INVALID_INPUT"),
        ({"type": "run.start", "input": "\x00"}, "INVALID_INPUT"),
        ({"type": "run.start"}, "INVALID_INPUT"),
        ({"type": "run.start", "input": ["hi"]}, "INVALID_INPUT"),
        ({"type": "run.start", "input": "x" * 200_000}, "LIMIT_EXCEEDED"),
        ({"type": "run.start", "input": "hi", "agent": "nobody"}, "AGENT_NOT_FOUND"),
        ({"type": "run.start", "input": "hi", "agent": ["x"]}, "AGENT_NOT_FOUND"),
        ({"type": "run.start", "input": "hi", "client_id": 7}, "INVALID_INPUT"),
        ({"type": "run.start", "input": "hi", "context": {"vin": {"deep": 1}}}, "INVALID_INPUT"),
        ({"type": "run.start", "input": "hi", "context": {"vin": 10**60}}, "INVALID_INPUT"),
        ({"type": "run.start", "input": "hi", "context": {"vin": 1e300}}, "INVALID_INPUT"),
        ({"type": "run.start", "input": "hi", "on_busy": "explode"}, "INVALID_INPUT"),
        ({"type": "\ud800"}, "INVALID_INPUT"),
        ({"type": "run.start", "input": "", "client_id": "\ud800"}, "INVALID_INPUT"),
        ({"type": "run.start", "input": "hi", "agent": "\ud800"}, "AGENT_NOT_FOUND"),
        ({"type": "run.cancel"}, "NOT_ALLOWED"),
        ({"type": "run.cancel", "run": UNKNOWN}, "NOT_ALLOWED"),
        ({"type": "run.retry", "run": "no-uuid"}, "NOT_ALLOWED"),
        ({"type": "run.follow", "run": UNKNOWN, "after": 0}, "NOT_ALLOWED"),
        ({"type": "run.follow", "run": UNKNOWN, "after": -1}, "INVALID_INPUT"),
        ({"type": "drop.table"}, "INVALID_INPUT"),
        ({"no": "type"}, "INVALID_INPUT"),
    ],
)
async def test_a_frame_that_cannot_be_meant(product, frame, code) -> None:
    error = await refused(product, **frame)
    assert error["code"] == code
    assert error["message"].endswith(".")
    assert not await Message.objects.aexists()


@pytest.mark.parametrize("text", ["{", "[" * 100_000, "[]", "null", "\x00", '"run.start"', '{"type": 1}'])
async def test_a_frame_that_is_no_object_of_json(product, text) -> None:
    async with product.person("alice") as alice:
        conversation = await alice.conversation()
        async with alice.socket(conversation) as socket:
            await socket.hello()
            await socket.ws.send_str(text)
            assert (await socket.next())["code"] == "INVALID_INPUT"
            await socket.ws.send_bytes(b"\xff\xfe")
            assert (await socket.next())["code"] == "INVALID_INPUT"


async def test_an_error_names_the_message_it_is_about(product) -> None:
    error = await refused(product, type="run.start", input="", client_id="mine")
    assert error["client_id"] == "mine"


async def test_an_unknown_agent_by_mention_is_said_and_the_message_kept(product) -> None:
    async with product.person("alice") as alice:
        frames = await alice.ask(await alice.conversation(), "@nobody please help")
    assert (frames[-1]["status"], frames[-1]["error"]["code"]) == ("failed", "AGENT_NOT_FOUND")
    assert "nobody" in frames[-1]["error"]["message"]
    assert (await Message.objects.aget()).content == "@nobody please help"


async def test_a_second_message_while_one_runs(product, publish) -> None:
    go_on = asyncio.Event()

    async def waits(exchange: Exchange) -> None:
        await go_on.wait()
        await exchange.answer("ok")

    async with ScriptedAgent(waits).serving() as agent, product.person("alice") as alice:
        await sync_to_async(publish)(card("slow", agent.port))
        conversation = await alice.conversation()
        async with alice.socket(conversation) as socket:
            await socket.hello()
            await socket.send(type="run.start", input="ask_slow")
            run = (await socket.until("delegation.started"))[0]["run"]
            await socket.send(type="run.start", input="ask_slow too", client_id="second")
            error = (await socket.until("error"))[-1]
            assert (error["code"], error["client_id"]) == ("CONVERSATION_LOCKED", "second")
            assert error["details"] == {"run": run}
            path = f"conversations/{conversation}/runs/"
            status, body = await alice.call("POST", path, {"input": "and now?"})
            assert (status, body["code"]) == (409, "CONVERSATION_LOCKED")
            status, body = await alice.call("POST", f"runs/{run}/retry/")
            assert (status, body["code"]) == (409, "CONVERSATION_LOCKED")
            status, body = await alice.call("DELETE", f"conversations/{conversation}/")
            assert (status, body["code"]) == (409, "CONVERSATION_LOCKED")
            go_on.set()
            assert (await socket.until("run.finished"))[-1]["status"] == "completed"
            await socket.send(type="run.start", input="ask_slow too", client_id="second")
            assert (await socket.until("run.finished"))[-1]["status"] == "completed"


async def test_two_starts_at_once_are_one_run(product, publish) -> None:
    go_on = asyncio.Event()

    async def waits(exchange: Exchange) -> None:
        await go_on.wait()
        await exchange.answer("ok")

    async with ScriptedAgent(waits).serving() as agent, product.person("alice") as alice:
        await sync_to_async(publish)(card("slow", agent.port))
        path = f"conversations/{await alice.conversation()}/runs/"
        made = await asyncio.gather(*(alice.call("POST", path, {"input": f"ask_slow {n}"}) for n in range(5)))
        assert sorted(status for status, _ in made) == [201, 409, 409, 409, 409]
        go_on.set()
        run = next(body["id"] for status, body in made if status == 201)
        async with alice.http.get(f"/api/v1/runs/{run}/events/") as response:
            await response.text()
    assert await Run.objects.acount() == 1


async def test_somebody_elses_conversation_is_not_there(product, publish) -> None:
    async with (
        ScriptedAgent(answers).serving() as agent,
        product.person("alice") as alice,
        product.person("bob") as bob,
    ):
        await sync_to_async(publish)(card("diagnosis", agent.port))
        conversation = await alice.conversation()
        run = (await alice.ask(conversation, "ask_diagnosis"))[-1]["run"]
        delegation = (await alice.call("GET", f"runs/{run}/delegations/"))[1]["results"][0]["id"]

        for method, path, body in [
            ("GET", f"conversations/{conversation}/", None),
            ("GET", f"conversations/{conversation}/?state=1", None),
            ("PATCH", f"conversations/{conversation}/", {"title": "mine"}),
            ("DELETE", f"conversations/{conversation}/", None),
            ("GET", f"conversations/{conversation}/messages/", None),
            ("GET", f"conversations/{conversation}/runs/", None),
            ("POST", f"conversations/{conversation}/runs/", {"input": "hi"}),
            ("GET", f"runs/{run}/", None),
            ("GET", f"runs/{run}/events/", None),
            ("GET", f"runs/{run}/delegations/", None),
            ("POST", f"runs/{run}/cancel/", None),
            ("POST", f"runs/{run}/retry/", None),
            ("POST", f"runs/{run}/retry/", {"delegation_id": delegation}),
            ("POST", "route/", {"input": "hi", "conversation": conversation}),
            ("GET", f"runs/{UNKNOWN}/", None),
            ("GET", "conversations/no-uuid/", None),
        ]:
            status, answer = await bob.call(method, path, body)
            assert status == 404, (method, path, answer)
            assert answer["code"] == "NOT_ALLOWED"
        stream = {"Accept": "text/event-stream"}
        status, _ = await bob.call(
            "POST", f"conversations/{conversation}/runs/", {"input": "hi"}, headers=stream
        )
        assert status == 404
        async with bob.http.get(f"/chat/{conversation}/") as page:
            assert page.status == 404
        async with bob.socket(conversation) as socket:
            assert (await socket.next())["code"] == "NOT_ALLOWED"
            assert await socket.closed() == 4404

        # A run of another conversation of one's own is not reached through this one either.
        async with bob.socket(await bob.conversation()) as socket:
            await socket.hello()
            for type_ in ("run.cancel", "run.retry", "run.follow"):
                await socket.send(type=type_, run=run)
                assert (await socket.next())["code"] == "NOT_ALLOWED"


async def test_nobody_is_told_to_log_in(product) -> None:
    async with product.person("alice") as alice:
        conversation = await alice.conversation()
    async with product.person(None) as nobody:
        for path in ("conversations/", f"conversations/{conversation}/runs/", f"runs/{UNKNOWN}/events/"):
            status, body = await nobody.call("GET", path)
            assert (status, body["code"]) == (401, "NOT_ALLOWED"), path
        async with nobody.socket(conversation) as socket:
            assert (await socket.next())["code"] == "NOT_ALLOWED"
            assert await socket.closed() == 4403


async def test_a_page_of_another_origin_gets_no_socket(product) -> None:
    async with product.person("alice") as alice:
        conversation = await alice.conversation()
        for origin in ("https://evil.example", "null", "http://127.0.0.1:1", "file://"):
            async with alice.socket(conversation, Origin=origin) as socket:
                assert (await socket.next())["code"] == "NOT_ALLOWED"
                assert await socket.closed() == 4403
        async with alice.socket(conversation, Origin=product.url) as socket:
            await socket.hello()


async def test_a_socket_ends_with_its_session(product) -> None:
    async with product.person("alice") as alice:
        conversation = await alice.conversation()
        async with alice.socket(conversation) as socket:
            await socket.hello()
            await Session.objects.all().adelete()
            await socket.send(type="run.start", input="hi")
            assert (await socket.next())["code"] == "NOT_ALLOWED"
            assert await socket.closed() == 4403
    assert not await Message.objects.aexists()


async def test_a_session_login_needs_the_csrf_token(product) -> None:
    async with product.person("alice") as alice:
        conversation = await alice.conversation()
        for accept in ("application/json", "text/event-stream"):
            status, body = await alice.call(
                "POST",
                f"conversations/{conversation}/runs/",
                {"input": "hi"},
                headers={"X-CSRFToken": "b" * 32, "Accept": accept},
            )
            assert (status, body["code"]) == (403, "NOT_ALLOWED")


async def test_a_body_that_is_no_json_or_has_unknown_fields(product) -> None:
    async with product.person("alice") as alice:
        path = f"/api/v1/conversations/{await alice.conversation()}/runs/"
        for accept in ("application/json", "text/event-stream"):
            for data in (
                b"{",
                b"[]",
                b"[" * 100_000,
                b'{"input": "hi", "inptu": 1}',
                b'{"nope\\ud800": 1}',
                b'{"input": "  "}',
                b'{"input": "hi", "context": {"x": 1e300}}',
            ):
                headers = {"Content-Type": "application/json", "Accept": accept}
                async with alice.http.post(path, data=data, headers=headers) as response:
                    body = json.loads(await response.text())
                    assert (response.status, body["code"]) == (400, "INVALID_INPUT"), (data, body)
        for size in (200_000, 20_000_000):
            async with alice.http.post(path, json={"input": "x" * size}) as response:
                assert (response.status, (await response.json())["code"]) == (413, "LIMIT_EXCEEDED")
        status, _ = await alice.call("GET", "conversations/?q=%00")
        assert status == 200
    assert not await Message.objects.aexists()


async def test_lone_surrogates_and_nul_in_a_message_are_mended(product, publish) -> None:
    async with ScriptedAgent(answers).serving() as agent, product.person("alice") as alice:
        await sync_to_async(publish)(card("diagnosis", agent.port))
        conversation = await alice.conversation()
        async with alice.socket(conversation) as socket:
            await socket.hello()
            await socket.ws.send_str(
                '{"type": "run.start", "input": "ask_diagnosis \\ud83d\\u0000 \\ud83d\\ude00"}'
            )
            assert (await socket.until("run.finished"))[-1]["status"] == "completed"
    assert (await Message.objects.aget(role="user")).content == "ask_diagnosis \ufffd 😀"


async def test_the_socket_of_an_unknown_conversation(product) -> None:
    async with product.person("alice") as alice:
        for conversation in (UNKNOWN, "no-uuid"):
            async with alice.socket(conversation) as socket:
                assert (await socket.next())["code"] == "NOT_ALLOWED"
                assert await socket.closed() == 4404
        with pytest.raises(aiohttp.ClientError):
            await alice.http.ws_connect("/ws/elsewhere/")
