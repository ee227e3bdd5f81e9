"""State of charge from open-circuit voltage and back, and tyre pressure at another temperature.

The curves (`data/soc_curves.json`) are typical ones at 25 °C; a maker's own curve takes precedence.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

from sample_agents.files import load
from sample_agents.speech import Bilingual

_ATMOSPHERE_BAR = 1.013
_KELVIN = 273.15


@dataclass(frozen=True, slots=True)
class Curve:
    """Points of (volts, percent), rising. `accuracy` is in points of percent, `flat` where it is less sure.

    `lowest` and `highest` volts are what such a battery can show at all.
    """

    id: str
    name: Bilingual
    words: tuple[str, ...]
    unit: Bilingual
    rest: Bilingual
    temperature: Bilingual
    accuracy: int
    flat: tuple[float, float] | None
    points: tuple[tuple[float, float], ...]
    lowest: float
    highest: float

    def percent(self, volts: float) -> float:
        """The state of charge in percent, 0 or 100 beyond the curve's ends."""
        return _interpolate(self.points, volts)

    def volts(self, percent: float) -> float:
        """The open-circuit voltage at `percent`."""
        return _interpolate([(charge, volts) for volts, charge in self.points], percent)

    def possible(self, volts: float) -> bool:
        """Whether such a battery can show `volts` at all."""
        return self.lowest <= volts <= self.highest

    def is_flat(self, volts: float) -> bool:
        """Whether the curve is so flat at `volts` that a few millivolts are many percent."""
        return self.flat is not None and self.flat[0] <= volts <= self.flat[1]


@cache
def curves() -> tuple[Curve, ...]:
    """Every curve that is known here."""
    return tuple(
        Curve(
            id=name,
            name=Bilingual(*entry["name"]),
            words=tuple(entry["words"]),
            unit=Bilingual(*entry["unit"]),
            rest=Bilingual(*entry["rest"]),
            temperature=Bilingual(*entry["temperature"]),
            accuracy=entry["accuracy"],
            flat=tuple(entry["flat"]) if "flat" in entry else None,
            points=tuple((volts, percent) for volts, percent in entry["points"]),
            lowest=entry["range"][0],
            highest=entry["range"][1],
        )
        for name, entry in load("soc_curves.json").items()
    )


def _interpolate(points: Sequence[tuple[float, float]], at: float) -> float:
    if at <= points[0][0]:
        return points[0][1]
    for (left, low), (right, high) in pairwise(points):
        if at <= right:
            return low + (high - low) * (at - left) / (right - left)
    return points[-1][1]


def pressure_at(bar: float, celsius: float, other_celsius: float) -> float:
    """The gauge pressure in bar that a tyre of `bar` at `celsius` shows at `other_celsius` (Gay-Lussac)."""
    absolute = (bar + _ATMOSPHERE_BAR) * (other_celsius + _KELVIN) / (celsius + _KELVIN)
    return absolute - _ATMOSPHERE_BAR
