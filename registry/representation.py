"""Cards as people outside may see them: where an agent runs, and which secret it uses, is for insiders.

An insider is whoever may view agents in the admin.
"""

from typing import Any

from frontdesk_agent.card import CardError
from registry.directories import entry_of
from registry.mapping import CARD_FIELDS, recorded_card
from registry.models import Agent, AgentVersion

PUBLIC_FIELDS = (
    "name", "display_name", "version", "owner", "description", "tags", "parent",
    "capabilities", "examples", "not_for",
    "transport", "stateful", "timeout_ms", "required_context", "requires_approval", "fallback",
)  # fmt: skip
"""A list of what is open, so that a new field of the card stays inside until somebody puts it here."""


def agent_json(agent: Agent, *, insider: bool) -> dict[str, Any] | None:
    """`{…card, health_status}`; None for an agent that is in no directory, such as one with a broken card."""
    entry = entry_of(agent)
    if entry is None:
        return None
    card = _visible(entry.card.model_dump(mode="json"), insider=insider)
    return card | {"health_status": _health_status(agent, insider=insider)}


def version_json(version: AgentVersion, agent: Agent, *, insider: bool) -> dict[str, Any]:
    """`{…card, state, live, published_at}` of one version; insiders also get `note` and `published_by`."""
    version.agent = agent
    shown = _visible(_recorded(version), insider=insider) | {
        "state": version.state,
        "live": version.pk == agent.live_id,
        "published_at": version.published_at,
    }
    return shown | _who_and_why(version) if insider else shown


def _recorded(version: AgentVersion) -> dict[str, Any]:
    """The card as it was saved; its bare columns when a rule has become stricter since."""
    try:
        return recorded_card(version).model_dump(mode="json")
    except CardError:
        columns = {name: getattr(version, name) for name in CARD_FIELDS if name != "name"}
        return {"name": version.agent.name} | columns


def _who_and_why(version: AgentVersion) -> dict[str, Any]:
    who = version.published_by.get_username() if version.published_by else None
    return {"note": version.note, "published_by": who}


def _visible(card: dict[str, Any], *, insider: bool) -> dict[str, Any]:
    return card if insider else {name: card[name] for name in PUBLIC_FIELDS}


def _health_status(agent: Agent, *, insider: bool) -> dict[str, Any]:
    shown = {"ok": agent.health_ok, "checked_at": agent.health_checked_at}
    if not insider:
        return shown
    return shown | {"latency_ms": agent.health_latency_ms, "detail": agent.health_detail}
