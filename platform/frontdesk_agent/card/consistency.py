"""Rules between the fields of a card."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from frontdesk_agent.card.errors import FieldError, fault
from frontdesk_agent.card.rules import split_arrow

_REMOTE_FIELDS: Final = ("endpoint", "stream_endpoint", "health")
_PROMPT_FIELDS: Final = ("system_prompt", "model", "tools", "skills", "mcp_servers")
_TRANSPORTS: Final = frozenset({"http", "mcp", "a2a", "grpc"})


def contradictions(card: Mapping[str, Any]) -> list[FieldError]:
    """What does not fit together in `card`, a mapping by field name.

    It is asked also when single fields are wrong, so it takes values of any type and says nothing about
    what is wrong by itself.
    """
    return [*_to_itself(card), *_reachable(card), *_prompt(card)]


def _to_itself(card: Mapping[str, Any]) -> Iterator[FieldError]:
    name = card.get("name")
    if not isinstance(name, str) or not name:
        return
    if card.get("parent") == name:
        yield fault("parent", "must not be the agent itself")
    if card.get("fallback") == name:
        yield fault("fallback", "must be another agent")
    not_for = card.get("not_for")
    for position, item in enumerate(not_for if isinstance(not_for, list | tuple) else ()):
        if _target(item) == name:
            yield fault(f"not_for.{position}", "must send people to another agent, not to this one")


def _target(item: Any) -> Any:
    if isinstance(item, Mapping):
        return item.get("agent") or _target(item.get("text"))
    return split_arrow(item)[1] if isinstance(item, str) else getattr(item, "agent", None)


def _reachable(card: Mapping[str, Any]) -> Iterator[FieldError]:
    transport = card.get("transport")
    if transport == "inproc":
        if not card.get("entrypoint"):
            yield fault(
                "entrypoint", "is required for inproc: a dotted path such as my_agents.faq.agent, or prompt"
            )
        for field in _REMOTE_FIELDS:
            if card.get(field):
                yield fault(field, "is not used by inproc; remove it or choose another transport")
    elif isinstance(transport, str) and transport in _TRANSPORTS:
        if not card.get("endpoint"):
            yield fault("endpoint", f"is required for {transport}: the URL where the agent answers")
        if card.get("entrypoint"):
            yield fault("entrypoint", f"is only for inproc; {transport} agents have an endpoint")


def _prompt(card: Mapping[str, Any]) -> Iterator[FieldError]:
    entrypoint = card.get("entrypoint")
    if entrypoint == "prompt":
        if not card.get("system_prompt"):
            yield fault(
                "system_prompt", "is required when entrypoint is prompt: what the agent is told to be"
            )
        return
    for field in _PROMPT_FIELDS:
        if card.get(field):
            yield fault(field, "is only for entrypoint: prompt")
