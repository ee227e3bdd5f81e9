"""TF-IDF over character n-grams: no model, no language, well under a millisecond a question."""

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np
from scipy.sparse import diags_array
from sklearn.feature_extraction.text import TfidfVectorizer

from orchestration.routing.embedding import Matrix
from orchestration.routing.text import RUNS, fold
from orchestration.routing.words import CJK_FILLERS, STOP_WORDS

_CJK_SIZES: Final = (1, 2, 3)
_WORD_SIZES: Final = (3, 4)
_FOREIGN: Final = 0.3
"""How much of a known n-gram's square an unknown one adds to a row's length."""


class CharacterNgrams:
    """An `Embedder` that knows the n-grams of `sentences`, the rarer the weightier."""

    def __init__(self, sentences: Sequence[str]) -> None:
        self._vectorizer = TfidfVectorizer(analyzer=grams, sublinear_tf=True, norm=None)
        # One word more: a vocabulary there must be, also over no card at all.
        self._vectorizer.fit([*sentences, "frontdesk"])

    def embed(self, texts: Sequence[str]) -> Matrix:
        """See `Embedder.embed`. N-grams that no sentence holds make a row shorter."""
        known = self._vectorizer.transform(texts)
        squares = np.asarray(known.multiply(known).sum(axis=1)).ravel()
        foreign = np.array([self._foreign(text) for text in texts])
        lengths = np.sqrt(squares + foreign)
        return diags_array(1 / np.maximum(lengths, 1e-9)) @ known

    def _foreign(self, text: str) -> float:
        """The squared length of what is unknown in `text`."""
        unknown = set(grams(text)) - self._vectorizer.vocabulary_.keys()
        return len(unknown) * _FOREIGN * float(self._vectorizer.idf_.max()) ** 2


def grams(text: str) -> Iterator[str]:
    """The n-grams of `text` that may say something about its subject.

    CJK runs give sequences of 1 to 3 characters. Other words give themselves, their parts, and their shape
    when they hold digits, so that one part number or fault code resembles another.
    """
    for run in RUNS.finditer(CJK_FILLERS.sub(" ", fold(text))):
        if characters := run["cjk"]:
            yield from _sequences(characters, _CJK_SIZES)
        elif run["word"] not in STOP_WORDS:
            yield from _word_grams(run["word"])


def _word_grams(word: str) -> Iterator[str]:
    yield f"={word}"
    if any(character.isdigit() for character in word):
        yield "#" + "".join("0" if character.isdigit() else character for character in word)
    else:
        yield from _sequences(f"^{word}$", _WORD_SIZES)


def _sequences(text: str, sizes: Sequence[int]) -> Iterator[str]:
    for size in sizes:
        for start in range(len(text) - size + 1):
            yield text[start : start + size]
