"""The stock table of the supply-chain agent: parts, warehouses, pieces, lead times (`data/stock.json`)."""

import difflib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cache

from sample_agents.files import load
from sample_agents.speech import Bilingual
from sample_agents.words import longest, mentions, normal

_TRANSFER_DAYS = 2
_ALIKE = 0.55


@dataclass(frozen=True, slots=True)
class Warehouse:
    """A place where parts lie."""

    id: str
    name: Bilingual
    words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Part:
    """A part, with pieces in stock by warehouse id and the supplier's lead time in working days."""

    number: str
    name: Bilingual
    words: tuple[str, ...]
    stock: Mapping[str, int]
    lead_days: int

    @property
    def total(self) -> int:
        return sum(self.stock.values())


@cache
def warehouses() -> tuple[Warehouse, ...]:
    """Every warehouse."""
    return tuple(
        Warehouse(name, Bilingual(*entry["name"]), tuple(entry["words"]))
        for name, entry in load("stock.json")["warehouses"].items()
    )


@cache
def parts() -> tuple[Part, ...]:
    """Every part."""
    return tuple(
        Part(
            entry["number"],
            Bilingual(*entry["name"]),
            tuple(entry["words"]),
            entry["stock"],
            entry["lead_days"],
        )
        for entry in load("stock.json")["parts"]
    )


def named_warehouses(text: str) -> tuple[Warehouse, ...]:
    """The warehouses that `text` names."""
    compared = normal(text)
    return tuple(warehouse for warehouse in warehouses() if mentions(compared, warehouse.words))


def named_parts(text: str) -> tuple[Part, ...]:
    """The parts that `text` names; of names that overlap, the longest counts."""
    compared = normal(text)
    found = [
        (span, part) for part in parts() if (span := longest(compared, (*part.words, part.number.casefold())))
    ]
    found.sort(key=lambda item: item[0][0] - item[0][1])
    kept: list[tuple[tuple[int, int], Part]] = []
    for span, part in found:
        if not any(span[0] < other[1] and other[0] < span[1] for other, _ in kept):
            kept.append((span, part))
    return tuple(part for _, part in sorted(kept, key=lambda item: item[0]))


_FILLERS = re.compile(
    r"仓库|现在|目前|还剩|剩余|剩|还有|有没有|多少|几个|几件|数量|库存|什么时候|何时|到货|交期|交货|能到|需要|请问|查一下|查询|"
    r"帮我|一下|是否|够吗|现货|缺货|查看|看看|看|所有|全部|整个|哪些|什么|零件|配件|列出|还|个|件|只|的|吗|呢|了|有|在|仓|"
    r"\b(?:how|many|much|is|are|there|do|does|we|you|have|has|any|in|at|the|a|an|of|stock|left|warehouse|what|when|"
    r"will|arrive|delivery|available|inventory|please|check|quantity|for|lead|time|pieces|pcs|units|can|i|get|need|"
    r"show|list|all|tell|me|give|everything|parts?|our|your|still|now|right|it|to|whole)\b|"
    r"(?<!\d)\d{1,6}\s*(?:个|件|只|块|pcs|pieces|units)|[^\w\s]"
)


def asked_for(text: str) -> str:
    """What is left of a question when warehouses and the words of asking are taken out."""
    compared = normal(text)
    for warehouse in warehouses():
        for word in warehouse.words:
            compared = compared.replace(word, " ")
    return " ".join(_FILLERS.sub(" ", compared).split())


def near(name: str) -> tuple[Part, ...]:
    """Up to three parts whose names resemble `name`, most alike first."""
    scored = [
        (max(_likeness(name, word) for word in (*part.words, *map(normal, part.name))), part)
        for part in parts()
    ]
    close = [item for item in scored if item[0] >= _ALIKE]
    close.sort(key=lambda item: -item[0])
    return tuple(part for _, part in close[:3])


def _likeness(one: str, other: str) -> float:
    return difflib.SequenceMatcher(None, one, other.rstrip("*")).ratio()


def arrival(part: Part, today: date) -> date:
    """When pieces ordered today from the supplier arrive: working days, Monday to Friday."""
    return _working_days(today, part.lead_days)


def transfer(today: date) -> date:
    """When pieces sent today from another warehouse arrive."""
    return _working_days(today, _TRANSFER_DAYS)


def _working_days(day: date, count: int) -> date:
    while count:
        day += timedelta(days=1)
        count -= day.weekday() < 5
    return day
