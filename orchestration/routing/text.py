"""Text as routing compares it."""

import re
import unicodedata
from typing import Final

_CJK: Final = (
    "\u2e80-\u2fdf\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
)
_CJK_CHARACTER: Final = re.compile(f"[{_CJK}]")
RUNS: Final = re.compile(f"(?P<cjk>[{_CJK}]+)|(?P<word>[^\\W{_CJK}]+)")
"""Runs of CJK characters and words of other scripts, of folded text."""


def fold(text: str) -> str:
    """`text` with compatibility forms (full-width letters and the like) and case made equal."""
    return unicodedata.normalize("NFKC", text).casefold()


def is_cjk(character: str) -> bool:
    """Whether `character` belongs to a script that is written without spaces."""
    return _CJK_CHARACTER.match(character) is not None


def joins_word(character: str) -> bool:
    """Whether `character` would continue a word of a script that is written with spaces."""
    return (character.isalnum() or character == "_") and not is_cjk(character)


def weight(text: str) -> int:
    """How much folded `text` says, roughly: a CJK character counts 1, a word of another script 2."""
    return sum(len(run["cjk"]) if run["cjk"] else 2 for run in RUNS.finditer(text))
