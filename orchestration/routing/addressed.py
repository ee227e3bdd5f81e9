"""The tiers that need no guess: somebody is waiting for this message, or the person said who."""

import re
from typing import Final

from frontdesk_agent.errors import ErrorCode, FrontdeskError
from orchestration.directory import Directory
from orchestration.request import RunRequest
from orchestration.routing.decision import Decision
from orchestration.routing.text import fold, joins_word

_SEPARATORS: Final = " \t\r\n\u3000:：,，、"
_FIRST_WORD: Final = re.compile(r"[@＠]([^\s@＠:：,，、。！？!?]{1,64})")


def pending(request: RunRequest, directory: Directory) -> Decision | None:
    """The agent that asked a question gets the answer."""
    if request.pending is None or directory.get(request.pending) is None:
        return None
    return Decision(
        tier="pending",
        agents=(request.pending,),
        reason="it asked the question that this message answers",
        confidence=1.0,
    )


def mention(request: RunRequest, directory: Directory) -> Decision | None:
    """A leading `@name` or `@display name` is an address. Raises `AGENT_NOT_FOUND` for an unknown one."""
    text = request.input.strip()
    address = _FIRST_WORD.match(text)
    if address is None:
        return None
    found = _addressee(text[1:], directory)
    if found is None:
        raise FrontdeskError(ErrorCode.AGENT_NOT_FOUND, f"There is no agent @{address[1]} here.")
    agent, length = found
    return Decision(
        tier="mention",
        agents=(agent,),
        reason="addressed in the message",
        confidence=1.0,
        task=text[1 + length :].lstrip(_SEPARATORS) or None,
    )


def chosen(request: RunRequest, directory: Directory) -> Decision | None:
    """The agent chosen for this message, else for the conversation. Raises `AGENT_NOT_FOUND`."""
    agent = request.agent or request.pinned
    if not agent:
        return None
    if directory.get(agent) is None:
        raise FrontdeskError(ErrorCode.AGENT_NOT_FOUND, f"The chosen agent {agent} cannot be reached here.")
    what = "message" if request.agent else "conversation"
    return Decision(tier="pinned", agents=(agent,), reason=f"chosen for this {what}", confidence=1.0)


def _addressee(text: str, directory: Directory) -> tuple[str, int] | None:
    """The agent whose name `text` begins with, and how many characters of `text` that is; longest wins."""
    aliases = {
        fold(alias): entry.name for entry in directory for alias in (entry.card.display_name, entry.name)
    }
    longest = max(map(len, aliases), default=0)
    # Folding may change how long a text is, so each beginning of the text as typed is folded and compared.
    for length in range(min(len(text), 2 * longest), 0, -1):
        agent = aliases.get(fold(text[:length]))
        if agent is not None and not _goes_on(text, length):
            return agent, length
    return None


def _goes_on(text: str, at: int) -> bool:
    """Whether the name's last word is longer than what was matched."""
    return at < len(text) and joins_word(text[at]) and joins_word(text[at - 1])
