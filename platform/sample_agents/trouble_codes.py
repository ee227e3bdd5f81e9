"""Diagnostic trouble codes after SAE J2012 (ISO 15031-6): how they are written, what the generic ones mean.

`data/dtc/*.json` is a list of groups: codes that share their likely causes and checks.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache

from sample_agents.files import bilingual, load, load_folder
from sample_agents.speech import Bilingual
from sample_agents.words import mentions, normal, word_lists

_CODE = re.compile(r"(?<![A-Z0-9])([PCBU][0-9][0-9A-F]{3})(?![A-Z0-9])")
_SPACED = re.compile(r"(?<![A-Z0-9])([PCBU])[ \t-]([0-9][0-9A-F]{3})(?![A-Z0-9])")
_ALMOST = re.compile(r"(?<![A-Z0-9])[A-Z][0-9OIL][0-9A-Z]{1,6}(?![A-Z0-9])")
_LOOKALIKES = str.maketrans("OIL", "011")
_TALK_OF_CODES = word_lists("trouble_codes")["talk_of_codes"]

SYSTEMS: Mapping[str, Bilingual] = {
    "P": Bilingual("powertrain", "动力总成"),
    "C": Bilingual("chassis", "底盘"),
    "B": Bilingual("body", "车身"),
    "U": Bilingual("network", "网络通信"),
}
_P0_AREAS: Mapping[str, Bilingual] = {
    "0": Bilingual("fuel and air metering and auxiliary emission controls", "燃油与进气计量及辅助排放控制"),
    "1": Bilingual("fuel and air metering", "燃油与进气计量"),
    "2": Bilingual("fuel and air metering, injector circuits", "燃油与进气计量、喷油器电路"),
    "3": Bilingual("ignition system or misfire", "点火系统或失火"),
    "4": Bilingual("auxiliary emission controls", "辅助排放控制"),
    "5": Bilingual("vehicle speed, idle control and auxiliary inputs", "车速、怠速控制与辅助输入"),
    "6": Bilingual("computer and output circuits", "控制单元与输出电路"),
    **dict.fromkeys("789", Bilingual("transmission", "变速器")),
    **dict.fromkeys("ABC", Bilingual("hybrid propulsion", "混合动力驱动")),
}


@dataclass(frozen=True, slots=True)
class TroubleCode:
    """A generic code with its meaning, likely causes (most likely first) and checks (in order)."""

    code: str
    meaning: Bilingual
    causes: tuple[Bilingual, ...]
    checks: tuple[Bilingual, ...]


@dataclass(frozen=True, slots=True)
class Written:
    """What a text holds: `codes` are well-formed, `malformed` only look like codes, each once and in order.

    `malformed` maps what was written to the code that was probably meant, or None.
    """

    codes: tuple[str, ...]
    malformed: Mapping[str, str | None]


@cache
def book() -> Mapping[str, TroubleCode]:
    """Every code that is known here, by its name in upper case."""
    codes: dict[str, TroubleCode] = {}
    for groups in load_folder("dtc"):
        for group in groups:
            causes, checks = bilingual(group["causes"]), bilingual(group["checks"])
            for code, meaning in group["codes"].items():
                codes[code] = TroubleCode(code, Bilingual(*meaning), causes, checks)
    return codes


def read(text: str) -> Written:
    """The codes in `text`, also lower-case, full-width, or known ones written with a space or hyphen."""
    upper = normal(text).upper()
    upper = _SPACED.sub(lambda match: _joined(match), upper)
    codes = dict.fromkeys(_CODE.findall(upper))
    asked = mentions(normal(text), _TALK_OF_CODES)
    almost = (match.group() for match in _ALMOST.finditer(upper))
    malformed = {word: _meant(word) for word in almost if _looks_meant(word, codes, asked=asked)}
    return Written(tuple(codes), malformed)


def _joined(match: re.Match[str]) -> str:
    code = match[1] + match[2]
    return code if code in book() else match[0]


def _looks_meant(word: str, codes: Iterable[str], *, asked: bool) -> bool:
    """`C300` is a car and `B2B` a market: only P, or a person who talks of codes, makes a slip likely."""
    if word in codes or len(re.findall("[0-9]", word)) < 2:
        return False
    return asked or (word[0] == "P" and len(word) >= 4)


def _meant(word: str) -> str | None:
    candidate = word[0] + word[1:].translate(_LOOKALIKES)
    return candidate if _CODE.fullmatch(candidate) and candidate in book() else None


def is_standard(code: str) -> bool:
    """Whether the standard leaves room for `code`: its second character is 0 to 3."""
    return code[1] in "0123"


def defined_by_maker(code: str) -> bool:
    """Whether `code` means what the vehicle's maker says, not what the standard says.

    P1, B1, B2, C1, C2, U1 and U2 belong to makers; of P3, the part below P3400.
    """
    if code.startswith("P"):
        return code[1] == "1" or (code[1] == "3" and code[2] in "0123")
    return code[1] in "12"


def area(code: str) -> Bilingual | None:
    """What the third character says of a P0 code."""
    return _P0_AREAS.get(code[2]) if code.startswith("P0") else None


@cache
def _together() -> tuple[tuple[tuple[re.Pattern[str], ...], Bilingual], ...]:
    return tuple(
        (tuple(map(re.compile, rule["codes"])), Bilingual(*rule["note"]))
        for rule in load("dtc_together.json")
    )


def together(codes: Iterable[str]) -> tuple[Bilingual, ...]:
    """What these codes say when they are stored at the same time."""
    found = list(codes)
    return tuple(
        note
        for patterns, note in _together()
        if all(any(pattern.fullmatch(code) for code in found) for pattern in patterns)
    )
