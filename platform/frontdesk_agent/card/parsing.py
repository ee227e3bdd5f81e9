"""From data to cards, with every fault reported at once."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from pydantic import ValidationError

from frontdesk_agent.card.consistency import contradictions
from frontdesk_agent.card.errors import CardError, FieldError, Path, fault, from_pydantic
from frontdesk_agent.card.model import AgentCard, Auth, McpServer, NotFor, dotted_within

_KNOWN: Final[Mapping[Path, Sequence[str]]] = {
    (): tuple(AgentCard.model_fields),
    ("auth",): tuple(Auth.model_fields),
    ("not_for",): tuple(NotFor.model_fields),
    ("mcp_servers",): tuple(McpServer.model_fields),
    ("mcp_servers", "auth"): tuple(Auth.model_fields),
}


def parse_card(data: Mapping[str, Any]) -> AgentCard:
    """The card that `data` (JSON-able, as from YAML, REST or a form) declares.

    Raises `CardError` with every fault of the card, each with its field and a sentence.
    """
    if not isinstance(data, Mapping):
        raise CardError([FieldError("", "A card must be a mapping of fields")])
    try:
        return AgentCard.model_validate(dict(data))
    except ValidationError as error:
        found = from_pydantic(error, _KNOWN)
    # No chaining: a validation error shows the values it refused, and one of them may be a pasted secret.
    wrong = {item.field for item in found}
    faults = [item for item in found if item.field]
    faults += [item for item in contradictions(data) if item.field not in wrong]
    raise CardError(faults or found)


def check_entrypoint(card: AgentCard, allowed: Sequence[str]) -> None:
    """Refuse code outside `allowed`, the dotted prefixes that may run in the platform's own process.

    Covers `entrypoint` and `tools`; imports nothing. Raises `CardError`.
    """
    paths = [(f"tools.{position}", path) for position, path in enumerate(card.tools)]
    if card.entrypoint not in {None, "prompt"}:
        paths.insert(0, ("entrypoint", str(card.entrypoint)))
    where = f"one of: {', '.join(allowed)}" if allowed else "an allowed place, and none is configured"
    faults = [
        fault(field, f"is outside the code that may run here; it must be in {where}")
        for field, path in paths
        if not dotted_within(path, allowed)
    ]
    if faults:
        raise CardError(faults)
