"""Finding the passages that answer a question, or that none does.

Two measures: likeness of character n-grams ranks the passages; how much of what the question is about occurs
in a passage at all decides whether it may be quoted. Chinese terms are looked up in `data/glossary.json`.
"""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from sample_agents.files import load
from sample_agents.passages import Passage
from sample_agents.words import normal, word_lists

_WORD = re.compile(r"[a-z0-9_][a-z0-9_.-]*[a-z0-9_]")
_CHINESE = re.compile(r"[\u3400-\u9fff]+")
_CHINESE_FILLERS = re.compile("|".join(word_lists("retrieval")["chinese_fillers"]))
_STOP_WORDS = frozenset(word_lists("retrieval")["stop_words"])
_LEAST_COVERED = 0.6
_TITLE_BONUS = 0.4
_NAME_BONUS = 2.0


@dataclass(frozen=True, slots=True)
class Term:
    """One thing that a question is about, in all its spellings; `weight` says how telling it is."""

    spellings: tuple[str, ...]
    weight: float

    def occurs(self, text: str) -> bool:
        return any(spelling in text for spelling in self.spellings)


class PassageIndex:
    """Passages made ready for search. Building takes a moment: do it in a thread."""

    def __init__(self, passages: Sequence[Passage]) -> None:
        # scikit-learn takes long to import: only when somebody searches.
        from sklearn.feature_extraction.text import TfidfVectorizer

        self._passages = passages
        self._texts = [normal(f"{passage.title}\n{passage.text}") for passage in passages]
        self._titles = [normal(passage.headings[-1] if passage.headings else "") for passage in passages]
        self._vectorizer = TfidfVectorizer(analyzer="char_wb", ngram_range=(2, 4), sublinear_tf=True)
        self._matrix = self._vectorizer.fit_transform(self._texts) if self._texts else None

    def search(self, question: str, *, limit: int = 3) -> list[Passage]:
        """The passages that fit, best first, one a section; empty when none is about what was asked."""
        terms = self._terms(question)
        whole = sum(term.weight for term in terms)
        if not whole or self._matrix is None:
            return []
        expanded = " ".join(spelling for term in terms for spelling in term.spellings)
        likeness = (self._matrix @ self._vectorizer.transform([expanded]).T).toarray().ravel()
        scored = []
        for position, passage in enumerate(self._passages):
            covered = sum(term.weight for term in terms if term.occurs(self._texts[position])) / whole
            if covered >= _LEAST_COVERED:
                titled = sum(term.weight for term in terms if term.occurs(self._titles[position])) / whole
                scored.append(
                    (covered + float(likeness[position]) + _TITLE_BONUS * titled, position, passage)
                )
        scored.sort(key=lambda item: (-item[0], item[1]))
        best: dict[tuple[str, tuple[str, ...]], Passage] = {}
        for _, _, passage in scored:
            best.setdefault((passage.path, passage.headings), passage)
        return list(best.values())[:limit]

    def _terms(self, question: str) -> list[Term]:
        compared = normal(question)
        words = dict.fromkeys(word for word in _WORD.findall(compared) if word not in _STOP_WORDS)
        spelled = [_stems(word) for word in words if len(word) > 1]
        return [Term(spellings, self._weight(spellings)) for spellings in (*spelled, *_chinese(compared))]

    def _weight(self, spellings: tuple[str, ...]) -> float:
        """Rarer is more telling, what occurs nowhere the most; so are names such as `secret_ref`."""
        count = sum(any(spelling in text for spelling in spellings) for text in self._texts)
        weight = 1 + math.log((1 + len(self._texts)) / (1 + count))
        return weight * (_NAME_BONUS if re.search("[_.]", spellings[0]) else 1)


def _stems(word: str) -> tuple[str, ...]:
    """`registering` is also found as `register`."""
    stem = re.sub(r"(?:ing|ed|es|s)$", "", word)
    return (word, stem) if stem != word and len(stem) > 3 else (word,)


def _chinese(text: str) -> list[tuple[str, ...]]:
    """The Chinese terms of a question with their spellings; one not in the glossary has only itself."""
    terms: list[tuple[str, ...]] = []
    for run in _CHINESE.findall(text):
        rest = run
        for term in sorted(_glossary(), key=len, reverse=True):
            if term in rest:
                terms.append((term, *_glossary()[term]))
                rest = rest.replace(term, " ")
        for unknown in _CHINESE_FILLERS.sub(" ", rest).split():
            terms += [(unknown[start : start + 2],) for start in range(0, len(unknown), 2)]
    return list(dict.fromkeys(terms))


@cache
def _glossary() -> Mapping[str, tuple[str, ...]]:
    return {term: tuple(words.split()) for term, words in load("glossary.json").items()}
