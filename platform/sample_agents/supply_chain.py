"""The supply-chain agent: how many pieces lie where, and when more can arrive."""

import asyncio
import re
from collections.abc import AsyncIterator, Sequence
from datetime import UTC, date, datetime

from frontdesk_agent.contract import AgentRequest, Tool
from sample_agents.speech import Bilingual, Language, bullets, language_of, spoken, table
from sample_agents.stock import (
    Part,
    Warehouse,
    arrival,
    asked_for,
    named_parts,
    named_warehouses,
    near,
    parts,
    transfer,
    warehouses,
)
from sample_agents.words import mentions, normal, word_lists

_DELIVERY = word_lists("supply_chain")["delivery"]
_SHORTAGES = word_lists("supply_chain")["shortages"]
_STOCK = word_lists("supply_chain")["stock"]
_WANTED = re.compile(r"(?<![\w.])(\d{1,6})\s*(?:个|只|块|件|套|桶|条|pcs\b|pieces\b|units\b|sets\b)")
_LOW = 5
_NAME_LENGTH = 80

_CAPABILITIES = Bilingual(
    """I know the stock and lead times of service parts in Suzhou, Shanghai, Chengdu and Guangzhou. Ask me

- how many pieces are left: “How many 12 V batteries are left in Suzhou?”
- when more can arrive: “When will AGM batteries reach Chengdu?”
- what is out of stock: “What is out of stock in Chengdu?”
- everything in one place: “Show the stock of the Shanghai warehouse”""",
    """我掌握四个仓库（苏州、上海、成都、广州）售后零件的库存和交期，可以问我：

- 还剩多少：“苏州仓现在还剩多少个 12V 蓄电池”
- 何时到货：“成都仓的 AGM 蓄电池什么时候到货”
- 哪些缺货：“成都仓哪些零件缺货”
- 整仓库存：“查看上海仓的库存”""",
)


async def agent(request: AgentRequest) -> AsyncIterator[str | Tool]:
    """Answer a question about stock or delivery."""
    for part in await asyncio.to_thread(named_parts, request.input):
        yield Tool(name="look_up_stock", arguments={"part": part.number})
    today = datetime.now(UTC).date()
    async for piece in spoken(await asyncio.to_thread(answer, request.input, language_of(request), today)):
        yield piece


def answer(text: str, language: Language, today: date) -> str:
    """The whole answer in Markdown; delivery dates count from `today`."""
    compared = normal(text)
    found, places = named_parts(text), named_warehouses(text)
    if found:
        wanted = _WANTED.search(compared)
        quantity = int(wanted[1]) if wanted else None
        delivery = mentions(compared, _DELIVERY)
        return "\n\n".join(
            _part(part, places, language, today, quantity=quantity, delivery=delivery) for part in found
        )
    if mentions(compared, _SHORTAGES):
        return _shortages(places or warehouses(), language, today)
    unknown = asked_for(text)
    if unknown and (places or mentions(compared, (*_STOCK, *_DELIVERY))):
        return _unknown(unknown, language)
    if places:
        return "\n\n".join(_warehouse(place, language) for place in places)
    return _CAPABILITIES.in_(language)


def _part(
    part: Part,
    places: Sequence[Warehouse],
    language: Language,
    today: date,
    *,
    quantity: int | None,
    delivery: bool,
) -> str:
    lines = [_in_stock(part, places, language)]
    held = sum(part.stock[place.id] for place in places) if places else part.total
    if quantity is not None:
        lines.append(_enough(quantity, held, language))
    if delivery or held == 0 or (quantity is not None and quantity > held):
        lines.append(_supply(part, places, held, language, today))
    return "\n\n".join(lines)


