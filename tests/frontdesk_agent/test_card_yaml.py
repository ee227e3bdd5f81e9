"""Cards as YAML: what goes out comes in again, and what is wrong is shown with its line."""

import random
from pathlib import Path

import pytest

from frontdesk_agent.card import (
    BLOCKS,
    AgentCard,
    CardError,
    FieldError,
    card_from_yaml,
    card_to_yaml,
    cards_from_yaml,
    parse_card,
)
from tests.frontdesk_agent.cards import CARD, INPROC

FULL = {
    **INPROC,
    "description": "First line.\nSecond line: with a colon.",
    "tags": ["车辆", "yes", "1.0"],
    "parent": "vehicle_coordinator",
    "capabilities": ["Explain: a code", "- look like a list", 'Say "hello" # not a comment', "null", "  x  "],
    "not_for": ["buying a car (→ sales_agent)", "订购配件（-> supply_chain_agent）", {"text": "cooking"}],
    "routing_keywords": ["re:P[0-9]{4}", "故障码", "@x"],
    "entrypoint": "prompt",
    "system_prompt": "You are\n\n  an expert.\n",
    "model": "small",
    "tools": ["sample_agents.tools.search"],
    "skills": ["workshop"],
    "mcp_servers": [{"url": "https://tools.example.org/mcp", "tools": ["search"]}],
    "strategy": "sequence",
    "max_retries": 2,
    "auth": {"type": "bearer", "secret_ref": "AGENT_SECRET_DIAGNOSIS"},
    "required_context": ["vin"],
    "max_calls_per_run": 1,
    "requires_approval": "always",
    "fallback": "general_agent",
    "remote_name": "diag-1",
    "timeout_ms": 3_600_000,
}


@pytest.mark.parametrize("data", [CARD, FULL])
def test_export_import_export_is_identical(data: dict[str, object]) -> None:
    card = parse_card(data)
    text = card_to_yaml(card)
    assert card_from_yaml(text) == card
    assert card_to_yaml(card_from_yaml(text)) == text


_PIECES = [
    "\n", "\r", "\r\n", "\x85", "\t", " ", "  ", "#", ":", ": ", "- ", "'", '"', "→", " (→ a_b)", "\ufeff",
    "\u200b", "\xa0", "\u3000", "a", "汉", "😀", "\U0010ffff", "\U0001fffe", "|", ">", "\xad", "%", "---",
    "...", "\n---\n", "\n...\n", "&x", "*x", "!t", "{", "[", "?", "=", "<<", "~", "null", "1.0", "\\",
    "\ue000", "\ufdd0", "@", "`", "\ufffe", "\uffff", "\x80", "\x9f",
]  # fmt: skip


def test_whatever_a_card_may_say_is_exported_so_that_it_reads_back() -> None:
    chance = random.Random(11)
    kept = 0
    for _ in range(1_500):
        texts = ["".join(chance.choices(_PIECES, k=chance.randint(1, 5))) for _ in range(4)]
        data = {
            "description": texts[0],
            "capabilities": [texts[1]],
            "not_for": [texts[2]],
            "tags": [texts[3]],
        }
        try:
            card = parse_card({**CARD, **data})
        except CardError:
            continue
        kept += 1
        text = card_to_yaml(card)
        assert card_from_yaml(text) == card, data
        assert card_to_yaml(card_from_yaml(text)) == text, data
    assert kept > 200


@pytest.mark.parametrize("scalar", ["!!bool maybe", '!!int ""', "!!float x", "!!bool 1", "!!int _"])
def test_a_value_that_is_not_of_its_type_is_an_error_with_its_line(scalar: str) -> None:
    with pytest.raises(CardError) as caught:
        card_from_yaml(f"name: a_b\nstateful: {scalar}\n")
    assert caught.value.errors[0].line == 2


def test_only_set_fields_in_the_order_of_the_blocks() -> None:
    keys = [line.partition(":")[0] for line in card_to_yaml(parse_card(CARD)).splitlines() if line[0] != " "]
    assert keys == [field for fields in BLOCKS.values() for field in fields if field in CARD]


def test_the_blocks_hold_every_field_once() -> None:
    assert sorted(field for fields in BLOCKS.values() for field in fields) == sorted(AgentCard.model_fields)


