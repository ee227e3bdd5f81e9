"""What a driver notices, and what it usually comes from (`data/symptoms.json`)."""

from dataclasses import dataclass
from functools import cache

from sample_agents.files import bilingual, load
from sample_agents.speech import Bilingual
from sample_agents.words import longest, normal

_AT_MOST = 3


@dataclass(frozen=True, slots=True)
class Symptom:
    """`words` are as in `words.mentions`; `stop` is a warning to heed before anything else."""

    name: Bilingual
    words: tuple[str, ...]
    stop: Bilingual | None
    causes: tuple[Bilingual, ...]
    checks: tuple[Bilingual, ...]


@cache
def all_symptoms() -> tuple[Symptom, ...]:
    """Every symptom that is known here."""
    return tuple(
        Symptom(
            name=Bilingual(*entry["name"]),
            words=tuple(entry["words"]),
            stop=Bilingual(*entry["stop"]) if "stop" in entry else None,
            causes=bilingual(entry["causes"]),
            checks=bilingual(entry["checks"]),
        )
        for entry in load("symptoms.json")
    )


def observed(text: str) -> tuple[Symptom, ...]:
    """The symptoms that `text` tells of, the most plainly told first, at most three.

    Where two match the same words, the longer match wins: a shaking steering wheel is no shaking engine.
    """
    compared = normal(text)
    found = [(span, symptom) for symptom in all_symptoms() if (span := longest(compared, symptom.words))]
    found.sort(key=lambda item: item[0][0] - item[0][1])
    kept: list[tuple[tuple[int, int], Symptom]] = []
    for span, symptom in found:
        if not any(_overlap(span, other) for other, _ in kept):
            kept.append((span, symptom))
    return tuple(symptom for _, symptom in kept[:_AT_MOST])


def _overlap(one: tuple[int, int], other: tuple[int, int]) -> bool:
    return one[0] < other[1] and other[0] < one[1]
