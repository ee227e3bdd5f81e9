"""Trouble codes: every one that is known, however it is written, and honesty about the others."""

import re

import pytest

from sample_agents import diagnosis
from sample_agents.trouble_codes import book, defined_by_maker, is_standard, read
from tests.sample_agents.asking import Ask

CHINESE = re.compile("[\u4e00-\u9fff]")
FULL_WIDTH = {code: code + 0xFEE0 for code in range(0x21, 0x7F)}


def test_the_book_holds_at_least_120_codes_of_all_four_systems() -> None:
    assert len(book()) >= 120
    assert {code[0] for code in book()} == set("PCBU")


@pytest.mark.parametrize("code", sorted(book()))
def test_every_code_is_whole_in_both_languages(code: str) -> None:
    entry = book()[code]
    assert re.fullmatch("[PCBU][0-3][0-9A-F]{3}", code)
    assert not defined_by_maker(code)
    assert 2 <= len(entry.causes) <= 5
    assert 2 <= len(entry.checks) <= 5
    for text in (entry.meaning, *entry.causes, *entry.checks):
        assert text.en.strip() == text.en != ""
        assert not CHINESE.search(text.en)
        assert CHINESE.search(text.zh)


async def test_every_code_is_explained_in_lower_case_and_in_full_width(ask: Ask) -> None:
    for code, entry in book().items():
        assert entry.meaning.en in (await ask(diagnosis.agent, f"what does {code.lower()} mean")).text
        answer = await ask(diagnosis.agent, f"{code.translate(FULL_WIDTH)}是什么故障？")
        assert f"## {code}：{entry.meaning.zh}" in answer.text


async def test_one_code_comes_with_meaning_causes_and_checks(ask: Ask) -> None:
    answer = await ask(diagnosis.agent, "P0171 是什么故障？")
    assert answer.text.startswith("## P0171：混合气过稀（1 列）")
    assert "**可能原因**" in answer.text
    assert "1. 读取怠速与 2500 转的短期/长期燃油修正" in answer.text
    assert [tool.arguments for tool in answer.tools] == [{"code": "P0171"}]
    assert len(answer.pieces) > 20


async def test_a_code_alone_is_answered_in_the_persons_language(ask: Ask) -> None:
    assert "混合气过稀" in (await ask(diagnosis.agent, "P0171", locale="zh-hans")).text
    assert "System too lean" in (await ask(diagnosis.agent, "p0171", locale="en")).text


async def test_many_codes_become_one_table(ask: Ask) -> None:
    codes = ["P0300", "P0420", "P0455", "U0100", "C0031", "B0001"]
    answer = await ask(diagnosis.agent, f"I read {', '.join(codes)}. And P0300 again!")
    rows = [line for line in answer.text.splitlines() if line.startswith("| ")]
    assert [row.split(" | ")[0] for row in rows[2:]] == [f"| {code}" for code in codes]
    assert all(book()[code].meaning.en in answer.text for code in codes)


async def test_codes_that_belong_together_are_seen_together(ask: Ask) -> None:
    answer = await ask(diagnosis.agent, "P0171 and P0174")
    assert "Both banks are lean" in answer.text
    assert "Both banks" not in (await ask(diagnosis.agent, "P0171 and P0420")).text


async def test_all_codes_at_once_stay_readable(ask: Ask) -> None:
    answer = await ask(diagnosis.agent, " ".join(book()))
    assert f"{len(book()) - 40} more are not shown." in answer.text


@pytest.mark.parametrize("language", ["en", "zh"])
async def test_p9999_is_honestly_unknown(ask: Ask, language: str) -> None:
    answer = await ask(diagnosis.agent, {"en": "what is P9999", "zh": "P9999 是什么"}[language])
    assert {"en": "## P9999: unknown", "zh": "## P9999：未知"}[language] in answer.text
    assert {"en": "no second digit 9", "zh": "第二位 9"}[language] in answer.text
    assert {"en": "Likely causes", "zh": "可能原因"}[language] not in answer.text


@pytest.mark.parametrize(
    ("code", "told"),
    [
        ("P1234", "defined by the vehicle's maker"),
        ("U1000", "defined by the vehicle's maker"),
        ("P3000", "defined by the vehicle's maker"),
        ("P34FF", "this range is generic"),
        ("P0399", "ignition system or misfire"),
        ("P0899", "transmission"),
        ("B3FFF", "stands for body"),
    ],
)
async def test_an_unknown_code_tells_what_its_characters_say(ask: Ask, code: str, told: str) -> None:
    answer = await ask(diagnosis.agent, f"what about {code}?")
    assert f"## {code}: unknown" in answer.text
    assert told in answer.text


async def test_known_and_unknown_together(ask: Ask) -> None:
    answer = await ask(diagnosis.agent, "P0171 and P9999")
    assert "## P0171: System too lean" in answer.text
    assert "## P9999: unknown" in answer.text


@pytest.mark.parametrize(
    ("text", "malformed"),
    [
        ("PO171 keeps coming back", {"PO171": "P0171"}),
        ("what is P01711", {"P01711": None}),
        ("P017?", {"P017": None}),
        ("the code P0G71", {"P0G71": None}),
        ("fault code X0171", {"X0171": None}),
        ("code UO1OO", {}),
    ],
)
def test_slips_are_recognised(text: str, malformed: dict[str, str | None]) -> None:
    assert read(text).malformed == malformed


@pytest.mark.parametrize("text", ["My C300 needs tyres", "a B2B fleet", "5W30 oil", "VIN WP0ZZZ99ZTS392124"])
def test_other_names_are_no_codes(text: str) -> None:
    written = read(text)
    assert written.codes == ()
    assert written.malformed == {}


async def test_a_slip_is_named_and_the_meant_code_explained(ask: Ask) -> None:
    answer = await ask(diagnosis.agent, "what does PO171 mean?")
    assert "you probably mean **P0171**" in answer.text
    assert "## P0171: System too lean" in answer.text
    assert "不是正确的故障码" in (await ask(diagnosis.agent, "故障码 P01711 是什么")).text


def test_spaces_and_hyphens_only_in_known_codes() -> None:
    assert read("P 0171, U-0100").codes == ("P0171", "U0100")
    assert read("plan B 2345").codes == ()


async def test_a_follow_up_is_about_the_codes_before(ask: Ask) -> None:
    history = [
        {"role": "user", "content": "what is P0420"},
        {"role": "assistant", "content": "…", "agent": "diagnosis_agent"},
    ]
    assert "## P0420" in (await ask(diagnosis.agent, "and how do I fix it?", history=history)).text
    assert "could not find" in (await ask(diagnosis.agent, "and how do I fix it?")).text


async def test_a_large_message_is_read_in_one_go(ask: Ask) -> None:
    answer = await ask(diagnosis.agent, "x1 P0 " * 30_000 + "P0171")
    assert "## P0171" in answer.text


def test_the_standard_knows_second_digits_up_to_3() -> None:
    assert [is_standard(f"P{digit}123") for digit in range(10)] == [True] * 4 + [False] * 6
