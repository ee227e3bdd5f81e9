"""Agents in process: by dotted path, within what is allowed."""

import pytest

from tests.orchestration.conftest import Ask
from tests.support.directories import card, directory
from tests.support.sinks import CollectingSink

HERE = "tests.support.inproc_agents"


async def test_a_function(ask: Ask, sink: CollectingSink) -> None:
    outcome = await ask(directory(card(entrypoint=f"{HERE}.echo")), "你好")
    assert outcome.status == "completed"
    assert sink.text == "echo: 你好"


async def test_a_generator_with_tools(ask: Ask, sink: CollectingSink) -> None:
    await ask(directory(card(entrypoint=f"{HERE}.streaming")))
    assert sink.text == "one two"
    assert sink.one("delegation.tool").name == "look_up"


async def test_a_whole_response(ask: Ask, sink: CollectingSink) -> None:
    await ask(directory(card(entrypoint=f"{HERE}.whole")))
    assert sink.text == "whole"
    assert sink.one("delegation.finished").citations[0]["title"] == "A page"


async def test_silence(ask: Ask, sink: CollectingSink) -> None:
    outcome = await ask(directory(card(entrypoint=f"{HERE}.silent")), locale="zh-hans")
    assert outcome.status == "completed"
    assert sink.one("delegation.finished").empty
    assert "没有给出" in sink.text


@pytest.mark.parametrize(("target", "text"), [("failing", ""), ("failing_midway", "half ")])
async def test_an_exception(ask: Ask, sink: CollectingSink, target: str, text: str) -> None:
    outcome = await ask(directory(card(entrypoint=f"{HERE}.{target}")))
    assert outcome.error is not None
    assert outcome.error["code"] == "AGENT_FAILED"
    assert "hunter2" not in outcome.error["message"]
    assert sink.text == text


@pytest.mark.parametrize(
    ("entrypoint", "code"),
    [
        ("os.system", "NOT_ALLOWED"),
        ("tests.support.inproc_agents_of_others.agent", "NOT_ALLOWED"),
        (f"{HERE}.os.system", "NOT_ALLOWED"),
        (f"{HERE}.os", "NOT_ALLOWED"),
        (f"{HERE}.sys.exit", "NOT_ALLOWED"),
        (f"{HERE}.asyncio.subprocess.os.system", "NOT_ALLOWED"),
        (f"{HERE}.getcwd", "NOT_ALLOWED"),
        (f"{HERE}.Path.cwd", "NOT_ALLOWED"),
        (f"{HERE}.AgentRequest.model_validate", "NOT_ALLOWED"),
        (f"{HERE}.here.rmdir", "NOT_ALLOWED"),
        (f"{HERE}.closed.set", "NOT_ALLOWED"),
        (f"{HERE}_exiting.agent", "AGENT_FAILED"),
        (f"{HERE}.missing", "AGENT_UNAVAILABLE"),
        (f"{HERE}.not_callable", "AGENT_UNAVAILABLE"),
    ],
)
async def test_an_entrypoint_that_cannot_be_used(ask: Ask, entrypoint: str, code: str) -> None:
    outcome = await ask(directory(card(entrypoint=entrypoint)))
    assert outcome.error is not None
    assert outcome.error["code"] == code


async def test_an_object_of_the_module_s_own(ask: Ask, sink: CollectingSink) -> None:
    await ask(directory(card(entrypoint=f"{HERE}.greeter")))
    assert sink.text == "hello from an object"


@pytest.mark.parametrize("target", ["exiting", "exiting_in_a_thread"])
async def test_an_agent_ends_its_answer_and_not_the_process(
    ask: Ask, sink: CollectingSink, target: str
) -> None:
    outcome = await ask(directory(card(entrypoint=f"{HERE}.{target}")))
    assert outcome.error is not None
    assert outcome.error["code"] == "AGENT_FAILED"
    assert "hunter2" not in outcome.error["message"]


async def test_what_an_agent_sends_can_be_stored(ask: Ask, sink: CollectingSink) -> None:
    await ask(directory(card(entrypoint=f"{HERE}.counting")))
    assert sink.one("delegation.tool").arguments == {"n": None, "i": 1e30, "j": None}
    assert sink.text == "counted"


async def test_what_is_no_json_is_an_error(ask: Ask, sink: CollectingSink) -> None:
    outcome = await ask(directory(card(entrypoint=f"{HERE}.not_json")))
    assert outcome.error is not None
    assert outcome.error["code"] == "AGENT_BAD_RESPONSE"
    assert sink.of("delegation.tool") == []


async def test_the_fallback_agent_is_told_the_directory(ask: Ask, sink: CollectingSink) -> None:
    general = card("general_agent", display_name="General", entrypoint=f"{HERE}.metadata")
    await ask(directory(card(), general, fallback="general_agent"), agent="general_agent", locale="zh-hans")
    assert sink.text == "zh-hans ['echo_agent']"
