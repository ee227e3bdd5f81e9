"""What is refused before an agent is called, and how credentials reach it."""

from dataclasses import replace
from typing import Any

import pytest

from orchestration.supervisor import Supervisor
from tests.orchestration.conftest import ENVIRONMENT, Ask, AskHttp, with_secret
from tests.support.agent_server import Exchange, ScriptedAgent
from tests.support.directories import card, directory, http_entry, request
from tests.support.sinks import CollectingSink

BEARER = {"type": "bearer", "secret_ref": "AGENT_SECRET_ECHO"}


async def answer(exchange: Exchange) -> None:
    await exchange.answer("hi")


@pytest.mark.parametrize("field", ["input_schema_ref", "output_schema_ref"])
async def test_another_major_of_the_contract(ask_http: AskHttp, sink: CollectingSink, field: str) -> None:
    outcome, agent = await ask_http(answer, **{field: "contracts/v2/Anything"})

    assert outcome.error["code"] == "CONTRACT_MISMATCH"
    assert agent.requests == []
    finished = sink.one("delegation.finished")
    assert (finished.status, finished.attempts) == ("failed", 0)


async def test_missing_context(ask_http: AskHttp, sink: CollectingSink) -> None:
    outcome, agent = await ask_http(answer, required_context=["vin", "car_model"])

    assert outcome.error["code"] == "CONTEXT_MISSING"
    assert "vin, car_model" in outcome.error["message"]
    assert agent.requests == []


async def test_context_that_is_there(ask: Ask) -> None:
    async with ScriptedAgent(answer).serving() as agent:
        entry = http_entry(agent.url, required_context=["vin"])
        outcome = await ask(entry, context={"vin": "LSV1"})
    assert outcome.status == "completed"


@pytest.mark.parametrize(
    ("auth", "header", "value"),
    [
        (BEARER, "authorization", "Bearer s3cret"),
        ({"type": "apikey", "secret_ref": "AGENT_SECRET_ECHO"}, "x-api-key", "s3cret"),
    ],
)
async def test_credentials(sink: CollectingSink, auth: dict[str, str], header: str, value: str) -> None:
    received = await _ask_with(sink, secret="s3cret", allowed=True, auth=auth)
    assert received.requests[0].headers[header] == value


@pytest.mark.parametrize(
    ("secret", "allowed"),
    [(None, True), ("s3cret", False), ("s3\ncret", True), ("密码", True)],
    ids=["unresolvable", "not allowed by an admin", "a line break in it", "not ASCII"],
)
async def test_no_credentials(sink: CollectingSink, secret: str | None, *, allowed: bool) -> None:
    agent = await _ask_with(sink, secret=secret, allowed=allowed, auth=BEARER)

    error = sink.one("delegation.finished").error
    assert error["code"] == "AGENT_AUTH_FAILED"
    assert agent.requests == []
    assert (secret or "AGENT_SECRET_ECHO") not in error["message"]


async def test_mutual_tls_is_refused(sink: CollectingSink) -> None:
    await _ask_with(sink, secret="s3cret", allowed=True, auth={"type": "mtls"})
    assert sink.one("delegation.finished").error["code"] == "AGENT_AUTH_FAILED"


async def test_a_transport_that_is_not_there(ask: Ask) -> None:
    outcome = await ask(directory(card(transport="grpc", endpoint="https://agents.example.org")))
    assert outcome.error["code"] == "AGENT_UNAVAILABLE"


async def test_a_private_address(sink: CollectingSink) -> None:
    supervisor = Supervisor(replace(ENVIRONMENT, allow_private=False))
    try:
        async with ScriptedAgent(answer).serving() as agent:
            for host in ("127.0.0.1", "localhost"):
                url = agent.url.replace("127.0.0.1", host)
                outcome = await supervisor.supervise(request(), directory(http_entry(url)), CollectingSink())
                assert outcome.error is not None
                assert outcome.error["code"] == "NOT_ALLOWED"
                assert host not in outcome.error["message"]
            assert agent.requests == []
    finally:
        await supervisor.aclose()


async def _ask_with(
    sink: CollectingSink, *, secret: str | None, allowed: bool, **fields: Any
) -> ScriptedAgent:
    supervisor = Supervisor(with_secret(secret))
    try:
        async with ScriptedAgent(answer).serving() as agent:
            entry = http_entry(agent.url, secret_allowed=allowed, **fields)
            await supervisor.supervise(request(), directory(entry), sink)
            return agent
    finally:
        await supervisor.aclose()
