"""Cards to YAML, the way they are kept in Git."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from frontdesk_agent.card import CardError, card_to_yaml
from registry.errors import RegistryError
from registry.mapping import current_card
from registry.models import Agent
from registry.selectors import newest_draft


@dataclass(slots=True)
class Exported:
    """`cards` is YAML by agent name; `broken` says by agent name why a card cannot be written.

    A card breaks when a rule becomes stricter after it was saved.
    """

    cards: dict[str, str] = field(default_factory=dict)
    broken: dict[str, str] = field(default_factory=dict)


def export_cards(*, names: Iterable[str] | None = None) -> Exported:
    """The live card, or the newest draft of an agent that was never published, of each agent in `names`.

    None stands for all agents. Raises RegistryError naming the agents that do not exist.
    """
    exported = Exported()
    for agent in _agents(names):
        version = agent.live or newest_draft(agent)
        if version is None:
            continue
        version.agent = agent
        try:
            exported.cards[agent.name] = card_to_yaml(current_card(version))
        except CardError as error:
            exported.broken[agent.name] = error.message
    return exported


def _agents(names: Iterable[str] | None) -> list[Agent]:
    agents = Agent.objects.select_related("live", "parent").prefetch_related("tags")
    if names is None:
        return list(agents)
    wanted = list(dict.fromkeys(names))
    found = {agent.name: agent for agent in agents.filter(name__in=wanted)}
    if missing := [name for name in wanted if name not in found]:
        raise RegistryError("There is no agent called " + ", ".join(missing) + ".")
    return list(found.values())
