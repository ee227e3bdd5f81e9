"""Finding words in a question: full-width and half-width, upper and lower case, Chinese and Latin script."""

import re
import unicodedata
from collections.abc import Iterable, Mapping
from functools import cache

from sample_agents.files import load

_BLANKS = re.compile(r"\s+")
_APOSTROPHES = str.maketrans({"\u2019": "'", "\u2018": "'"})


def normal(text: str) -> str:
    """`text` as it is compared: compatibility forms unified (`Ｐ０１７１` is `p0171`), case folded.

    Runs of white space become one, so that no pattern has to go over them again and again.
    """
    folded = unicodedata.normalize("NFKC", text.translate(_APOSTROPHES)).casefold()
    return _BLANKS.sub(lambda run: "\n" if "\n" in run.group() else " ", folded)


@cache
def _pattern(word: str) -> re.Pattern[str]:
    parts = [_literal(part) for part in normal(word).split("...")]
    body = r"[^.;!?\u3002\uff1b\uff01\uff1f\n]{0,24}?".join(parts)
    start = r"(?<![a-z0-9])" if re.match(r"[a-z0-9]", normal(word)) else ""
    end = r"(?![a-z0-9])" if re.search(r"[a-z0-9]\Z", normal(word)) else ""
    return re.compile(start + body + end)


def _literal(part: str) -> str:
    return re.escape(part).replace(r"\*", "[a-z]*").replace(r"\ ", r"\s+")


def mentions(text: str, words: Iterable[str]) -> bool:
    """Whether `text` (already `normal`) has one of `words`.

    Latin words match as whole words, `*` stands for an ending (`stall*`), `...` for a short gap within a
    sentence.
    """
    return any(_pattern(word).search(text) for word in words)


def longest(text: str, words: Iterable[str]) -> tuple[int, int] | None:
    """Where in `text` (already `normal`) the longest match begins and ends; None when nothing matches."""
    spans = [match.span() for word in words for match in _pattern(word).finditer(text)]
    return max(spans, key=lambda span: span[1] - span[0], default=None)


@cache
def word_lists(name: str) -> Mapping[str, tuple[str, ...]]:
    """The lists of words in `data/words.json` under `name`, each for `mentions`."""
    return {key: tuple(words) for key, words in load("words.json")[name].items()}
