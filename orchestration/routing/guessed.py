"""The tiers that conclude from the message itself, without a language model."""

from collections.abc import Iterable
from typing import Final

from orchestration.routing.decision import Candidate, Decision, Question
from orchestration.routing.keywords import Hit
from orchestration.routing.text import weight
from orchestration.routing.words import ANAPHORA, NEW_TASK, has_subject

SURE: Final = 0.1
"""The likeness from which similarity may decide at all."""
MARGIN: Final = 0.03
"""How far ahead of the next the best must be, to decide."""
LEVEL: Final = 0.02
"""Two agents this near to each other are level."""
RIVAL: Final = 0.2
"""The likeness from which an agent is a rival to one whose keyword was found."""
OVERRULED: Final = 0.06
"""How far ahead of the next a contender must be for likeness to have its way over the longest keyword."""
SHORT: Final = 7
"""The weight (see `text.weight`) up to which a message may be a follow-up without pointing back."""
FOLLOW_UP: Final = 14
"""The same for one that does point back."""


def keyword(question: Question) -> Decision | None:
    """One agent's keyword decides, unless likeness puts another level with it or ahead."""
    if not question.hits:
        return None
    named = list(dict.fromkeys(hit.agent for hit in question.hits))
    rivals = _rivals(question, named[0]) if len(named) == 1 else []
    if not rivals and len(named) == 1:
        return _by_keyword(question, question.hits[0], confidence=0.95)
    contenders = sorted((*named, *rivals), key=question.score, reverse=True)
    ahead = question.score(contenders[0]) - question.score(contenders[1])
    if ahead >= OVERRULED:
        return _by_likeness(question, contenders[0], ahead, note=f"of those with {_quoted(question.hits)}, ")
    return _by_keyword(question, question.hits[0], confidence=0.6)


def similarity(question: Question) -> Decision | None:
    """The card most like the message, when it is like enough and clearly ahead of the next."""
    if not question.ranking or not has_subject(question.text):
        return None
    best = question.ranking[0]
    second = question.ranking[1].score if len(question.ranking) > 1 else 0.0
    if best.score < SURE or best.score - second < MARGIN:
        return None
    return _by_likeness(question, best.agent, best.score - second)


def follow_up(question: Question) -> Decision | None:
    """A short message that says nothing of its own stays with the agent that answered last."""
    last = question.request.last_agent
    if not last or last == question.directory.fallback or question.directory.get(last) is None:
        return None
    if not _continues(question, last):
        return None
    return Decision(
        tier="follow_up",
        agents=(last,),
        reason="a follow-up to its last answer",
        confidence=0.6,
        candidates=_listed(question, last),
    )


def fallback(question: Question) -> Decision:
    """The general agent, if there is one; else nobody."""
    agent = question.directory.fallback
    return Decision(
        tier="fallback",
        mode="fallback",
        agents=(agent,) if agent else (),
        reason="no card fits the question clearly",
        confidence=0.0,
        candidates=question.ranking[:5],
    )


def _continues(question: Question, last: str) -> bool:
    if NEW_TASK.search(question.text):
        return False
    if not has_subject(question.text):
        return True
    best = question.ranking[0] if question.ranking else Candidate(last, 0.0)
    if best.agent != last and best.score >= SURE and best.score - question.score(last) >= MARGIN:
        return False
    limit = FOLLOW_UP if ANAPHORA.search(question.text) else SHORT
    return weight(question.text) <= limit


def _rivals(question: Question, agent: str) -> list[str]:
    """Those that are much like the message, and level with `agent` or ahead of it."""
    least = max(RIVAL, question.score(agent) - LEVEL)
    return [found.agent for found in question.ranking if found.agent != agent and found.score >= least]


def _by_keyword(question: Question, hit: Hit, *, confidence: float) -> Decision:
    return Decision(
        tier="keyword",
        agents=(hit.agent,),
        reason=f'keyword "{hit.keyword}"',
        confidence=confidence,
        candidates=_listed(question, hit.agent),
    )


def _by_likeness(question: Question, agent: str, ahead: float, note: str = "") -> Decision:
    return Decision(
        tier="similarity",
        agents=(agent,),
        reason=f"{note}its card is most like the question ({question.score(agent):.2f}, {ahead:.2f} ahead)",
        confidence=round(min(0.95, 0.5 + ahead), 2),
        candidates=_listed(question, agent),
    )


def _quoted(hits: Iterable[Hit]) -> str:
    words = dict.fromkeys(f'"{hit.keyword}"' for hit in hits)
    return "keyword " + ", ".join(list(words)[:3])


def _listed(question: Question, first: str) -> tuple[Candidate, ...]:
    """The ranking's head with the agent that was decided on in front."""
    others = [found for found in question.ranking if found.agent != first]
    return (Candidate(first, question.score(first)), *others)[:5]
