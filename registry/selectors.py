"""Reading the registry: who may reach which agents, and the directory of a person."""

from typing import Any

from django.contrib.auth.models import AnonymousUser, User
from django.db.models import Exists, OuterRef, Prefetch, QuerySet

from orchestration.directory import Directory
from registry import directories
from registry.models import Agent, AgentVersion, Reach, RegistryState, Tag
from registry.models.version import AgentVersionQuerySet

Person = User | AnonymousUser | Any


def directory_for(user: Person) -> Directory:
    """Everything `user` may reach right now. One or two queries, and three more after a change.

    Shared and immutable; kept by the registry's revision and the person's groups.
    """
    if not user.is_authenticated or not user.is_active:
        return Directory()
    revision = RegistryState.current()
    groups = None if user.is_superuser else frozenset(user.groups.values_list("pk", flat=True))
    return directories.get(revision, groups, lambda: with_live(reached_by(groups)))


def whole_directory() -> Directory:
    """Every enabled agent that is live: what is made ready before anybody asks."""
    return directories.get(RegistryState.current(), None, lambda: with_live(reached_by(None)))


def reachable_agents(user: Person) -> QuerySet[Agent]:
    """The agents with a live version that `user` may reach, by name, with all that a list shows."""
    if not user.is_authenticated or not user.is_active:
        return Agent.objects.none()
    groups = None if user.is_superuser else frozenset(user.groups.values_list("pk", flat=True))
    return with_live(reached_by(groups))


def reached_by(groups: frozenset[int] | None) -> QuerySet[Agent]:
    """The enabled, published agents open to all or to one of `groups`; None stands for a superuser."""
    agents = Agent.objects.filter(enabled=True, live__isnull=False)
    if groups is None:
        return agents
    rows = Reach.objects.filter(agent=OuterRef("pk"))
    return agents.filter(~Exists(rows) | Exists(rows.filter(group__in=groups)))


def with_live(agents: QuerySet[Agent]) -> QuerySet[Agent]:
    """With the live version, owner, parent and tags loaded: a list costs two queries however long it is."""
    tags = Prefetch("tags", Tag.objects.order_by("name"))
    return (
        agents.select_related("live", "owner_user", "team", "parent").prefetch_related(tags).order_by("name")
    )


def versions_of(agent: Agent) -> AgentVersionQuerySet:
    """Newest first."""
    found = AgentVersion.objects.filter(agent=agent)
    return found.select_related("created_by", "published_by").order_by("-precedence", "-pk")


def newest_draft(agent: Agent) -> AgentVersion | None:
    """The draft with the highest number."""
    return versions_of(agent).filter(state=AgentVersion.State.DRAFT).first()
