"""Cards, directories and requests for tests of orchestration."""

import uuid
from typing import Any

from frontdesk_agent.card import AgentCard
from orchestration.directory import Directory, Entry
from orchestration.request import RunRequest

_CARD: dict[str, Any] = {
    "display_name": "Echo",
    "version": "1.0.0",
    "owner": "team@example.org",
    "description": "Repeats what it is told. For tests.",
    "capabilities": ["Repeats what one says"],
    "examples": ["say hello", "repeat after me"],
    "timeout_ms": 5000,
    "stateful": False,
    "input_schema_ref": "contracts/v1/AgentRequest",
    "output_schema_ref": "contracts/v1/AgentResponse",
}


def card(name: str = "echo_agent", **fields: Any) -> AgentCard:
    """A valid card; without a transport of its own it is reached in process."""
    fields.setdefault("transport", "inproc")
    if fields["transport"] == "inproc":
        fields.setdefault("entrypoint", "tests.support.inproc_agents.echo")
    return AgentCard(**{**_CARD, "name": name, **fields})


def http_entry(url: str, name: str = "echo_agent", *, secret_allowed: bool = False, **fields: Any) -> Entry:
    """An agent served at `url`, streaming unless `stream_endpoint` is given as None."""
    endpoints = {"endpoint": f"{url}/invoke", "stream_endpoint": f"{url}/stream", "health": f"{url}/health"}
    return Entry(card(name, transport="http", **{**endpoints, **fields}), secret_allowed=secret_allowed)


def directory(*entries: Entry | AgentCard, fallback: str | None = None) -> Directory:
    """A directory of entries or bare cards."""
    return Directory.of(
        [found if isinstance(found, Entry) else Entry(found) for found in entries], fallback=fallback
    )


def request(text: str = "hello", **fields: Any) -> RunRequest:
    """A request of alice's, addressed to `echo_agent` unless `agent` says otherwise."""
    fields = {"agent": "echo_agent", **fields}
    return RunRequest(
        run_id=str(uuid.uuid4()),
        conversation_id=str(uuid.uuid4()),
        user_id="alice",
        input=text,
        trace_id=uuid.uuid4().hex,
        **fields,
    )
