"""Sentences as vectors, so that what means the same lies near."""

from collections.abc import Callable, Sequence
from typing import Any, Protocol

Matrix = Any
"""A numpy array or a scipy sparse matrix of floats; both multiply with `@`."""


class Embedder(Protocol):
    """Turns texts into rows of a matrix.

    A row is at most 1 long, and the dot product of two is their likeness. A text that is partly foreign
    to the embedder gets a shorter row.
    """

    def embed(self, texts: Sequence[str]) -> Matrix:
        """`(len(texts), dimensions)`. May be called from several threads."""


EmbedderFactory = Callable[[Sequence[str]], Embedder]
"""Makes the embedder of one directory from all its sentences. Called in a thread; may take seconds."""


def character_ngrams(sentences: Sequence[str]) -> Embedder:
    """The embedder that needs no model."""
    # scikit-learn takes seconds to import: only when the first directory is indexed.
    from orchestration.routing.ngrams import CharacterNgrams

    return CharacterNgrams(sentences)
