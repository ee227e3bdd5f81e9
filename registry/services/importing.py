"""Cards from files: seen first as a diff, then all of them or none."""

import difflib
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from enum import StrEnum
from functools import partial
from typing import TypeVar

from django.db import transaction
from django.utils.translation import gettext as _

from frontdesk_agent.card import AgentCard, CardError, card_to_yaml
from frontdesk_agent.errors import ErrorCode, FrontdeskError
from registry.errors import RegistryError
from registry.mapping import content, current_card, recorded_card
from registry.models import Agent, AgentVersion
from registry.selectors import newest_draft
from registry.services.agents import create_agent, set_agent_fields, set_allowed_secrets, vocabulary
from registry.services.permissions import Actor
from registry.services.rows import write_draft
from registry.services.versions import create_draft, publish, save_draft

T = TypeVar("T")


class Action(StrEnum):
    """What an import does with one card."""

    NEW_AGENT = "new agent"
    NEW_VERSION = "new version"
    DRAFT_CHANGED = "draft changed"
    AGENT_CHANGED = "owner, tags or parent changed"
    UNCHANGED = "unchanged"


@dataclass(slots=True)
class Change:
    """What one card did, or would do: `diff` is a unified diff of YAML, empty when nothing differs."""

    card: AgentCard
    action: Action
    version: AgentVersion
    diff: str = ""
    published: bool = False
    warnings: list[str] = field(default_factory=list)


class ImportRefusedError(FrontdeskError):
    """Nothing was imported. `errors` says everything that is wrong, one sentence each."""

    def __init__(self, errors: Sequence[str]) -> None:
        super().__init__(ErrorCode.INVALID_INPUT, "\n".join(errors), details=list(errors))
        self.errors = list(errors)


@transaction.atomic
def import_cards(
    *,
    cards: Iterable[AgentCard],
    by: Actor,
    publish_them: bool = False,
    allow_secrets: bool = False,
    create_tags: bool = False,
    dry_run: bool = False,
) -> list[Change]:
    """Bring `cards` in: a new number becomes a draft, or is published; what is there already stays as it is.

    With `dry_run` everything is tried and nothing kept. Raises ImportRefusedError with every error at once.
    """
    job = _Import(by=by, publish_them=publish_them, allow_secrets=allow_secrets, create_tags=create_tags)
    changes = job.run(_with_tags_as_known(cards))
    if dry_run:
        transaction.set_rollback(True)
    return changes


@dataclass
class _Import:
    by: Actor
    publish_them: bool
    allow_secrets: bool
    create_tags: bool
    errors: list[str] = field(default_factory=list)

    def run(self, cards: Sequence[AgentCard]) -> list[Change]:
        # All agents exist before any parent is set: the cards of a tree may come in any order.
        changes = [change for card in self._distinct(cards) if (change := self._try(card, self._bring_in))]
        for step in (self._complete, self._allow_secret, self._publish):
            for change in changes:
                self._try(change.card, partial(_on_change, step, change))
        if self.errors:
            raise ImportRefusedError(list(dict.fromkeys(self.errors)))
        return changes

    def _distinct(self, cards: Sequence[AgentCard]) -> Sequence[AgentCard]:
        numbers = [(card.name, card.version) for card in cards]
        for name, version in sorted({number for number in numbers if numbers.count(number) > 1}):
            self.errors.append(_("%s %s: given more than once.") % (name, version))
        return cards

    def _try(self, card: AgentCard, step: Callable[[AgentCard], T]) -> T | None:
        try:
            return step(card)
        except FrontdeskError as error:
            self.errors.append(f"{card.name} {card.version}: {error.message}")
            return None

    def _bring_in(self, card: AgentCard) -> Change:
        bare = card.model_copy(update={"parent": None})
        agent = Agent.objects.filter(name=card.name).first()
        if agent is None:
            version = create_agent(card=bare, by=self.by, create_tags=self.create_tags)
            return Change(card, Action.NEW_AGENT, version, _diff(None, card))
        before = agent.versions.filter(version=card.version).select_related("agent__parent").first()
        if before is None:
            diff = _diff(agent.live or newest_draft(agent), card)
            version = create_draft(agent=agent, card=bare, by=self.by, create_tags=self.create_tags)
            return Change(card, Action.NEW_VERSION, version, diff)
        return self._known_number(before, card)

    def _known_number(self, before: AgentVersion, card: AgentCard) -> Change:
        diff = _diff(before, card)
        if _holds(before, card):
            return Change(card, Action.AGENT_CHANGED if diff else Action.UNCHANGED, before, diff)
        if not before.is_draft:
            raise RegistryError(_("it is published with other content; give the changed card a new number."))
        bare = card.model_copy(update={"parent": None})
        save_draft(draft=before, card=bare, by=self.by, create_tags=self.create_tags)
        return Change(card, Action.DRAFT_CHANGED, before, diff)

    def _complete(self, change: Change) -> None:
        if change.action is Action.UNCHANGED:
            return
        agent = Agent.objects.get(pk=change.version.agent_id)
        set_agent_fields(agent=agent, card=change.card, by=self.by, create_tags=self.create_tags)
        change.version.refresh_from_db()
        if change.version.is_draft:
            write_draft(change.version, change.card)

    def _allow_secret(self, change: Change) -> None:
        agent, ref = Agent.objects.get(pk=change.version.agent_id), change.card.auth.secret_ref
        if self.allow_secrets and ref and ref not in agent.allowed_secrets:
            set_allowed_secrets(agent=agent, refs=[*agent.allowed_secrets, ref], by=self.by)

    def _publish(self, change: Change) -> None:
        change.version.refresh_from_db()
        if self.publish_them and change.version.is_draft and not self.errors:
            change.warnings = publish(version=change.version, by=self.by).warnings
            change.published = True


def _with_tags_as_known(cards: Iterable[AgentCard]) -> list[AgentCard]:
    """An agent's tags are a set of the vocabulary: another order, or another case, says nothing new."""
    known = {folded: tag.name for folded, tag in vocabulary().items()}
    return [
        card.model_copy(update={"tags": tuple(sorted(known.get(tag.casefold(), tag) for tag in card.tags))})
        for card in cards
    ]


def _on_change(step: Callable[[Change], None], change: Change, _card: AgentCard) -> None:
    step(change)


def _holds(version: AgentVersion, card: AgentCard) -> bool:
    try:
        return content(recorded_card(version)) == content(card)
    except CardError:  # it was written before a rule became stricter, and `card` keeps all rules
        return False


def _diff(before: AgentVersion | None, card: AgentCard) -> str:
    """A unified diff of YAML; against nothing when there is no card before, or one that is broken by now."""
    old = ""
    if before:
        with suppress(CardError):
            old = card_to_yaml(current_card(before))
    lines = difflib.unified_diff(
        old.splitlines(),
        card_to_yaml(card).splitlines(),
        str(before or ""),
        f"{card.name} {card.version}",
        lineterm="",
    )
    return "\n".join(lines)
