"""Changes of what lives on an agent: who answers for it, who may reach it, what it may use."""

from collections.abc import Iterable
from typing import Any

from django.contrib.auth.models import Group, User
from django.db import transaction
from django.db.models import Q
from django.utils.translation import gettext as _

from frontdesk_agent.card import AgentCard
from registry.errors import RegistryError
from registry.models import Agent, AgentVersion, RegistryState, Tag
from registry.services.checks import check_new_agent, check_secret_refs, find_parent
from registry.services.permissions import Actor, require
from registry.services.rows import write_draft

KEEP: Any = object()
"""The value of a keyword that was not given: what the agent has stays."""


@transaction.atomic
def create_agent(
    *,
    card: AgentCard,
    by: Actor,
    owner_user: User | None = KEEP,
    team: Group | None = None,
    groups: Iterable[Group] = (),
    create_tags: bool = False,
    note: str = "",
) -> AgentVersion:
    """Register an agent with `card` as its first draft, which is returned.

    Without `owner_user` the owner is linked to the login with that e-mail or name, if there is one.
    Raises RegistryError or CardError, with the field, when the card does not fit.
    """
    require(by, "add_agent")
    RegistryState.bump()
    check_new_agent(card)
    agent = Agent.objects.create(name=card.name, owner=card.owner, owner_user=login_of(card.owner), team=team)
    if owner_user is not KEEP and owner_user is not None:
        Agent.objects.filter(pk=agent.pk).update(owner_user=owner_user)
    agent.groups.set(groups)
    apply_agent_fields(agent, card, create_tags=create_tags)
    return write_draft(AgentVersion(agent=agent, created_by=by, note=note), card)


@transaction.atomic
def update_agent(
    *,
    agent: Agent,
    by: Actor,
    owner_user: User | None = KEEP,
    team: Group | None = KEEP,
    groups: Iterable[Group] = KEEP,
    enabled: bool = KEEP,
) -> Agent:
    """Change who answers for an agent and who may reach it; what is not given stays."""
    require(by, "change_agent")
    RegistryState.bump()
    given = {"owner_user": owner_user, "team": team, "enabled": enabled}
    changed = {name: value for name, value in given.items() if value is not KEEP}
    for name, value in changed.items():
        setattr(agent, name, value)
    agent.save(update_fields=[*changed, "updated_at"])
    if groups is not KEEP:
        agent.groups.set(groups)
    return agent


@transaction.atomic
def set_agent_fields(*, agent: Agent, card: AgentCard, by: Actor, create_tags: bool = False) -> Agent:
    """Take over the card's owner, tags and parent; its version stays. Raises RegistryError."""
    require(by, "change_agent")
    RegistryState.bump()
    apply_agent_fields(agent, card, create_tags=create_tags)
    return agent


def set_enabled(*, agent: Agent, enabled: bool, by: Actor) -> Agent:
    """Take an agent out of, or back into, every directory."""
    return update_agent(agent=agent, by=by, enabled=enabled)


@transaction.atomic
def set_allowed_secrets(*, agent: Agent, refs: Iterable[str], by: Actor) -> Agent:
    """Say which secrets an agent's card may name and have resolved. Needs the permission `allow_secrets`."""
    require(by, "allow_secrets")
    wanted = sorted(set(refs))
    check_secret_refs(wanted)
    RegistryState.bump()
    agent.allowed_secrets = wanted
    agent.save(update_fields=["allowed_secrets", "updated_at"])
    return agent


def apply_agent_fields(agent: Agent, card: AgentCard, *, create_tags: bool = False) -> None:
    """Take over the card's owner, tags and parent, which live on the agent. Raises RegistryError."""
    if agent.owner != card.owner:
        agent.owner, agent.owner_user = card.owner, login_of(card.owner)
    agent.parent = find_parent(agent.name, card.parent)
    agent.save(update_fields=["owner", "owner_user", "parent", "updated_at"])
    agent.tags.set(tags_called(card.tags, create=create_tags))


def tags_called(names: Iterable[str], *, create: bool) -> list[Tag]:
    """The tags with these names, in any case; a name outside the vocabulary is added to it, or refused."""
    wanted = list(names)
    known = vocabulary() if wanted else {}
    missing = [name for name in wanted if name.casefold() not in known]
    if missing and not create:
        raise RegistryError(_("Not in the vocabulary of tags: %s.") % ", ".join(missing), field="tags")
    return [known.get(name.casefold()) or Tag.objects.create(name=name) for name in wanted]


def vocabulary() -> dict[str, Tag]:
    """Every tag by its case-folded name."""
    return {tag.name.casefold(): tag for tag in Tag.objects.all()}


def login_of(owner: str) -> User | None:
    """The one active person whose e-mail or login name is `owner`."""
    found = User.objects.filter(Q(email__iexact=owner) | Q(username__iexact=owner), is_active=True)[:2]
    return found[0] if len(found) == 1 else None
