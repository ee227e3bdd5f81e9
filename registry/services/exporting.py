"""Cards to YAML, the way they are kept in Git."""

from collections.abc import Iterable

from frontdesk_agent.card import card_to_yaml
from registry.errors import RegistryError
from registry.mapping import current_card
from registry.models import Agent
from registry.selectors import newest_draft


def export_cards(*, names: Iterable[str] = ()) -> dict[str, str]:
    """YAML by agent name: the live card, or the newest draft of an agent that was never published.

    Without `names`, of all agents. Raises RegistryError naming the agents that do not exist.
    """
    wanted = list(names)
    agents = Agent.objects.select_related("live", "parent").prefetch_related("tags")
    found = {agent.name: agent for agent in (agents.filter(name__in=wanted) if wanted else agents)}
    if missing := [name for name in wanted if name not in found]:
        raise RegistryError("There is no agent called " + ", ".join(missing) + ".")
    versions = {name: agent.live or newest_draft(agent) for name, agent in found.items()}
    return {name: card_to_yaml(current_card(version)) for name, version in versions.items() if version}
