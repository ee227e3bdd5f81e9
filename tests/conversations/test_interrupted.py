"""Processes that die or stall in mid-run. The product is a process of its own here, under daphne."""

import asyncio
import os
import signal
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from typing import Any

import aiohttp

from frontdesk_agent.card import card_to_yaml, parse_card
from tests.conftest import ROOT, Site
from tests.conversations.conftest import Person, card
from tests.support.agent_server import Exchange, ScriptedAgent
from tests.support.waiting import eventually

SAID = "half of it"


class HeldAgent(ScriptedAgent):
    """Says `SAID` to the first question, then waits for `go_on`; answers later ones at once."""

    def __init__(self) -> None:
        super().__init__(self._held, self._good)
        self.go_on = asyncio.Event()

    async def _held(self, exchange: Exchange) -> None:
        await exchange.head()
        await exchange.tokens("half ", "of it")
        await self.go_on.wait()
        await exchange.tokens(" and", " the rest")
        await exchange.done()

    @staticmethod
    async def _good(exchange: Exchange) -> None:
        await exchange.answer("fine")


@asynccontextmanager
async def alice_at(site: Site) -> AsyncIterator[Person]:
    def log_in() -> tuple[dict[str, str], dict[str, str]]:
        with site.client("alice") as client:
            return dict(client.cookies), {"X-CSRFToken": client.cookies["csrftoken"]}

    cookies, headers = await asyncio.to_thread(log_in)
    async with aiohttp.ClientSession(site.url, cookies=cookies, headers=headers) as session:
        yield Person(session)


@asynccontextmanager
async def second_process(site: Site) -> AsyncIterator[Site]:
    """Another server over the same database, under uvicorn."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = ["-m", "uvicorn", "config.asgi:application", "--port", str(port), "--log-level", "warning"]
    paths = os.pathsep.join([str(ROOT), str(ROOT / "platform")])
    environment = {**site.env, "PYTHONPATH": paths, "ALLOW_PRIVATE_ADDRESSES": "true"}
    process = await asyncio.create_subprocess_exec(sys.executable, *command, cwd=ROOT, env=environment)
    second = replace(site, url=f"http://127.0.0.1:{port}")
    try:
        async with aiohttp.ClientSession(second.url) as session:

            async def ready() -> bool:
                with suppress(aiohttp.ClientError):
                    async with session.get("/readyz") as response:
                        return response.status == 200
                return False

            await eventually(ready, within_s=60)
        yield second
    finally:
        process.terminate()
        await process.wait()


async def half_said(site: Site, alice: Person) -> tuple[str, str]:
    """Ask, and wait until the rows hold what was said so far; (conversation, run)."""
    conversation = await alice.conversation()
    status, run = await alice.call("POST", f"conversations/{conversation}/runs/", {"input": "ask_held"})
    assert status == 201, run

    async def stored() -> bool:
        _, messages = await alice.call("GET", f"conversations/{conversation}/messages/")
        return bool(messages["results"][-1]["content"] == SAID)

    await eventually(stored)
    return conversation, str(run["id"])


async def assert_interrupted(alice: Person, conversation: str, run: str) -> None:
    """The run failed as `RUN_INTERRUPTED`, what was said is kept, and the conversation goes on."""

    async def ended() -> Any:
        _, body = await alice.call("GET", f"runs/{run}/")
        return body if body["status"] == "failed" else None

    body = await eventually(ended)
    assert body["error"]["code"] == "RUN_INTERRUPTED"
    assert [(d["status"], d["result"]) for d in body["delegations"]] == [("failed", SAID)]
    _, messages = await alice.call("GET", f"conversations/{conversation}/messages/")
    assert [(m["content"], m["status"]) for m in messages["results"][1:]] == [(SAID, "partial")]
    async with alice.http.get(f"/api/v1/runs/{run}/events/") as response:
        story = await response.text()
    assert story.count("event: run.finished") == 1
    frames = await alice.ask(conversation, "ask_held again")
    assert frames[-1]["status"] == "completed"


async def test_kill_9_and_a_restart(make_site) -> None:
    site = await asyncio.to_thread(make_site)
    async with HeldAgent().serving() as agent:
        await asyncio.to_thread(site.publish, card_to_yaml(parse_card(card("held", agent.port))))
        async with alice_at(site) as alice:
            conversation, run = await half_said(site, alice)
            await asyncio.to_thread(site.kill)
        await asyncio.to_thread(site.start)
        async with alice_at(site) as alice:
            await assert_interrupted(alice, conversation, run)
    await asyncio.to_thread(site.stop)


async def test_sigterm(make_site) -> None:
    site = await asyncio.to_thread(make_site, SHUTDOWN_GRACE_S="0.2")
    async with HeldAgent().serving() as agent:
        await asyncio.to_thread(site.publish, card_to_yaml(parse_card(card("held", agent.port))))
        async with alice_at(site) as alice:
            conversation, run = await half_said(site, alice)
            request = await agent.request()
            await asyncio.to_thread(site.stop)
            await asyncio.wait_for(request.closed.wait(), 5)
        assert site.process is not None
        assert site.process.returncode == 0
        await asyncio.to_thread(site.start)
        async with alice_at(site) as alice:
            await assert_interrupted(alice, conversation, run)
    await asyncio.to_thread(site.stop)


async def test_sigterm_lets_a_run_that_is_nearly_done_end(make_site) -> None:
    site = await asyncio.to_thread(make_site, SHUTDOWN_GRACE_S="20")
    async with HeldAgent().serving() as agent:
        await asyncio.to_thread(site.publish, card_to_yaml(parse_card(card("held", agent.port))))
        async with alice_at(site) as alice:
            _, run = await half_said(site, alice)
            assert site.process is not None
            site.process.send_signal(signal.SIGTERM)
            agent.go_on.set()
            await asyncio.to_thread(site.process.wait, 20)
        await asyncio.to_thread(site.start)
        async with alice_at(site) as alice:
            _, body = await alice.call("GET", f"runs/{run}/")
            assert (body["status"], body["delegations"][0]["result"]) == ("completed", f"{SAID} and the rest")
    await asyncio.to_thread(site.stop)


async def test_a_holder_that_stalls_and_wakes_up_late_can_write_nothing(make_site) -> None:
    lease = {"LEASE_TTL_S": "1.0", "LEASE_HEARTBEAT_S": "0.3"}
    first = await asyncio.to_thread(make_site, **lease)
    async with HeldAgent().serving() as agent:
        await asyncio.to_thread(first.publish, card_to_yaml(parse_card(card("held", agent.port))))
        async with alice_at(first) as alice:
            conversation, run = await half_said(first, alice)
            assert first.process is not None
            os.kill(first.process.pid, signal.SIGSTOP)
        try:
            async with second_process(first) as second, alice_at(second) as alice:
                await assert_interrupted(alice, conversation, run)
                _, before = await alice.call("GET", f"conversations/{conversation}/?state=1")
                agent.go_on.set()
                os.kill(first.process.pid, signal.SIGCONT)

                async def fenced() -> bool:
                    return any("lease_lost" in line for line in first.output)

                await eventually(fenced)
                _, after = await alice.call("GET", f"conversations/{conversation}/?state=1")
                assert after == before
        finally:
            os.kill(first.process.pid, signal.SIGCONT)
            await asyncio.to_thread(first.stop)
