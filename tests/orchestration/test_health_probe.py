"""Probing an agent on demand."""

from dataclasses import replace

import pytest

from orchestration import health
from orchestration.directory import Entry
from orchestration.health import probe
from tests.orchestration.conftest import ENVIRONMENT
from tests.support.agent_server import Exchange, Script, ScriptedAgent
from tests.support.directories import card, http_entry


def say(body: bytes, status: str = "200 OK") -> Script:
    async def script(exchange: Exchange) -> None:
        await exchange.body(body, status=status, content_type="application/json")

    return script


async def nothing(exchange: Exchange) -> None:
    await exchange.request.closed.wait()


async def test_well() -> None:
    async with ScriptedAgent(say(b'{"status": "ok"}')).serving() as agent:
        found = await probe(http_entry(agent.url), ENVIRONMENT)
    assert found.ok
    assert found.latency_ms is not None
    assert (agent.requests[0].method, agent.requests[0].path) == ("GET", "/health")


@pytest.mark.parametrize(
    "script",
    [say(b'{"status": "sick"}'), say(b"<html>hunter2"), say(b"{}", "503 Away"), say(b"", "302 Found")],
)
async def test_unwell(script: Script) -> None:
    async with ScriptedAgent(script).serving() as agent:
        found = await probe(http_entry(agent.url), ENVIRONMENT)
    assert not found.ok
    assert found.latency_ms is None
    assert "hunter2" not in found.detail


async def test_no_answer_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(health, "TIMEOUT_S", 0.1)
    async with ScriptedAgent(nothing).serving() as agent:
        found = await probe(http_entry(agent.url), ENVIRONMENT)
    assert not found.ok
    assert "0.1 s" in found.detail


async def test_down() -> None:
    async with ScriptedAgent(nothing).serving() as agent:
        url = agent.url
    assert "cannot be reached" in (await probe(http_entry(url), ENVIRONMENT)).detail


async def test_an_address_that_is_not_allowed() -> None:
    guarded = replace(ENVIRONMENT, allow_private=False)
    async with ScriptedAgent(say(b'{"status": "ok"}')).serving() as agent:
        found = await probe(http_entry(agent.url), guarded)
        assert agent.requests == []
    assert not found.ok


async def test_no_health_address() -> None:
    found = await probe(http_entry("http://127.0.0.1:1", health=None), ENVIRONMENT)
    assert not found.ok
    assert "no health address" in found.detail


async def test_in_process() -> None:
    assert (await probe(Entry(card()), ENVIRONMENT)).ok
    missing = card(entrypoint="tests.support.inproc_agents.missing")
    assert not (await probe(Entry(missing), ENVIRONMENT)).ok
