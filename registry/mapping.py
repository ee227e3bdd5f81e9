"""Between a card (the truth) and the columns of a version."""

from collections.abc import Mapping
from typing import Any

from django.db import models

from frontdesk_agent.card import BLOCKS, AgentCard, parse_card
from registry.models import Agent, AgentVersion

CARD_FIELDS: tuple[str, ...] = tuple(field for block in BLOCKS.values() for field in block)
AGENT_FIELDS: tuple[str, ...] = ("owner", "tags", "parent")
"""What lives on the agent: changing these needs no new version."""

VERSION_FIELDS: tuple[str, ...] = tuple(field for field in CARD_FIELDS if field != "name")


def columns(card: AgentCard) -> dict[str, Any]:
    """The values of an AgentVersion's columns for `card`."""
    data = card.model_dump(mode="json", exclude_none=True)
    return {name: data.get(name, _nothing(name)) for name in VERSION_FIELDS}


def _nothing(name: str) -> Any:
    field = AgentVersion._meta.get_field(name)  # noqa: SLF001 - Django documents it
    if isinstance(field, models.JSONField):
        return field.get_default()
    return None if field.null else ""


def recorded_data(version: AgentVersion) -> dict[str, Any]:
    """A version's columns as the mapping that `parse_card` takes, without what is empty."""
    data = {name: getattr(version, name) for name in VERSION_FIELDS}
    return {"name": version.agent.name} | {k: v for k, v in data.items() if v not in ("", None, [], {})}


def current_data(version: AgentVersion) -> dict[str, Any]:
    """The same with the owner, tags and parent that the agent has now."""
    return {k: v for k, v in recorded_data(version).items() if k not in AGENT_FIELDS} | agent_data(
        version.agent
    )


def agent_data(agent: Agent) -> dict[str, Any]:
    """The part of a card that lives on the agent. Uses prefetched tags and parent where there are any."""
    data: dict[str, Any] = {"owner": agent.owner}
    if tags := sorted(tag.name for tag in agent.tags.all()):
        data["tags"] = tags
    if agent.parent:
        data["parent"] = agent.parent.name
    return data


def recorded_card(version: AgentVersion) -> AgentCard:
    """The card as it was when the version was saved."""
    return parse_card(recorded_data(version))


def current_card(version: AgentVersion) -> AgentCard:
    """The card as it holds now. Raises CardError when a rule has become stricter since."""
    return parse_card(current_data(version))


def content(card: AgentCard) -> Mapping[str, Any]:
    """What makes two cards of one version number the same: everything but what lives on the agent."""
    return card.model_dump(mode="json", exclude=set(AGENT_FIELDS))
