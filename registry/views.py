"""The directory: which agents a person can ask, and what each is good for."""

from dataclasses import dataclass

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render

from frontdesk_agent.card import AgentCard
from registry.directories import entry_of
from registry.models import Agent
from registry.selectors import reachable_agents


@dataclass(frozen=True, slots=True)
class Listed:
    """An agent with its live card."""

    agent: Agent
    card: AgentCard

    @property
    def words(self) -> str:
        """Everything a person may search for, case-folded."""
        card = self.card
        texts = [card.name, card.display_name, card.description, card.owner]
        return "\n".join([*texts, *card.tags, *card.capabilities, *card.examples]).casefold()


@login_required
def agents(request: HttpRequest) -> HttpResponse:
    """All that this person can reach; `?q=` searches their words, `?tag=` keeps those with a tag."""
    query, tag = request.GET.get("q", "").strip(), request.GET.get("tag", "")
    listed = _listed(request)
    context = {
        "listed": [one for one in listed if _matches(one, query, tag)],
        "total": len(listed),
        "query": query,
        "tag": tag,
        "tags": sorted({name for one in listed for name in one.card.tags}),
    }
    return render(request, "registry/agents.html", context)


@login_required
def agent(request: HttpRequest, name: str) -> HttpResponse:
    """One agent's card, as people see it. One that may not be reached does not exist."""
    listed = {one.card.name: one for one in _listed(request)}
    if name not in listed:
        raise Http404
    return render(request, "registry/agent.html", {"one": listed[name], "listed": listed})


def _listed(request: HttpRequest) -> list[Listed]:
    # Searched here and not by the database: SQLite stores the lists as JSON with escaped characters,
    # in which it finds no Chinese word.
    found = ((agent, entry_of(agent)) for agent in reachable_agents(request.user))
    return [Listed(agent, entry.card) for agent, entry in found if entry]


def _matches(one: Listed, query: str, tag: str) -> bool:
    if tag and tag not in one.card.tags:
        return False
    return all(word in one.words for word in query.casefold().split())
