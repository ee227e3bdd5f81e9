"""A whole run: what the supervisor says itself, and how it ends."""

import time

import pytest

from orchestration.supervisor import Supervisor
from tests.orchestration.conftest import Ask
from tests.support.directories import card, directory, request
from tests.support.routing_cards import workshop
from tests.support.sinks import CollectingSink


async def test_an_unknown_agent(ask: Ask, sink: CollectingSink) -> None:
    outcome = await ask(workshop(), "@nobody hi", agent=None)
    assert outcome.status == "failed"
    assert outcome.error is not None
    assert outcome.error["code"] == "AGENT_NOT_FOUND"
    assert "@nobody" in outcome.error["message"]
    assert sink.events == []


@pytest.mark.parametrize(
    ("locale", "words"), [("en", "Here you can ask"), ("zh-hans", "您可以问"), ("fr", "Here you can ask")]
)
async def test_nobody_answers(ask: Ask, sink: CollectingSink, locale: str, words: str) -> None:
    outcome = await ask(workshop(fallback=None), "写一首诗", agent=None, locale=locale)

    assert (outcome.status, outcome.agent) == ("completed", None)
    assert sink.types == ["route.decided", "message.started", "message.delta", "message.completed"]
    assert sink.one("message.started").agent is None
    content = sink.one("message.completed").content
    assert content == sink.text
    assert words in content
    assert "故障诊断" in content


async def test_an_empty_directory(ask: Ask, sink: CollectingSink) -> None:
    outcome = await ask(directory(), "hi", agent=None)
    assert outcome.status == "completed"
    assert "No agent" in sink.text


async def test_the_task_of_a_mention_is_what_follows_it(ask: Ask, sink: CollectingSink) -> None:
    await ask(directory(card()), "@echo_agent hi", agent=None)
    assert sink.one("delegation.started").task == "hi"
    assert sink.text == "echo: hi"


async def test_a_dry_run_calls_nobody(supervisor: Supervisor) -> None:
    decided = await supervisor.route(request("P0171", agent=None), workshop())
    assert decided.agents == [{"agent": "diagnosis_agent", "task": "P0171"}]
    assert decided.type == "route.decided"


async def test_many_runs_at_once_do_not_mix(supervisor: Supervisor) -> None:
    import asyncio

    known = directory(card())
    sinks = [CollectingSink() for _ in range(30)]
    await asyncio.gather(
        *(supervisor.supervise(request(f"n{at}"), known, sink) for at, sink in enumerate(sinks))
    )
    assert [sink.text for sink in sinks] == [f"echo: n{at}" for at in range(30)]


async def test_the_graph_costs_a_few_milliseconds(supervisor: Supervisor) -> None:
    known = directory(card())
    await supervisor.supervise(request(), known, CollectingSink())
    began = time.process_time()
    for _ in range(20):
        await supervisor.supervise(request(), known, CollectingSink())
    assert (time.process_time() - began) / 20 < 0.02