def _in_stock(part: Part, places: Sequence[Warehouse], language: Language) -> str:
    name = part.name.in_(language)
    if len(places) == 1:
        count = part.stock[places[0].id]
        place = places[0].name.in_(language)
        if language == "zh":
            return f"{place}现在还剩 **{count} 个** {name}（料号 `{part.number}`）。"
        pieces = "piece" if count == 1 else "pieces"
        return f"{place}: **{count} {pieces}** of “{name}” left (part number `{part.number}`)."
    shown = places or warehouses()
    rows = [[place.name.in_(language), str(part.stock[place.id])] for place in shown]
    rows.append(
        [
            "**合计**" if language == "zh" else "**Total**",
            f"**{sum(part.stock[place.id] for place in shown)}**",
        ]
    )
    header = ["仓库", "数量"] if language == "zh" else ["Warehouse", "Pieces"]
    return f"### {name} (`{part.number}`)\n\n{table(header, rows)}"


def _enough(quantity: int, held: int, language: Language) -> str:
    if quantity <= held:
        return (
            f"您要 {quantity} 个：**够**，取走后还剩 {held - quantity} 个。"
            if language == "zh"
            else f"You want {quantity}: **enough**, {held - quantity} will be left."
        )
    return (
        f"您要 {quantity} 个：**不够**，差 {quantity - held} 个。"
        if language == "zh"
        else f"You want {quantity}: **not enough**, {quantity - held} short."
    )


def _supply(part: Part, places: Sequence[Warehouse], held: int, language: Language, today: date) -> str:
    """From another warehouse, and from the supplier."""
    lines = []
    rest = part.total - held
    if places and rest:
        lines.append(
            f"其他仓库共有 {rest} 个，今天调拨预计 **{transfer(today)}** 到。"
            if language == "zh"
            else f"Other warehouses hold {rest}; sent today they arrive on **{transfer(today)}**."
        )
    due = arrival(part, today)
    lines.append(
        f"向供应商订货需 {part.lead_days} 个工作日，今天下单预计 **{due}** 到货。"
        if language == "zh"
        else f"From the supplier: {part.lead_days} working days, ordered today it arrives on **{due}**."
    )
    return bullets(lines)


def _shortages(places: Sequence[Warehouse], language: Language, today: date) -> str:
    rows = [
        [
            place.name.in_(language),
            f"{part.name.in_(language)} (`{part.number}`)",
            str(count),
            str(arrival(part, today)),
        ]
        for place in places
        for part in parts()
        if (count := part.stock[place.id]) < _LOW
    ]
    if not rows:
        return "这里没有缺货或低库存的零件。" if language == "zh" else "Nothing is out of stock or low there."
    if language == "zh":
        return f"## 缺货与低库存（少于 {_LOW} 个）\n\n" + table(
            ["仓库", "零件", "数量", "今天下单到货"], rows
        )
    return f"## Out of stock or low (fewer than {_LOW})\n\n" + table(
        ["Warehouse", "Part", "Pieces", "Ordered today, arrives"], rows
    )


def _warehouse(place: Warehouse, language: Language) -> str:
    rows = [[part.name.in_(language), f"`{part.number}`", str(part.stock[place.id])] for part in parts()]
    header = ["零件", "料号", "数量"] if language == "zh" else ["Part", "Number", "Pieces"]
    return f"## {place.name.in_(language)}\n\n{table(header, rows)}"


def _unknown(name: str, language: Language) -> str:
    name = name[:_NAME_LENGTH].replace("`", "'")
    similar = [f"{part.name.in_(language)} (`{part.number}`)" for part in near(name)]
    if language == "zh":
        text = f"库存表里没有“{name}”，所以我说不出它的数量。"
        return f"{text}\n\n相近的零件：\n\n{bullets(similar)}" if similar else f"{text}\n\n{_CAPABILITIES.zh}"
    text = f"My stock table has no “{name}”, so I cannot tell its quantity."
    return f"{text}\n\nSimilar parts:\n\n{bullets(similar)}" if similar else f"{text}\n\n{_CAPABILITIES.en}"
