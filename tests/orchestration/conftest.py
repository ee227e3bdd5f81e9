"""A supervisor per test, and short ways to run one question."""

from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import replace
from typing import Any

import pytest

from orchestration.directory import Directory, Entry
from orchestration.request import Environment, Outcome
from orchestration.supervisor import Supervisor
from tests.support.agent_server import Script, ScriptedAgent
from tests.support.directories import directory, http_entry, request
from tests.support.sinks import CollectingSink

ENVIRONMENT = Environment(
    allow_private=True, inproc_allowed=("tests.support.inproc_agents", "tests.support.inproc_agents_exiting")
)


@pytest.fixture
async def supervisor() -> AsyncIterator[Supervisor]:
    made = Supervisor(ENVIRONMENT)
    yield made
    await made.aclose()


@pytest.fixture
def sink() -> CollectingSink:
    return CollectingSink()


Ask = Callable[..., Awaitable[Outcome]]


@pytest.fixture
def ask(supervisor: Supervisor, sink: CollectingSink) -> Ask:
    """`await ask(entry | directory, text, **request fields)` runs one question to its end."""

    async def run(reached: Entry | Directory, text: str = "hello", **fields: Any) -> Outcome:
        known = reached if isinstance(reached, Directory) else directory(reached)
        return await supervisor.supervise(request(text, **fields), known, sink)

    return run


AskHttp = Callable[..., Awaitable[tuple[Outcome, ScriptedAgent]]]


@pytest.fixture
def ask_http(ask: Ask) -> AskHttp:
    """`await ask_http(script, …, **card fields)` asks an agent that answers by these scripts."""

    async def run(*scripts: Script, **fields: Any) -> tuple[Outcome, ScriptedAgent]:
        async with ScriptedAgent(*scripts).serving() as agent:
            return await ask(http_entry(agent.url, **fields)), agent

    return run


def with_secret(value: str | None) -> Environment:
    """The tests' environment, in which every reference resolves to `value`."""
    return replace(ENVIRONMENT, secret=lambda ref: value)
