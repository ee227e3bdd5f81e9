"""The cards of one directory, made ready to be compared with questions."""

from collections.abc import Iterator, Sequence
from typing import Any, Final

import numpy as np

from orchestration.directory import Directory
from orchestration.routing.decision import Candidate
from orchestration.routing.embedding import Embedder, EmbedderFactory, Matrix
from orchestration.routing.keywords import Keywords

_NEAREST: Final = 3
# How much each kind of likeness counts, and how much a refusal counts against.
_CENTROID: Final = 0.6
_FEW: Final = 0.2
_ONE: Final = 0.2
_REFUSAL: Final = 0.5


class Index:
    """Built once per directory, in a thread: it may import and compute for seconds.

    The fallback agent is not in it: it takes what nobody else does, and never wins by likeness.
    """

    def __init__(self, directory: Directory, embedder: EmbedderFactory) -> None:
        self.keywords = Keywords(directory)
        self._agents = [entry.name for entry in directory if entry.name != directory.fallback]
        sentences = [list(_sentences(directory, name)) for name in self._agents]
        refusals = [[item.text for item in _card(directory, name).not_for] for name in self._agents]
        self._embedder = embedder([text for group in (*sentences, *refusals) for text in group])
        self._takes = _Group(sentences, self._embedder)
        self._refuses = _Group(refusals, self._embedder)

    def rank(self, text: str) -> tuple[Candidate, ...]:
        """Every agent with its likeness to `text`, best first; 0 is nothing in common, 1 the same."""
        if not self._agents:
            return ()
        query = self._embedder.embed([text])
        takes = self._takes.score(query)
        refuses = self._refuses.nearest(query)
        scores = takes - _REFUSAL * np.maximum(0, refuses - 0.5 * takes)
        order = np.argsort(-scores, kind="stable")
        return tuple(Candidate(self._agents[at], round(float(max(scores[at], 0.0)), 4)) for at in order)


def _card(directory: Directory, name: str) -> Any:
    return directory.entries[name].card


def _sentences(directory: Directory, name: str) -> Iterator[str]:
    """What speaks for an agent: its own routing block, and what others say is for it."""
    card = _card(directory, name)
    yield card.display_name
    yield from card.capabilities
    yield from card.examples
    for other in directory:
        yield from (item.text for item in other.card.not_for if item.agent == name)


class _Group:
    """Sentences by agent, for a likeness per agent."""

    def __init__(self, sentences: Sequence[Sequence[str]], embedder: Embedder) -> None:
        sizes = [len(group) for group in sentences]
        texts = [text for group in sentences for text in group]
        rows = embedder.embed(texts or [""])
        starts = [sum(sizes[:at]) for at in range(len(sizes))]
        # Each agent's row numbers, padded with the number of a row that does not exist and is like nothing.
        self._places = np.full((len(sizes), max(_NEAREST, *sizes, 0)), rows.shape[0])
        for at, (start, size) in enumerate(zip(starts, sizes, strict=True)):
            self._places[at, :size] = range(start, start + size)
        lengths = [_length(rows[start : start + size]) for start, size in zip(starts, sizes, strict=True)]
        self._lengths = np.array(lengths)
        self._rows: Matrix = rows

    def score(self, query: Matrix) -> Any:
        """Between the likeness to an agent's sentences as a whole and to the nearest of them."""
        likeness = self._likeness(query)
        nearest = -np.partition(-likeness, range(_NEAREST), axis=1)[:, :_NEAREST]
        centroid = likeness.sum(axis=1) / self._lengths
        return _CENTROID * centroid + _FEW * nearest.mean(axis=1) + _ONE * nearest[:, 0]

    def nearest(self, query: Matrix) -> Any:
        """The likeness to the nearest sentence of each agent."""
        return self._likeness(query).max(axis=1)

    def _likeness(self, query: Matrix) -> Any:
        product = self._rows @ query.T
        flat = np.asarray(product.todense() if hasattr(product, "todense") else product).ravel()
        return np.append(flat, 0.0)[self._places]


def _length(rows: Matrix) -> float:
    """How long the sum of `rows` is; never 0."""
    return float(np.linalg.norm(np.asarray(rows.sum(axis=0)))) or 1.0
