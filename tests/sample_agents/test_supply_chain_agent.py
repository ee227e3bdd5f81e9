"""Stock and delivery dates."""

from datetime import date

import pytest

from sample_agents import supply_chain
from sample_agents.stock import near, parts, warehouses
from sample_agents.supply_chain import answer
from tests.sample_agents.asking import Ask

MONDAY = date(2026, 11, 30)


def test_the_table_is_whole() -> None:
    assert len(parts()) >= 25
    for part in parts():
        assert set(part.stock) == {warehouse.id for warehouse in warehouses()}
        assert all(count >= 0 for count in part.stock.values())
        assert part.lead_days > 0
        assert part.name.en.isascii()
        assert not part.name.zh.isascii()


async def test_batteries_in_suzhou(ask: Ask) -> None:
    said = await ask(supply_chain.agent, "苏州仓现在还剩多少个 12V 蓄电池")
    assert "苏州仓现在还剩 **42 个** 12V 蓄电池 60Ah" in said.text
    assert [tool.arguments for tool in said.tools] == [{"part": "BAT-12V-60"}]


@pytest.mark.parametrize("part", [part.number for part in parts()])
def test_every_part_is_found_by_name_and_number(part: str) -> None:
    entry = next(entry for entry in parts() if entry.number == part)
    count = f"**{entry.stock['suzhou']} 个**"
    assert count in answer(f"苏州仓还有多少{entry.words[-1].rstrip('*')}？", "zh", MONDAY)
    assert f"(part number `{part}`)" in answer(f"how many {part.lower()} in Suzhou", "en", MONDAY)


def test_all_warehouses_side_by_side() -> None:
    said = answer("How many oil filters do we have?", "en", MONDAY)
    assert "| Suzhou warehouse | 310 |" in said
    assert "| **Total** | **1003** |" in said


def test_the_longer_name_wins() -> None:
    said = answer("AGM蓄电池的库存", "zh", MONDAY)
    assert "BAT-AGM-70" in said
    assert "BAT-12V-60" not in said


def test_several_parts_at_once() -> None:
    said = answer("苏州仓的火花塞和机油滤清器还剩多少？", "zh", MONDAY)
    assert "**400 个** 铱金火花塞" in said
    assert "**310 个** 机油滤清器" in said


def test_enough_or_not() -> None:
    said = answer("需要 50 个 12V 蓄电池，苏州仓够吗？", "zh", MONDAY)
    assert "**不够**，差 8 个" in said
    assert "其他仓库共有 50 个" in said
    assert "**enough**, 37 will be left" in answer("need 5 pieces of 12V battery in Suzhou", "en", MONDAY)


def test_delivery_dates_count_working_days() -> None:
    said = answer("成都仓的 AGM 蓄电池什么时候到货？", "zh", MONDAY)
    assert "**0 个**" in said
    assert "今天调拨预计 **2026-12-02** 到" in said
    assert "今天下单预计 **2026-12-09** 到货" in said
    friday = date(2026, 12, 4)
    assert "**2026-12-08**" in answer("When do oil filters arrive?", "en", friday)


def test_shortages() -> None:
    said = answer("Which parts are out of stock in Chengdu?", "en", MONDAY)
    assert "| Chengdu warehouse | Ignition coil (`COIL-01`) | 0 | 2026-12-07 |" in said
    assert "Shanghai" not in said


@pytest.mark.parametrize("text", ["查看上海仓的库存", "Show all the stock of the Shanghai warehouse"])
def test_a_whole_warehouse(text: str) -> None:
    header = 2
    assert answer(text, "zh", MONDAY).count("\n| ") == len(parts()) + header


@pytest.mark.parametrize(
    ("text", "language", "told"),
    [
        ("Do we have any brake pads in stock?", "en", "My stock table has no “brake pads”"),
        ("苏州仓还有多少刹车片", "zh", "库存表里没有“刹车片”"),
    ],
)
def test_an_unknown_part_is_said_to_be_unknown_with_near_ones(text: str, language: str, told: str) -> None:
    said = answer(text, "zh" if language == "zh" else "en", MONDAY)
    assert told in said
    assert "PAD-FR-01" in said
    assert "**0" not in said


def test_nothing_like_it() -> None:
    assert near("量子纠缠发生器") == ()
    assert "没有“量子纠缠发生器”" in answer("苏州仓有没有量子纠缠发生器？", "zh", MONDAY)


@pytest.mark.parametrize(("text", "told"), [("hello", "I know the stock"), ("你好", "我掌握四个仓库")])
async def test_anything_else_is_told_what_it_can_do(ask: Ask, text: str, told: str) -> None:
    assert told in (await ask(supply_chain.agent, text)).text
