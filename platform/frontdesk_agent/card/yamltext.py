"""Cards as YAML 1.2, in and out."""

import io
from dataclasses import replace
from typing import Any, Final

from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError
from ruamel.yaml.scalarstring import LiteralScalarString

from frontdesk_agent.card.errors import CardError, FieldError
from frontdesk_agent.card.model import AgentCard
from frontdesk_agent.card.parsing import parse_card
from frontdesk_agent.card.yamlread import Document, read_documents, syntax_fault

MAX_BYTES: Final = 1024 * 1024
"""How large a YAML text of many cards may be."""
MAX_CARD_BYTES: Final = 256 * 1024
"""How large the YAML of a single card may be."""


def card_from_yaml(text: str) -> AgentCard:
    """The one card in `text`. Raises `CardError`, with line numbers, for anything else."""
    cards = _cards(text, MAX_CARD_BYTES)
    if len(cards) > 1:
        raise CardError([FieldError("", f"The text holds {len(cards)} cards where one is expected")])
    return cards[0]


def cards_from_yaml(text: str) -> tuple[AgentCard, ...]:
    """The cards in `text`, one a document (`---` between them), at least one.

    Raises `CardError` with the faults of all documents; each has its line where there is one.
    """
    return _cards(text, MAX_BYTES)


def _cards(text: str, limit: int) -> tuple[AgentCard, ...]:
    cards: list[AgentCard] = []
    faults: list[FieldError] = []
    for document in _documents(text, limit):
        try:
            cards.append(_card(document))
        except CardError as error:
            faults += error.errors
    if faults:
        raise CardError(faults)
    if not cards:
        raise CardError([FieldError("", "The text holds no card")])
    return tuple(cards)


def card_to_yaml(card: AgentCard) -> str:
    """`card` as YAML that reads back as an equal card and is written the same way again."""
    data = {field: _pretty(value) for field, value in card.as_dict().items()}
    if card.not_for:
        data["not_for"] = [_pretty(str(item)) for item in card.not_for]
    yaml = YAML()
    yaml.default_flow_style = False
    yaml.allow_unicode = True
    yaml.width = 1 << 20  # folded lines make for noisy diffs
    yaml.indent(mapping=2, sequence=4, offset=2)
    stream = io.StringIO()
    yaml.dump(data, stream)
    return stream.getvalue()


def _documents(text: str, limit: int) -> list[Document]:
    if len(text) > limit or len(text.encode("utf-8", "surrogatepass")) > limit:
        raise CardError([FieldError("", f"The text must not be larger than {limit // 1024} kB")])
    try:
        return [document for document in read_documents(text) if document.data is not None]
    except YAMLError as error:
        raise CardError([syntax_fault(error)]) from None


def _card(document: Document) -> AgentCard:
    faults = list(document.faults)
    try:
        card = parse_card(document.data)
    except CardError as error:
        faults += [replace(item, line=item.line or document.line_of(item.field)) for item in error.errors]
    if faults:
        raise CardError(faults)
    return card


def _pretty(value: Any) -> Any:
    if isinstance(value, str) and "\n" in value and all(line == line.rstrip() for line in value.split("\n")):
        return LiteralScalarString(value)
    if isinstance(value, list):
        return [_pretty(item) for item in value]
    if isinstance(value, dict):
        return {key: _pretty(item) for key, item in value.items()}
    return value
