"""Sentences as vectors, so that what means the same lies near."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, Protocol

from orchestration.routing.text import RUNS, fold
from orchestration.routing.words import CJK_FILLERS, STOP_WORDS

Matrix = Any
"""A numpy array or a scipy sparse matrix of floats; both multiply with `@`."""

_CJK_SIZES: Final = (1, 2, 3)
_WORD_SIZES: Final = (3, 4)
_FOREIGN: Final = 0.3
"""How much of a known n-gram's square an unknown one adds to a row's length."""


class Embedder(Protocol):
    """Turns texts into rows of a matrix.

    A row is at most 1 long, and the dot product of two is their likeness. A text that is partly foreign
    to the embedder gets a shorter row.
    """

    def embed(self, texts: Sequence[str]) -> Matrix:
        """`(len(texts), dimensions)`. May be called from several threads."""


EmbedderFactory = Callable[[Sequence[str]], Embedder]
"""Makes the embedder of one directory from all its sentences."""


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


class CharacterNgrams:
    """TF-IDF over character n-grams: no model, no language, about a third of a millisecond a question."""

    def __init__(self, sentences: Sequence[str]) -> None:
        # scikit-learn takes seconds to import: only when the first directory is indexed, in a thread.
        from sklearn.feature_extraction.text import TfidfVectorizer

        self._vectorizer = TfidfVectorizer(analyzer=grams, sublinear_tf=True, norm=None)
        self._vectorizer.fit(sentences or ["-"])

    def embed(self, texts: Sequence[str]) -> Matrix:
        """See `Embedder.embed`. N-grams that no sentence holds make the row shorter."""
        import numpy as np
        from scipy.sparse import diags_array

        known = self._vectorizer.transform(texts)
        squares = np.asarray(known.multiply(known).sum(axis=1)).ravel()
        foreign = np.array([self._foreign(text) for text in texts])
        lengths = np.sqrt(squares + foreign)
        return diags_array(1 / np.maximum(lengths, 1e-9)) @ known

    def _foreign(self, text: str) -> float:
        """The squared length of what is unknown in `text`."""
        unknown = set(grams(text)) - self._vectorizer.vocabulary_.keys()
        return len(unknown) * _FOREIGN * float(self._vectorizer.idf_.max()) ** 2
