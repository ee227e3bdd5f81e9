"""What a card may hold fits its column, and the other way round."""

from typing import Any

import pytest
from django.db import models

from frontdesk_agent.card import CardError, parse_card
from registry.mapping import VERSION_FIELDS
from registry.models import AgentVersion, Tag

LONG: dict[str, Any] = {
    "version": lambda n: "1.0.0-" + "a" * (n - 6),
    "display_name": lambda n: "x" * n,
    "owner": lambda n: "x" * (n - 12) + "@example.org",
    "endpoint": lambda n: "https://agents.example.org/" + "x" * (n - 27),
    "stream_endpoint": lambda n: "https://agents.example.org/" + "x" * (n - 27),
    "health": lambda n: "https://agents.example.org/" + "x" * (n - 27),
    "remote_name": lambda n: "x" * n,
    "input_schema_ref": lambda n: "contracts/v1/" + "x" * (n - 13),
    "output_schema_ref": lambda n: "contracts/v1/" + "x" * (n - 13),
    "parent": lambda n: "x" * n,
    "fallback": lambda n: "x" * n,
    "entrypoint": lambda n: "sample_agents." + "x" * (n - 14),
    "model": lambda n: "x" * n,
}
CHOICES = {"transport", "strategy", "requires_approval"}
INPROC = {"transport": "inproc", "endpoint": None, "entrypoint": "prompt", "system_prompt": "You are"}
AROUND = {
    "entrypoint": INPROC | {"system_prompt": None},
    "model": INPROC,
}


def limits() -> dict[str, int]:
    fields = {name: AgentVersion._meta.get_field(name) for name in VERSION_FIELDS}
    return {name: f.max_length for name, f in fields.items() if isinstance(f, models.CharField)}


def test_every_short_text_is_measured_here():
    assert set(LONG) | CHOICES == set(limits())


@pytest.mark.parametrize("name", LONG)
def test_a_card_s_limit_is_its_column_s(card_data, name):
    limit, around = limits()[name], AROUND.get(name, {})
    parse_card(card_data(**around | {name: LONG[name](limit)}))
    with pytest.raises(CardError):
        parse_card(card_data(**around | {name: LONG[name](limit + 1)}))


def test_a_tag_s_limit_is_its_column_s(card_data):
    limit = Tag._meta.get_field("name").max_length
    parse_card(card_data(tags=["x" * limit]))
    with pytest.raises(CardError):
        parse_card(card_data(tags=["x" * (limit + 1)]))
