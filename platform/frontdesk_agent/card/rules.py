"""What single values of a card must be like, each with a sentence that says how to write it right."""

import re
from collections.abc import Callable, Iterable
from typing import Annotated, Any, Final

import re2
import semver
from pydantic import AfterValidator, BeforeValidator, Strict, StringConstraints
from pydantic_core import PydanticCustomError

from frontdesk_agent.addresses import url_fault
from frontdesk_agent.secret_refs import REFERENCE_RULE, is_secret_ref

RULE: Final = "frontdesk_rule"
"""The type of this module's own errors: their message is already the end of a sentence about the field."""

NAME: Final = re.compile(r"[a-z][a-z0-9_]{1,62}", re.ASCII)
NAME_RULE: Final = (
    "must be 2 to 63 lower-case letters, digits and underscores, letter first, such as diagnosis_agent"
)

_EMAIL = re.compile(r"[^@\s<>,;]+@[^@\s<>,;]+\.[^@\s<>,;.]+")
_STAFF_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}", re.ASCII)
_ENTRYPOINT = re.compile(r"[A-Za-z]\w*(\.[A-Za-z]\w*)+", re.ASCII)
_SCHEMA_REF = re.compile(r"contracts/v([1-9][0-9]{0,2})/[A-Za-z][A-Za-z0-9_]*", re.ASCII)
_CONTEXT_FIELD = re.compile(r"[a-z][a-z0-9_]{0,62}", re.ASCII)
_ARROW = re.compile(r"\s*[(（]\s*(?:→|->)\s*([^()（）]*?)\s*[)）]\s*$")
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\ufffe\uffff]")
_LINE_BREAK = re.compile(r"\r\n|\r|\x85")

_RE2_OPTIONS = re2.Options()
_RE2_OPTIONS.log_errors = False
_RE2_OPTIONS.max_mem = 1 << 20


def broken(message: str) -> PydanticCustomError:
    """The error for a value that breaks a rule; `message` follows the field's name in a sentence."""
    return PydanticCustomError(RULE, "{message}", {"message": message})


def _matching(pattern: re.Pattern[str], message: str) -> AfterValidator:
    def check(value: str) -> str:
        if not pattern.fullmatch(value):
            raise broken(message)
        return value

    return AfterValidator(check)


def _fault(find: Callable[[str], str | None]) -> AfterValidator:
    def check(value: str) -> str:
        message = find(value)
        if message:
            raise broken(message)
        return value

    return AfterValidator(check)


def _text_fault(value: str) -> str | None:
    return "must not contain control characters" if _CONTROL.search(value) else None


def _line_fault(value: str) -> str | None:
    return "must be one line" if "\n" in value else None


def _version_fault(value: str) -> str | None:
    if semver.Version.is_valid(value):
        return None
    return "must be SemVer, such as 1.2.0 (three numbers with dots, no v in front)"


def _owner_fault(value: str) -> str | None:
    if _EMAIL.fullmatch(value) or _STAFF_ID.fullmatch(value):
        return None
    return "must be an e-mail address, such as team@example.org, or a staff id"


def _keyword_fault(value: str) -> str | None:
    if not value.startswith("re:"):
        return None
    try:
        pattern = re2.compile(value.removeprefix("re:"), _RE2_OPTIONS)
    except re2.error as error:
        reason = error.args[0].decode("utf-8", "replace") if error.args else "unknown"
        return (
            f"must be a valid expression after re: ({reason}); look-around and back-references do not exist"
        )
    if pattern.search("") is not None:
        return "must be an expression that does not match the empty text"
    return None


def _schema_fault(value: str) -> str | None:
    if _SCHEMA_REF.fullmatch(value):
        return None
    return "must name a contract, such as contracts/v1/AgentRequest"


def _distinct(values: tuple[str, ...]) -> tuple[str, ...]:
    seen: set[str] = set()
    for position, value in enumerate(values, start=1):
        if value.casefold() in seen:
            raise broken(f"must not list the same thing twice (entry {position} repeats an earlier one)")
        seen.add(value.casefold())
    return values


def split_arrow(text: str) -> tuple[str, str | None]:
    """`("buying a car", "sales_agent")` for `buying a car (→ sales_agent)`; no agent without an arrow."""
    match = _ARROW.search(text)
    return (text[: match.start()], match[1]) if match else (text, None)


def contract_major(ref: str) -> int:
    """The major version in a schema reference: 1 for `contracts/v1/AgentRequest`.

    Raises `ValueError` for anything that is no reference.
    """
    match = _SCHEMA_REF.fullmatch(ref)
    if match is None:
        raise ValueError("not a schema reference such as contracts/v1/AgentRequest")
    return int(match[1])


def _text(limit: int) -> Any:
    return StringConstraints(strip_whitespace=True, min_length=1, max_length=limit)


def _line_breaks(value: Any) -> Any:
    return _LINE_BREAK.sub("\n", value) if isinstance(value, str) else value


_breaks = BeforeValidator(_line_breaks)
_safe = _fault(_text_fault)
_line = _fault(_line_fault)

Paragraph = Annotated[str, _text(2_000), _breaks, _safe]
Prompt = Annotated[str, _text(50_000), _breaks, _safe]
Sentence = Annotated[str, _text(500), _breaks, _safe]
Label = Annotated[str, _text(100), _breaks, _safe, _line]
Tag = Annotated[str, _text(50), _breaks, _safe, _line]
Name = Annotated[str, _text(200), _matching(NAME, NAME_RULE)]
Version = Annotated[str, _text(64), _fault(_version_fault)]
Owner = Annotated[str, _text(254), _fault(_owner_fault)]
Keyword = Annotated[str, _text(300), _breaks, _safe, _line, _fault(_keyword_fault)]
Url = Annotated[str, _fault(url_fault)]
RemoteName = Annotated[str, _text(200), _breaks, _safe, _line]
Entrypoint = Annotated[
    str,
    _text(300),
    _fault(
        lambda value: (
            None
            if value == "prompt" or _ENTRYPOINT.fullmatch(value)
            else "must be a dotted path, such as my_agents.diagnosis.agent, or the word prompt"
        )
    ),
]
ToolPath = Annotated[
    str, _text(300), _matching(_ENTRYPOINT, "must be a dotted path, such as my_agents.tools.search")
]
SchemaRef = Annotated[str, _text(200), _fault(_schema_fault)]
SecretRef = Annotated[str, _fault(lambda value: None if is_secret_ref(value) else REFERENCE_RULE)]
ContextField = Annotated[
    str, _text(200), _matching(_CONTEXT_FIELD, "must be a field name, such as vin or car_model")
]
Flag = Annotated[bool, Strict()]
Distinct = AfterValidator(_distinct)


def names(values: Iterable[str]) -> str:
    """`a, b and c`."""
    listed = list(values)
    return " and ".join([", ".join(listed[:-1]), listed[-1]] if len(listed) > 1 else listed)
