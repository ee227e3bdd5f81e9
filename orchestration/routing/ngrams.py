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
_WORD_SIZES: Final = (3,)
_COMMON_MARK: Final = "."
_PART_MARK: Final = "~"
_TRUSTED: Final = 300
"""From how many sentences the rareness of a common word is about as much evidence as chance."""
_PART_WEIGHT: Final = 0.4
"""What a part of a word counts, against 1 for the whole: inflections are found, chance likeness is not."""
_FOREIGN: Final = 0.6
"""How much of a known n-gram's square an unknown one adds to a row's length."""


class CharacterNgrams:
    """An `Embedder` that knows the n-grams of `sentences`, the rarer the weightier."""

    def __init__(self, sentences: Sequence[str]) -> None:
        self._vectorizer = TfidfVectorizer(analyzer=grams, sublinear_tf=True, norm=None)
        # One word more: a vocabulary there must be, also over no card at all.
        self._vectorizer.fit([*sentences, "frontdesk"])
        self._common = len(sentences) / (len(sentences) + _TRUSTED)
        self._weights = diags_array([self._weight(gram) for gram in self._vectorizer.get_feature_names_out()])
        self._rarest = float(self._vectorizer.idf_.max())

    def embed(self, texts: Sequence[str]) -> Matrix:
        """See `Embedder.embed`. N-grams that no sentence holds make a row shorter."""
        known = self._vectorizer.transform(texts) @ self._weights
        squares = np.asarray(known.multiply(known).sum(axis=1)).ravel()
        foreign = np.array([self._foreign(text) for text in texts])
        lengths = np.sqrt(squares + foreign)
        return diags_array(1 / np.maximum(lengths, 1e-9)) @ known

    def _foreign(self, text: str) -> float:
        """The squared length of what is unknown in `text`."""
        unknown = set(grams(text)) - self._vectorizer.vocabulary_.keys()
        return _FOREIGN * sum((self._weight(gram) * self._rarest) ** 2 for gram in unknown)

    def _weight(self, gram: str) -> float:
        if gram.startswith(_COMMON_MARK):
            return self._common
        return _PART_WEIGHT if gram.startswith(_PART_MARK) else 1.0


def grams(text: str) -> Iterator[str]:
    """The n-grams of `text`.

    CJK runs give sequences of 1 to 3 characters; words of other scripts themselves and their parts, or their
    shape when they hold digits, so that one part number or fault code resembles another. Common words are
    marked as such and have no parts.
    """
    folded = fold(text)
    yield from (_COMMON_MARK + filler for filler in CJK_FILLERS.findall(folded))
    for run in RUNS.finditer(CJK_FILLERS.sub(" ", folded)):
        yield from _sequences(run["cjk"], _CJK_SIZES) if run["cjk"] else _word_grams(run["word"])


def _word_grams(word: str) -> Iterator[str]:
    if word in STOP_WORDS:
        yield _COMMON_MARK + word
        return
    yield f"={word}"
    if any(character.isdigit() for character in word):
        yield "#" + "".join("0" if character.isdigit() else character for character in word)
    else:
        yield from (_PART_MARK + part for part in _sequences(f"^{word}$", _WORD_SIZES))


def _sequences(text: str, sizes: Sequence[int]) -> Iterator[str]:
    for size in sizes:
        for start in range(len(text) - size + 1):
            yield text[start : start + size]