def test_arrows_are_written_back() -> None:
    assert "  - buying a car (→ sales_agent)\n" in card_to_yaml(parse_card(FULL))


def faults_of(text: str) -> tuple[FieldError, ...]:
    with pytest.raises(CardError) as caught:
        cards_from_yaml(text)
    return caught.value.errors


GOOD = card_to_yaml(parse_card(CARD))


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        ("", None, "no card"),
        ("# only a comment\n", None, "no card"),
        ("- a\n- b\n", 1, "mapping of fields"),
        ("just words", 1, "mapping of fields"),
        ("name: [", 1, "cannot be read"),
        ("name: 'x\n", 2, "cannot be read"),
        ("\tname: x", 1, "cannot be read"),
        ("name: &x a\nparent: *x\n", 2, "aliases"),
        ("a: &a [1]\nb: &b [*a, *a]\n", 2, "aliases"),
        ("name: !!python/object/apply:os.system [ls]\n", 1, "tags"),
        ("name: !secret x\n", 1, "tags"),
        ("\n" + "[" * 40, 2, "nested"),
        ("name: \x00", None, "cannot be read"),
        ("{a: " * 5000, 1, "nested"),
        ("1: x\n", 1, "must be text"),
        ("? [a]\n: x\n", 1, "must be text"),
        ("name: x" + " " * 1024 * 1024, None, "larger than 1024 kB"),
    ],
)
def test_bad_yaml(text: str, line: int | None, says: str) -> None:
    first = faults_of(text)[0]
    assert says in first.message
    assert first.line == line


def test_duplicate_keys_have_their_line() -> None:
    (fault,) = faults_of(GOOD + "version: 2.0.0\n")
    assert fault == FieldError("version", "version is given twice", GOOD.count("\n") + 1)


def test_duplicate_keys_deep_inside() -> None:
    (fault,) = faults_of(GOOD + "auth:\n  type: none\n  type: none\n")
    assert (fault.field, fault.line) == ("auth.type", GOOD.count("\n") + 3)


def test_unknown_fields_and_wrong_values_have_their_line() -> None:
    faults = faults_of(GOOD.replace("version: 1.2.0", "version: 1.0") + "colour: red\n")
    lines = {fault.field: fault.line for fault in faults}
    assert lines == {"version": 3, "colour": GOOD.count("\n") + 1}


def test_list_items_have_their_line() -> None:
    (fault,) = faults_of(GOOD.replace("  - what does P0420 mean", "  - ''"))
    line = GOOD.splitlines().index("  - what does P0420 mean") + 1
    assert (fault.field, fault.line) == ("examples.0", line)


def test_many_documents() -> None:
    other = GOOD.replace("diagnosis_agent", "other_agent")
    cards = cards_from_yaml(f"---\n{GOOD}---\n{other}---\n")
    assert [card.name for card in cards] == ["diagnosis_agent", "other_agent"]
    with pytest.raises(CardError, match="2 cards"):
        card_from_yaml(f"{GOOD}---\n{other}")


def test_faults_of_all_documents() -> None:
    bad = GOOD.replace("1.2.0", "x")
    assert [fault.line for fault in faults_of(f"{bad}---\n{bad}")] == [3, 3 + GOOD.count("\n") + 1]


def test_an_empty_value_is_a_field_left_out() -> None:
    assert card_from_yaml(GOOD + "tags:\nparent: null\n") == card_from_yaml(GOOD)


def test_yaml_1_2_words_are_words() -> None:
    assert card_from_yaml(GOOD + "tags: [yes, on, 2024-01-01]\n").tags == ("yes", "on", "2024-01-01")


def test_a_secret_is_not_repeated() -> None:
    secret = "hunter2-hunter2"
    with pytest.raises(CardError) as caught:
        card_from_yaml(GOOD + f"auth: {{type: bearer, secret_ref: {secret}}}\n")
    assert secret not in f"{caught.value} {caught.value.details}"


def test_the_card_in_the_readme() -> None:
    readme = Path(__file__).resolve().parents[2] / "platform" / "frontdesk_agent" / "README.md"
    text = readme.read_text(encoding="utf-8").partition("```yaml\n")[2].partition("```")[0]
    assert card_from_yaml(text).not_for[0].agent == "supply_chain_agent"
