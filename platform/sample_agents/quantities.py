"""Numbers with a unit, as people write them: `12.4 V`, `3300 mV`, `零下10度`, `96串`."""

import re

from sample_agents.words import normal

_NUMBER = r"(-?\d{1,5}(?:\.\d{1,4})?)"
_VOLTS = re.compile(rf"(?<![a-z0-9.]){_NUMBER}\s*(mv|毫伏|v(?![a-z0-9])|volts?\b|伏)")
_PERCENT = re.compile(rf"(?<![a-z0-9.]){_NUMBER}\s*(?:%|percent\b)|百分之\s*{_NUMBER}")
_CELSIUS = re.compile(
    rf"(零下|minus )?\s*(?<![a-z0-9.]){_NUMBER}\s*(?:°\s*c|℃|度|摄氏度|degrees?\b|c(?![a-z0-9]))"
)
_SERIES = re.compile(rf"(?<![a-z0-9.]){_NUMBER}\s*(?:串|s(?![a-z0-9])|cells?\b|in series)")
_BAR = re.compile(rf"(?<![a-z0-9.]){_NUMBER}\s*(bar|kpa|psi)(?![a-z])")
_TO_BAR = {"bar": 1.0, "kpa": 0.01, "psi": 0.0689476}


def volts(text: str) -> list[float]:
    """The voltages in `text`, in volts."""
    return [
        float(match[1]) / (1000 if match[2] in {"mv", "毫伏"} else 1)
        for match in _VOLTS.finditer(normal(text))
    ]


def percents(text: str) -> list[float]:
    """The percentages in `text`."""
    return [float(match[1] or match[2]) for match in _PERCENT.finditer(normal(text))]


def celsius(text: str) -> list[float]:
    """The temperatures in `text`, in degrees Celsius."""
    return [
        -abs(float(match[2])) if match[1] else float(match[2]) for match in _CELSIUS.finditer(normal(text))
    ]


def in_series(text: str) -> int | None:
    """How many cells in series `text` speaks of."""
    match = _SERIES.search(normal(text))
    return int(float(match[1])) if match and float(match[1]) >= 1 else None


def bars(text: str) -> list[float]:
    """The pressures in `text`, in bar."""
    return [float(match[1]) * _TO_BAR[match[2]] for match in _BAR.finditer(normal(text))]
