"""Calibration and relearn procedures (`data/procedures.json`)."""

from dataclasses import dataclass
from functools import cache

from sample_agents.files import bilingual, load
from sample_agents.speech import Bilingual, Language, bullets, numbered
from sample_agents.words import longest, normal

_AT_MOST = 2


@dataclass(frozen=True, slots=True)
class Procedure:
    """What must be so before, what to do, and what to know afterwards."""

    name: Bilingual
    words: tuple[str, ...]
    before: tuple[Bilingual, ...]
    steps: tuple[Bilingual, ...]
    after: Bilingual


@cache
def procedures() -> tuple[Procedure, ...]:
    """Every procedure that is known here."""
    return tuple(
        Procedure(
            Bilingual(*entry["name"]),
            tuple(entry["words"]),
            bilingual(entry["before"]),
            bilingual(entry["steps"]),
            Bilingual(*entry["after"]),
        )
        for entry in load("procedures.json")
    )


def named_procedures(text: str) -> tuple[Procedure, ...]:
    """The procedures that `text` asks for, the most plainly named first, at most two."""
    compared = normal(text)
    found = [(span, one) for one in procedures() if (span := longest(compared, one.words))]
    found.sort(key=lambda item: item[0][0] - item[0][1])
    return tuple(one for _, one in found[:_AT_MOST])


def described(procedure: Procedure, language: Language) -> str:
    """The procedure in Markdown."""
    before, steps = ("前提条件", "步骤") if language == "zh" else ("Before you begin", "Steps")
    return "\n\n".join(
        [
            f"## {procedure.name.in_(language)}",
            f"**{before}**",
            bullets([text.in_(language) for text in procedure.before]),
            f"**{steps}**",
            numbered([text.in_(language) for text in procedure.steps]),
            f"> {procedure.after.in_(language)}",
        ]
    )
