"""The cards that ship with the samples: whole, true, and not in each other's way."""

from collections.abc import Mapping
from importlib import import_module
from pathlib import Path

import pytest

from frontdesk_agent.card import AgentCard, card_from_yaml, card_to_yaml
from orchestration.directory import Directory, Entry
from orchestration.routing.keywords import Keywords
from orchestration.routing.text import fold

FOLDER = Path(__file__).resolve().parents[2] / "registry" / "agents"
CARDS: Mapping[str, AgentCard] = {
    path.stem: card_from_yaml(path.read_text(encoding="utf-8")) for path in sorted(FOLDER.glob("*.yaml"))
}
KEYWORDS = Keywords(Directory.of(Entry(card) for card in CARDS.values()))


def hits(text: str) -> set[str]:
    return {hit.agent for hit in KEYWORDS.find(fold(text))}


def test_six_agents_ship() -> None:
    assert set(CARDS) == {
        "diagnosis_agent",
        "aftersales_agent",
        "supply_chain_agent",
        "calibration_agent",
        "knowledge_agent",
        "general_agent",
    }


@pytest.mark.parametrize("name", CARDS)
def test_a_card_is_worth_copying(name: str) -> None:
    card = CARDS[name]
    assert card.name == name
    assert card.version == "1.0.0"
    assert card.owner.endswith("@example.com")
    assert 3 <= len(card.capabilities) <= 6
    assert 5 <= len(card.examples) <= 12
    assert len({example.isascii() for example in card.examples}) == 2
    assert card.tags
    assert card.not_for
    assert all(item.agent in CARDS for item in card.not_for)
    assert card.fallback is None or card.fallback in CARDS


@pytest.mark.parametrize("name", CARDS)
def test_export_and_import_change_nothing(name: str) -> None:
    text = card_to_yaml(CARDS[name])
    assert card_from_yaml(text) == CARDS[name]
    assert card_to_yaml(card_from_yaml(text)) == text


@pytest.mark.parametrize("name", [name for name, card in CARDS.items() if card.transport == "inproc"])
def test_an_entrypoint_leads_to_its_agent(name: str) -> None:
    module, _, attribute = str(CARDS[name].entrypoint).rpartition(".")
    assert callable(getattr(import_module(module), attribute))


def test_what_writes_is_never_tried_again() -> None:
    assert CARDS["aftersales_agent"].max_retries == 0
    assert CARDS["aftersales_agent"].stateful


@pytest.mark.parametrize(("name", "example"), [(n, e) for n, card in CARDS.items() for e in card.examples])
def test_keywords_never_catch_an_example_of_another_agent(name: str, example: str) -> None:
    assert hits(example) <= {name}


@pytest.mark.parametrize(
    ("question", "agent"),
    [
        ("P0171 是什么故障？", "diagnosis_agent"),
        ("P0171是什么", "diagnosis_agent"),
        ("what does p0420 mean", "diagnosis_agent"),
        ("P9999", "diagnosis_agent"),
        ("Ｐ０１７１", "diagnosis_agent"),
        ("苏州仓现在还剩多少个 12V 蓄电池", "supply_chain_agent"),
        ("把 as-1001 改到明天", "aftersales_agent"),
        ("帮我写一段关于秋天的短诗", None),
        ("Write a short poem about autumn", None),
        ("你好", None),
        ("Our data warehouse is slow", None),
    ],
)
def test_keywords_decide(question: str, agent: str | None) -> None:
    assert hits(question) == ({agent} if agent else set())


def test_the_fallback_has_no_keywords() -> None:
    assert CARDS["general_agent"].routing_keywords == ()
