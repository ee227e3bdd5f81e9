"""Finding the passages that answer a question, or that none does.

Two measures: likeness of character n-grams ranks the passages; how much of what the question is about occurs in a passage
at all decides whether it may be quoted. Chinese terms are looked up in a small glossary (`data/glossary.json`).
"""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from sample_agents.files import load
from sample_agents.passages import Passage
from sample_agents.words import normal

_WORD = re.compile(r"[a-z0-9_][a-z0-9_.-]*[a-z0-9_]")
_CHINESE = re.compile(r"[\u3400-\u9fff]+")
_CHINESE_FILLERS = re.compile(
    r"什么是|是什么|怎么样|怎么|怎样|如何|为什么|什么|哪里|哪些|哪个|多少|可以|能不能|能否|需要|请问|请|帮我|告诉我|介绍|一下|"
    r"一个|这个|那个|我们|我的|自己|使用|有没有|是否|应该|意思|[我你您的了吗呢是在有和与用把被对要想会能做到上里个新]"
)
_STOP_WORDS = frozenset(
    "the is are was were be been do does did how what which who where when why can could should would will may my our your "
    "you me it its this that these those an and or of to in on at for from with by as if then there about into i we us "
    "have has get make use used using need want please tell explain show mean means work works does between not no".split()
)
_LEAST_COVERED = 0.6
_TITLE_BONUS = 0.15


@dataclass(frozen=True, slots=True)
class Term:
    """One thing that a question is about, in all the spellings that count as it; `weight` says how telling it is."""

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
        self._titles = [normal(passage.title) for passage in passages]
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
                scored.append((covered + float(likeness[position]) + _TITLE_BONUS * titled, position, passage))
        scored.sort(key=lambda item: (-item[0], item[1]))
        best: dict[tuple[str, tuple[str, ...]], Passage] = {}
        for _, _, passage in scored:
            best.setdefault((passage.path, passage.headings), passage)
        return list(best.values())[:limit]

    def _terms(self, question: str) -> list[Term]:
        compared = normal(question)
        words = dict.fromkeys(word for word in _WORD.findall(compared) if word not in _STOP_WORDS)
        spelled = [(word, _stems(word)) for word in words if len(word) > 1]
        spelled += [(chinese, spellings) for chinese, spellings in _chinese(compared).items()]
        return [Term(spellings, self._weight(spellings)) for _, spellings in spelled]

    def _weight(self, spellings: tuple[str, ...]) -> float:
        """Rarer is more telling; what occurs nowhere is the most telling of all."""
        count = sum(any(spelling in text for spelling in spellings) for text in self._texts)
        return 1 + math.log((1 + len(self._texts)) / (1 + count))


def _stems(word: str) -> tuple[str, ...]:
    """`registering` is also found as `register`."""
    stem = re.sub(r"(?:ing|ed|es|s)$", "", word)
    return (word, stem) if stem != word and len(stem) > 3 else (word,)


def _chinese(text: str) -> Mapping[str, tuple[str, ...]]:
    """The Chinese terms of a question with their English spellings; a term that is not in the glossary has only itself."""
    terms: dict[str, tuple[str, ...]] = {}
    for run in _CHINESE.findall(text):
        rest = run
        for term in sorted(_glossary(), key=len, reverse=True):
            if term in rest:
                terms[term] = (term, *_glossary()[term])
                rest = rest.replace(term, " ")
        for unknown in _CHINESE_FILLERS.sub(" ", rest).split():
            terms |= {unknown[start : start + 2]: (unknown[start : start + 2],) for start in range(0, len(unknown), 2)}
    return terms


@cache
def _glossary() -> Mapping[str, tuple[str, ...]]:
    return {term: tuple(words.split()) for term, words in load("glossary.json").items()}
