"""Making text from anywhere safe to store, to send and to show."""

import math
import re
from typing import Any, Final

_DIRTY = re.compile("[\x00\ud800-\udfff]")
_HIGH_HALVES = ("\ud800", "\udbff")
_INTEGERS: Final = range(-(2**63), 2**64)
"""What JSON columns and encoders keep exactly: 64 bits, with a sign or without."""
_MAX_DEPTH: Final = 100
"""Readers and writers of JSON are recursive; nobody's arguments are nested like this by intention."""


def clean(text: str) -> str:
    """`text` without what databases and encoders refuse.

    Surrogate pairs become the character they stand for, a lone half becomes U+FFFD, U+0000 is removed.
    """
    if not _DIRTY.search(text):
        return text
    units = text.replace("\x00", "").encode("utf-16-le", "surrogatepass")
    return units.decode("utf-16-le", "replace")


def clean_json(value: Any, *, depth: int = 0) -> Any:
    """`value`, something JSON-able, as every JSON column and encoder takes it.

    Strings and keys are cleaned; infinity and NaN become None; an integer beyond 64 bits becomes a float,
    or None when it is beyond that too; what is nested more than 100 levels deep becomes None.
    """
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, int | float):
        return value if isinstance(value, bool) else _clean_number(value)
    if not isinstance(value, dict | list | tuple):
        return value
    if depth == _MAX_DEPTH:
        return None
    if isinstance(value, dict):
        return {clean(str(key)): clean_json(item, depth=depth + 1) for key, item in value.items()}
    return [clean_json(item, depth=depth + 1) for item in value]


def _clean_number(value: float) -> float | None:
    if isinstance(value, int) and value in _INTEGERS:
        return value
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


class TextCleaner:
    """`clean` for text that comes in pieces: a pair split between two pieces is still joined."""

    __slots__ = ("_held",)

    def __init__(self) -> None:
        self._held = ""

    def feed(self, text: str) -> str:
        """The clean text that is certain by now; may be empty."""
        if "\x00" in text:
            text = text.replace("\x00", "")  # it may stand between two halves
        if self._held:
            text = self._held + text
            self._held = ""
        if text and _HIGH_HALVES[0] <= text[-1] <= _HIGH_HALVES[1]:
            self._held = text[-1]
            text = text[:-1]
        return clean(text)

    def flush(self) -> str:
        """What was held back, cleaned; call it once, at the end."""
        held, self._held = self._held, ""
        return clean(held)
