"""A card's `fallback` answers when its agent is down and nothing was said yet."""

import uuid

from orchestration.ids import delegation_id
from tests.orchestration.conftest import Ask
from tests.support.directories import card, directory
from tests.support.sinks import CollectingSink

HERE = "tests.support.inproc_agents"
SUBSTITUTE = card("substitute_agent", display_name="Substitute", entrypoint=f"{HERE}.echo")


async def test_the_fallback_answers(ask: Ask, sink: CollectingSink) -> None:
    first = card(entrypoint=f"{HERE}.failing", fallback="substitute_agent")
    outcome = await ask(directory(first, SUBSTITUTE), "hi")

    assert (outcome.status, outcome.agent) == ("completed", "substitute_agent")
    assert [event.status for event in sink.of("delegation.finished")] == ["failed", "completed"]
    assert [event.position for event in sink.of("delegation.started")] == [0, 1]
    assert sink.one("message.started").agent == "substitute_agent"
    assert sink.text == "echo: hi"


async def test_the_fallback_is_told_whom_it_stands_in_for(ask: Ask, sink: CollectingSink) -> None:
    second = card("substitute_agent", entrypoint=f"{HERE}.substitute")
    await ask(directory(card(entrypoint=f"{HERE}.failing", fallback="substitute_agent"), second))
    assert sink.text == "instead of Echo"


async def test_not_after_something_was_said(ask: Ask, sink: CollectingSink) -> None:
    first = card(entrypoint=f"{HERE}.failing_midway", fallback="substitute_agent")
    outcome = await ask(directory(first, SUBSTITUTE))

    assert (outcome.status, outcome.agent) == ("failed", "echo_agent")
    assert len(sink.of("delegation.started")) == 1


async def test_not_for_what_the_person_has_to_add(ask: Ask, sink: CollectingSink) -> None:
    first = card(required_context=["vin"], fallback="substitute_agent")
    outcome = await ask(directory(first, SUBSTITUTE))
    assert outcome.error is not None
    assert outcome.error["code"] == "CONTEXT_MISSING"


async def test_not_one_that_cannot_be_reached(ask: Ask, sink: CollectingSink) -> None:
    outcome = await ask(directory(card(entrypoint=f"{HERE}.failing", fallback="substitute_agent")))
    assert outcome.status == "failed"


async def test_two_that_name_each_other_end(ask: Ask, sink: CollectingSink) -> None:
    first = card(entrypoint=f"{HERE}.failing", fallback="substitute_agent")
    second = card("substitute_agent", entrypoint=f"{HERE}.failing", fallback="echo_agent")
    outcome = await ask(directory(first, second))

    assert (outcome.status, outcome.agent) == ("failed", "echo_agent")
    assert len(sink.of("delegation.finished")) == 2


def test_ids_differ_by_position_and_parent() -> None:
    run = str(uuid.uuid4())
    ids = {delegation_id(run, 0), delegation_id(run, 1), delegation_id(run, 0, parent=delegation_id(run, 0))}
    assert len(ids) == 3
