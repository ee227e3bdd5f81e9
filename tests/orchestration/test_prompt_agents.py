"""Prompt agents: a language model that a card tells what to be, over real HTTP."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from typing import Any

import pytest

from frontdesk_agent.card import AgentCard
from frontdesk_agent.contract import HistoryItem
from orchestration.directory import Entry
from orchestration.health import probe
from orchestration.language_models import ModelSettings
from orchestration.request import Outcome
from orchestration.supervisor import Supervisor
from tests.orchestration.conftest import ENVIRONMENT
from tests.support.directories import card, directory, request
from tests.support.openai_server import OpenAIServer, Reply, says
from tests.support.sinks import CollectingSink

POET = {
    "display_name": "Poet",
    "description": "Writes verse.",
    "entrypoint": "prompt",
    "system_prompt": "Rhyme.",
}


@pytest.fixture
def server() -> Iterator[OpenAIServer]:
    with OpenAIServer() as running:
        yield running


@pytest.fixture
async def desk(server: OpenAIServer) -> AsyncIterator[Supervisor]:
    models = ModelSettings(
        base_url=server.base_url, api_key="hunter2", model="first", fallbacks=("second",), first_token_s=5
    )
    made = Supervisor(replace(ENVIRONMENT, models=models))
    yield made
    await made.aclose()


def poet(**fields: Any) -> AgentCard:
    return card(**{**POET, **fields})


async def ask(desk: Supervisor, sink: CollectingSink, agent: AgentCard, **fields: Any) -> Outcome:
    return await desk.supervise(request("a poem", **fields), directory(agent), sink)


async def test_it_streams_and_counts(desk: Supervisor, server: OpenAIServer, sink: CollectingSink) -> None:
    server.script(says("Ro", "ses", usage=(11, 7)))
    history = (HistoryItem(role="user", content="hi"), HistoryItem(role="assistant", content="ho"))
    outcome = await ask(desk, sink, poet(), history=history, context={"city": "Suzhou"})
    assert outcome.status == "completed"
    assert outcome.usage == {"input_tokens": 11, "output_tokens": 7}
    assert [delta.text for delta in sink.of("message.delta")] == ["Ro", "ses"]
    asked = server.requests[0]
    assert asked.body["model"] == "first"
    assert [(m["role"], m["content"]) for m in asked.messages[1:]] == [
        ("user", "hi"),
        ("assistant", "ho"),
        ("user", "a poem"),
    ]
    system = asked.messages[0]["content"]
    assert all(system.count(part) == 1 for part in ("Rhyme.", "You are Poet. Writes verse.", "Suzhou"))


async def test_the_card_chooses_its_model(
    desk: Supervisor, server: OpenAIServer, sink: CollectingSink
) -> None:
    server.script(says("x"))
    await ask(desk, sink, poet(model="own"))
    assert server.requests[0].body["model"] == "own"


@pytest.mark.parametrize(
    "failing",
    [Reply(status=500), Reply(status=429), Reply(status=404), Reply(body=b'{"half'), Reply(), says("")],
)
async def test_the_next_model_answers(
    desk: Supervisor, server: OpenAIServer, sink: CollectingSink, failing: Reply
) -> None:
    server.script(failing, says("Roses"))
    outcome = await ask(desk, sink, poet())
    assert (outcome.status, sink.text) == ("completed", "Roses")
    assert [asked.body["model"] for asked in server.requests] == ["first", "second"]


@pytest.mark.parametrize(
    ("failing", "code"),
    [
        (Reply(status=500, error="hunter2"), "MODEL_UNAVAILABLE"),
        (Reply(status=401, error="hunter2"), "MODEL_UNAVAILABLE"),
        (Reply(status=429, error="hunter2"), "RATE_LIMITED"),
        (Reply(tool_calls=[("nobody_offered_it", {})]), "MODEL_UNAVAILABLE"),
    ],
)
async def test_all_models_fail(
    desk: Supervisor, server: OpenAIServer, sink: CollectingSink, failing: Reply, code: str
) -> None:
    server.script(failing, failing)
    outcome = await ask(desk, sink, poet())
    assert outcome.error is not None
    assert outcome.error["code"] == code
    assert "hunter2" not in outcome.error["message"]
    assert len(server.requests) == 2


@pytest.mark.parametrize("broken", [says("Ro", "ses", break_after=1), says("Ro", "ses", fail_after=1)])
async def test_broken_off_it_is_not_said_again(
    desk: Supervisor, server: OpenAIServer, sink: CollectingSink, broken: Reply
) -> None:
    server.script(broken, says("Violets"))
    outcome = await ask(desk, sink, poet())
    assert outcome.error is not None
    assert outcome.error["code"] == "STREAM_INTERRUPTED"
    assert sink.text == "Ro"
    assert sink.one("message.completed").status == "partial"
    assert len(server.requests) == 1


async def test_silence_is_given_up(server: OpenAIServer, sink: CollectingSink) -> None:
    models = ModelSettings(base_url=server.base_url, model="first", fallbacks=("second",), first_token_s=0.3)
    desk = Supervisor(replace(ENVIRONMENT, models=models))
    server.script(says("late", hold_before=0), says("Roses"))
    outcome = await ask(desk, sink, poet())
    await desk.aclose()
    assert (outcome.status, sink.text) == ("completed", "Roses")
    await asyncio.to_thread(server.requests[0].wait_disconnected)


async def test_the_card_s_deadline_holds(
    desk: Supervisor, server: OpenAIServer, sink: CollectingSink
) -> None:
    server.script(says("Ro", "ses", hold_before=1))
    await desk.warm(directory(poet()))  # importing the client takes longer than this deadline
    outcome = await ask(desk, sink, poet(timeout_ms=500))
    assert outcome.error is not None
    assert outcome.error["code"] == "AGENT_TIMEOUT"
    assert sink.one("delegation.finished").status == "timed_out"
    await asyncio.to_thread(server.requests[0].wait_disconnected)


async def test_stop_closes_the_request(desk: Supervisor, server: OpenAIServer, sink: CollectingSink) -> None:
    server.script(says("Ro", "ses", hold_before=1))
    run = asyncio.create_task(ask(desk, sink, poet()))
    await sink.until("message.delta")
    run.cancel()
    await asyncio.wait([run])
    assert run.cancelled()
    await asyncio.to_thread(server.requests[0].wait_disconnected)


async def test_without_a_model(sink: CollectingSink) -> None:
    desk = Supervisor(ENVIRONMENT)
    outcome = await ask(desk, sink, poet())
    await desk.aclose()
    assert outcome.error is not None
    assert outcome.error["code"] == "MODEL_UNAVAILABLE"
    assert not (await probe(Entry(poet()), ENVIRONMENT)).ok


async def test_tools_are_refused(desk: Supervisor, server: OpenAIServer, sink: CollectingSink) -> None:
    outcome = await ask(desk, sink, poet(skills=("rhyming",)))
    assert outcome.error is not None
    assert outcome.error["code"] == "NOT_ALLOWED"
    assert server.requests == []
