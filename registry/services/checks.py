"""What is asked of a card beyond its own rules: how it fits the registry and the settings."""

from collections.abc import Iterable, Sequence
from urllib.parse import urlsplit

from django.conf import settings
from django.utils.translation import gettext as _

from frontdesk_agent.card import AgentCard, check_entrypoint
from frontdesk_agent.secret_refs import REFERENCE_RULE, is_secret_ref
from registry.errors import RegistryError
from registry.models import Agent, AgentVersion
from registry.models.agent import cycle_sentence, parent_cycle


def check_new_agent(card: AgentCard) -> None:
    """Raises RegistryError or CardError."""
    if Agent.objects.filter(name=card.name).exists():
        raise RegistryError(_("There is already an agent called %s.") % card.name, field="name")
    check_entrypoint(card, settings.INPROC_ALLOWED)


def check_card(card: AgentCard, agent: Agent, draft: AgentVersion | None = None) -> None:
    """May `card` be a draft of `agent` (the row `draft`, or a new one)? Raises RegistryError or CardError."""
    check_entrypoint(card, settings.INPROC_ALLOWED)
    check_name(card, agent)
    taken = agent.versions.filter(version=card.version).exclude(pk=draft.pk if draft else 0)
    if taken.exists():
        raise RegistryError(
            _("There is already a version %s; choose a higher number.") % card.version, field="version"
        )


def check_name(card: AgentCard, agent: Agent) -> None:
    """A name may change only until the first version is published, and to a free one."""
    if card.name == agent.name:
        return
    if agent.versions.published().exists():
        raise RegistryError(
            _("The name %s was published and never changes; register another agent instead.") % agent.name,
            field="name",
        )
    if Agent.objects.filter(name=card.name).exists():
        raise RegistryError(_("There is already an agent called %s.") % card.name, field="name")


def find_parent(name: str, parent: str | None) -> Agent | None:
    """The agent called `parent`, when the agent called `name` may hang under it. Raises RegistryError."""
    if not parent:
        return None
    found = Agent.objects.filter(name=parent).first()
    if found is None and parent != name:
        raise RegistryError(_("There is no agent called %s.") % parent, field="parent")
    cycle = [name] if found is None else parent_cycle(name, found)
    if cycle:
        raise RegistryError(cycle_sentence(cycle), field="parent")
    return found


def warnings_for(version: AgentVersion, card: AgentCard) -> list[str]:
    """What is worth a look but stops nothing."""
    return [
        *_unknown_targets(card),
        *_number_warning(version),
        *_secret_warning(version.agent, card),
        *_host_warning(version.agent, card),
    ]


def _unknown_targets(card: AgentCard) -> list[str]:
    targets = {item.agent: "not_for" for item in card.not_for if item.agent}
    if card.fallback:
        targets[card.fallback] = "fallback"
    known = set(Agent.objects.filter(name__in=targets).values_list("name", flat=True))
    return [
        _("%(field)s names %(agent)s, which is not registered (yet).") % {"field": field, "agent": name}
        for name, field in targets.items()
        if name not in known
    ]


def _number_warning(version: AgentVersion) -> Sequence[str]:
    live = version.agent.live
    if live is None or bytes(live.precedence) < bytes(version.precedence):
        return []
    return [
        _("%(new)s is not higher than %(old)s, which was live.")
        % {"new": version.version, "old": live.version}
    ]


def _secret_warning(agent: Agent, card: AgentCard) -> Sequence[str]:
    ref = card.auth.secret_ref
    if not ref or ref in agent.allowed_secrets:
        return []
    return [_("It may not use its secret %s until an admin allows it.") % ref]


def _host_warning(agent: Agent, card: AgentCard) -> Sequence[str]:
    """An allowed secret goes wherever the card points: whoever publishes should see that it moved."""
    if agent.live is None or card.auth.secret_ref not in agent.allowed_secrets:
        return []
    before = {agent.live.endpoint, agent.live.stream_endpoint}
    now = {card.endpoint, card.stream_endpoint}
    new = sorted(_hosts(now) - _hosts(before))
    return [_("Its secret is now sent to another host: %s.") % ", ".join(new)] if new else []


def _hosts(urls: Iterable[str | None]) -> set[str]:
    return {urlsplit(url).netloc for url in urls if url}


def check_secret_refs(refs: Iterable[str]) -> None:
    """Raises RegistryError, which repeats no value: it may be a secret that was pasted."""
    for row, ref in enumerate(refs):
        if not is_secret_ref(ref):
            raise RegistryError(f"allowed_secrets.{row} {REFERENCE_RULE}", field=f"allowed_secrets.{row}")
