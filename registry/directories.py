"""The directories of this process, kept as long as the registry's revision stands."""

import logging
from collections import OrderedDict
from collections.abc import Callable, Iterable
from threading import Lock

from django.conf import settings

from frontdesk_agent.card import CardError
from orchestration.directory import Directory, Entry
from registry.mapping import current_card
from registry.models import Agent

log = logging.getLogger(__name__)

Groups = frozenset[int] | None
LIMIT = 64
_kept: OrderedDict[tuple[str, Groups, str], Directory] = OrderedDict()
_lock = Lock()


def get(revision: str, groups: Groups, agents: Callable[[], Iterable[Agent]]) -> Directory:
    """The directory of everyone with exactly these groups; None stands for a superuser.

    `agents` is asked for what they reach only when no directory of this revision is kept.
    """
    key = (revision, groups, settings.FALLBACK_AGENT)
    with _lock:
        if key in _kept:
            _kept.move_to_end(key)
            return _kept[key]
    # Built outside the lock: two threads may both build it, and nobody waits for the database.
    entries = [entry for agent in agents() if (entry := entry_of(agent))]
    directory = Directory.of(entries, revision=revision, fallback=settings.FALLBACK_AGENT)
    with _lock:
        _kept[key] = directory
        while len(_kept) > LIMIT:
            _kept.popitem(last=False)
    return directory


def entry_of(agent: Agent) -> Entry | None:
    """An agent's live card as it may be called; None when a rule became stricter since.

    A draft, or another agent's version, is never called whatever the row says.
    """
    version = agent.live
    if version is None:
        return None
    if version.is_draft or version.agent_id != agent.pk:
        log.error("agent %s left out: its live version is a draft or another agent's", agent.name)
        return None
    version.agent = agent
    try:
        card = current_card(version)
    except CardError as error:
        log.warning("agent %s %s left out: %s", agent.name, version.version, error.message)
        return None
    return Entry(card=card, secret_allowed=card.auth.secret_ref in agent.allowed_secrets)
