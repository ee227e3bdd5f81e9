"""Making text from anywhere safe to store, to send and to show."""

import re
from typing import Any

_DIRTY = re.compile("[\x00\ud800-\udfff]")
_HIGH_HALVES = ("\ud800", "\udbff")


def clean(text: str) -> str:
    """`text` without what databases and encoders refuse.

    Surrogate pairs become the character they stand for, a lone half becomes U+FFFD, U+0000 is removed.
    """
    if not _DIRTY.search(text):
        return text
    units = text.replace("\x00", "").encode("utf-16-le", "surrogatepass")
    return units.decode("utf-16-le", "replace")


def clean_json(value: Any) -> Any:
    """`value`, something JSON-able, with every string and key in it cleaned."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, dict):
        return {clean_json(key): clean_json(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [clean_json(item) for item in value]
    return value


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
