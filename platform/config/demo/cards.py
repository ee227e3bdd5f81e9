"""The sample cards in the registry: brought in when they are new, and never set back afterwards."""

from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

from semver import Version

from frontdesk_agent.card import AgentCard, cards_from_yaml
from registry.mapping import current_card
from registry.models import Agent
from registry.services.importing import import_cards
from registry.services.versions import create_draft, publish

URL_FIELDS = ("endpoint", "stream_endpoint", "health")


def load_cards(folder: Path) -> None:
    """Publishes each card in `folder` that is newer than what the registry has. What people changed stays."""
    cards = [
        card for file in sorted(folder.glob("*.yaml")) for card in cards_from_yaml(file.read_text("utf-8"))
    ]
    new = [card for card in cards if _is_news(card)]
    import_cards(cards=new, by=None, publish_them=True, allow_secrets=True, create_tags=True)


def _is_news(card: AgentCard) -> bool:
    agent = Agent.objects.filter(name=card.name).first()
    if agent is None:
        return True
    return all(
        Version.parse(number) < Version.parse(card.version)
        for number in agent.versions.values_list("version", flat=True)
    )


def live_card(name: str) -> AgentCard | None:
    """The published card of an enabled agent."""
    agent = Agent.objects.filter(name=name, enabled=True).select_related("live").first()
    return current_card(agent.live) if agent and agent.live else None


def local_port(card: AgentCard) -> int | None:
    """The port on this machine that a card points to; None when it points elsewhere."""
    url = urlsplit(card.endpoint or "")
    return url.port if url.hostname in ("127.0.0.1", "localhost") else None


def move_to_port(card: AgentCard, port: int) -> None:
    """Publishes the card's next version, the same but for the port of its addresses."""
    agent = Agent.objects.get(name=card.name)
    addresses = {field: _with_port(url, port) for field in URL_FIELDS if (url := getattr(card, field))}
    moved = card.model_copy(update={**addresses, "version": _next_free(agent, card.version)})
    draft = create_draft(agent=agent, card=moved, by=None)
    publish(version=draft, by=None, note=f"The demo moved it to port {port}: the one before was in use.")


def _with_port(url: str, port: int) -> str:
    parts = urlsplit(url)
    return urlunsplit(parts._replace(netloc=f"{parts.hostname}:{port}"))


def _next_free(agent: Agent, version: str) -> str:
    taken = set(agent.versions.values_list("version", flat=True))
    following = Version.parse(version).bump_patch()
    while str(following) in taken:
        following = following.bump_patch()
    return str(following)
