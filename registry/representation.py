"""Cards as people outside may see them: where an agent runs, and which secret it uses, is for staff."""

from typing import Any

from registry.mapping import current_card, recorded_card
from registry.models import Agent, AgentVersion

PUBLIC_FIELDS = (
    "name", "display_name", "version", "owner", "description", "tags", "parent",
    "capabilities", "examples", "not_for",
    "transport", "stateful", "timeout_ms", "required_context", "requires_approval", "fallback",
)  # fmt: skip
"""A list of what is open, so that a new field of the card stays inside until somebody puts it here."""


def agent_json(agent: Agent, *, staff: bool) -> dict[str, Any]:
    """`{…card, health}` of an agent with a live version."""
    version = agent.live
    if version is None:
        raise ValueError("the agent has no live version")
    version.agent = agent
    return card_json(current_card(version).model_dump(mode="json"), staff=staff) | {
        "health": _health(agent, staff=staff)
    }


def version_json(version: AgentVersion, agent: Agent, *, staff: bool) -> dict[str, Any]:
    """`{…card, state, live, note, published_at, published_by}` of one version."""
    version.agent = agent
    who = version.published_by.get_username() if version.published_by else None
    return card_json(recorded_card(version).model_dump(mode="json"), staff=staff) | {
        "state": version.state,
        "live": version.pk == agent.live_id,
        "note": version.note,
        "published_at": version.published_at,
        "published_by": who,
    }


def card_json(card: dict[str, Any], *, staff: bool) -> dict[str, Any]:
    """The fields of a card that the reader may see."""
    return card if staff else {name: card[name] for name in PUBLIC_FIELDS}


def _health(agent: Agent, *, staff: bool) -> dict[str, Any]:
    shown = {"ok": agent.health_ok, "checked_at": agent.health_checked_at}
    return shown | {"latency_ms": agent.health_latency_ms, "detail": agent.health_detail} if staff else shown
