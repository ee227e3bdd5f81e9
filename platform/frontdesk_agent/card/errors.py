"""Everything that is wrong with a card, at once, in sentences that say how to write it right."""

import difflib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from frontdesk_agent.card.rules import RULE, names
from frontdesk_agent.errors import ErrorCode, FrontdeskError

Path = tuple[str | int, ...]
_SHOWN: Final = 20


@dataclass(frozen=True, slots=True)
class FieldError:
    """`field` is a dotted path (`capabilities.0`), empty for the whole card; `line` counts from 1 in YAML."""

    field: str
    message: str
    line: int | None = None


class CardError(FrontdeskError):
    """A card that cannot be. `errors` holds every fault.

    `details` is `[{field, message}]`, with `line` where it is known.
    """

    def __init__(self, errors: Iterable[FieldError]) -> None:
        self.errors = tuple(errors)
        details = [
            {"field": error.field, "message": error.message} | ({"line": error.line} if error.line else {})
            for error in self.errors
        ]
        super().__init__(ErrorCode.INVALID_INPUT, _summary(self.errors), details=details)


def _summary(errors: tuple[FieldError, ...]) -> str:
    shown = " ".join(map(_sentence, errors[:_SHOWN]))
    more = len(errors) - _SHOWN
    return f"{shown} And {more} more." if more > 0 else shown


def _sentence(error: FieldError) -> str:
    place = f"Line {error.line}: " if error.line else ""
    return f"{place}{error.message}" + ("" if error.message.endswith("?") else ".")


def fault(field: str, message: str) -> FieldError:
    """A `FieldError` whose message begins with the field's name: `fault("version", "must be SemVer")`."""
    return FieldError(field, f"{field} {message}".strip())


HINTS: Final[Mapping[str, str]] = {
    "name": "the agent's stable name, such as diagnosis_agent",
    "display_name": "what users see",
    "version": "SemVer, such as 1.2.0",
    "owner": "the e-mail address or staff id of who answers for it",
    "description": "two or three sentences: what it is, what it rests on, for whom",
    "capabilities": "3 to 6 sentences that begin with a verb and say what a user gets",
    "examples": "3 to 5 or more real questions in different wordings",
    "transport": "http, mcp, a2a, grpc or inproc",
    "timeout_ms": "the whole call's deadline in milliseconds, such as 10000",
    "stateful": "true if a conversation must always reach the same backend, else false",
    "input_schema_ref": "the contract it speaks, such as contracts/v1/AgentRequest",
    "output_schema_ref": "the contract it speaks, such as contracts/v1/AgentResponse",
    "type": "none, bearer, apikey or mtls",
    "url": "the server's address",
    "text": "what not to send here",
}

_Describe = Callable[[str, Mapping[str, Any], Any], str]
_CHARACTERS: Final = "must have at most {} characters"
_KINDS: Final[Mapping[str, _Describe]] = {
    RULE: lambda _, context, __: str(context["message"]),
    "missing": lambda field, _, __: "is required" + (f": {HINTS[field]}" if field in HINTS else ""),
    "string_type": lambda field, _, value: _not_text(field, value),
    "string_unicode": lambda *_: "must not contain broken characters (lone surrogates)",
    "string_too_short": lambda *_: "must not be empty",
    "string_too_long": lambda _, context, __: _CHARACTERS.format(context["max_length"]),
    "tuple_type": lambda *_: "must be a list, even with one entry",
    "too_short": lambda field, *_: (
        "needs at least one entry" + (f": {HINTS[field]}" if field in HINTS else "")
    ),
    "too_long": lambda _, context, __: f"must have at most {context['max_length']} entries",
    "bool_type": lambda *_: "must be true or false, without quotes",
    "int_type": lambda *_: "must be a whole number, without quotes",
    "literal_error": lambda _, context, __: "must be one of " + context["expected"].replace("'", ""),
    "greater_than_equal": lambda _, context, __: f"must be at least {context['ge']}",
    "less_than_equal": lambda _, context, __: f"must be at most {context['le']}",
    "model_type": lambda *_: "must be a mapping of fields",
    "dict_type": lambda *_: "must be a mapping of fields",
    "model_attributes_type": lambda *_: "must be a mapping of fields",
}


def from_pydantic(error: ValidationError, known: Mapping[Path, Iterable[str]]) -> list[FieldError]:
    """Pydantic's findings in our words. `known` lists the field names at a path (without positions)."""
    return [_field_error(item, known) for item in error.errors(include_url=False)]


def _field_error(item: ErrorDetails, known: Mapping[Path, Iterable[str]]) -> FieldError:
    path: Path = item["loc"]
    field = ".".join(map(str, path))
    last = next((part for part in reversed(path) if isinstance(part, str)), "")
    if item["type"] == "extra_forbidden":
        return fault(field, _unknown(path, known))
    describe = _KINDS.get(item["type"])
    message = describe(last, item.get("ctx", {}), item["input"]) if describe else "is not valid"
    return fault(field, message)


def _unknown(path: Path, known: Mapping[Path, Iterable[str]]) -> str:
    above = tuple(part for part in path[:-1] if isinstance(part, str))
    close = difflib.get_close_matches(str(path[-1]), list(known.get(above, ())), n=2)
    return "is no field of a card" + (f"; did you mean {names(close)}?" if close else "")


def _not_text(field: str, value: Any) -> str:
    if field == "version":
        return 'must be SemVer in text, such as 1.2.0; YAML reads 1.0 as a number, so write "1.0.0"'
    if isinstance(value, bool | int | float):
        return "must be text; put it in quotes"
    return "must be text"
