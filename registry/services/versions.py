"""The life of a version: drafted, changed, discarded, published."""

from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from frontdesk_agent.card import AgentCard, check_entrypoint
from registry.errors import ImmutableVersionError
from registry.mapping import VERSION_FIELDS, agent_data, current_card
from registry.models import Agent, AgentVersion, RegistryState
from registry.precedence import next_patch
from registry.services.agents import apply_agent_fields
from registry.services.checks import check_card, check_name, find_parent, warnings_for
from registry.services.permissions import Actor, require
from registry.services.rows import write_draft


@dataclass(frozen=True, slots=True)
class Published:
    """A version that is live now, and what is worth a look although it stopped nothing."""

    version: AgentVersion
    warnings: list[str]


@transaction.atomic
def create_draft(
    *, agent: Agent, card: AgentCard, by: Actor, note: str = "", create_tags: bool = False
) -> AgentVersion:
    """Add `card` as a new draft of `agent`. Raises RegistryError or CardError, with the field."""
    require(by, "change_agent")
    RegistryState.bump()
    check_card(card, agent)
    _rename(agent, card)
    apply_agent_fields(agent, card, create_tags=create_tags)
    return write_draft(AgentVersion(agent=agent, created_by=by, note=note), card)


@transaction.atomic
def save_draft(
    *, draft: AgentVersion, card: AgentCard, by: Actor, note: str | None = None, create_tags: bool = False
) -> AgentVersion:
    """Replace what a draft holds. Raises RegistryError, CardError or ImmutableVersionError."""
    require(by, "change_agent")
    RegistryState.bump()
    row = _locked_draft(draft)
    check_card(card, row.agent, row)
    _rename(row.agent, card)
    apply_agent_fields(row.agent, card, create_tags=create_tags)
    row.note = row.note if note is None else note
    return write_draft(row, card)


@transaction.atomic
def new_draft_from(*, version: AgentVersion, by: Actor) -> AgentVersion:
    """Copy a version into a draft with the next patch number that is free.

    Also one that a rule refuses by now, for a draft is where that is mended.
    """
    require(by, "change_agent")
    RegistryState.bump()
    taken = set(version.agent.versions.values_list("version", flat=True))
    number = next_patch(version.version)
    while number in taken:
        number = next_patch(number)
    copied = {name: getattr(version, name) for name in VERSION_FIELDS} | _now_on_agent(version.agent)
    draft = AgentVersion(agent=version.agent, created_by=by, **copied | {"version": number})
    draft.save()
    return draft


@transaction.atomic
def discard_draft(*, draft: AgentVersion, by: Actor) -> None:
    """Delete a draft; a published version raises ImmutableVersionError."""
    require(by, "change_agent")
    RegistryState.bump()
    _locked_draft(draft).delete()


@transaction.atomic
def publish(*, version: AgentVersion, by: Actor, note: str = "") -> Published:
    """Make a draft an immutable version, and the live one. Needs the permission `publish_agent`.

    Everything is checked again, because settings and other agents may have changed since it was saved.
    Raises RegistryError or CardError, with the field, or ImmutableVersionError when it was published before.
    """
    require(by, "publish_agent")
    RegistryState.bump()
    row = _locked_draft(version)
    card = current_card(row)
    check_entrypoint(card, settings.INPROC_ALLOWED)
    check_name(card, row.agent)
    find_parent(row.agent.name, card.parent)
    warnings = warnings_for(row, card)
    _freeze(row, by, note)
    Agent.objects.filter(pk=row.agent_id).update(live=row, updated_at=timezone.now())
    row.refresh_from_db()
    return Published(row, warnings)


def _freeze(row: AgentVersion, by: Actor, note: str) -> None:
    AgentVersion.objects.filter(pk=row.pk).update(
        state=AgentVersion.State.PUBLISHED,
        published_at=timezone.now(),
        published_by=by,
        note=note or row.note,
        **_now_on_agent(row.agent),
    )


def _now_on_agent(agent: Agent) -> dict[str, Any]:
    return {"tags": [], "parent": ""} | agent_data(agent)


def _locked_draft(version: AgentVersion) -> AgentVersion:
    row = (
        AgentVersion.objects.select_for_update(of=("self",))
        .select_related("agent__parent", "agent__live")
        .get(pk=version.pk)
    )
    if not row.is_draft:
        raise ImmutableVersionError(str(row))
    return row


def _rename(agent: Agent, card: AgentCard) -> None:
    if agent.name != card.name:
        agent.name = card.name
        agent.save(update_fields=["name", "updated_at"])
