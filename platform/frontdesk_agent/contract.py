"""The agent contract, version 1: what is asked of an agent and what it answers.

Unknown fields are ignored in both directions, so that either side may learn new ones first. Text is cleaned
(`frontdesk_agent.text.clean`) on the way in.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Final, Literal
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from frontdesk_agent.errors import ErrorCode, FrontdeskError
from frontdesk_agent.jsontext import dumps, loads
from frontdesk_agent.sse import encode
from frontdesk_agent.text import clean, clean_json


def _clean_text(value: Any) -> Any:
    return clean(value) if isinstance(value, str) else value


def _or(default: Callable[[], object]) -> BeforeValidator:
    """Many agents write `null` for what they do not have."""
    return BeforeValidator(lambda value: default() if value is None else value)


def _web_address(url: str) -> str:
    """Readers click on it: only http(s) and relative addresses are kept."""
    try:
        scheme = urlsplit(url.strip()).scheme
    except ValueError:
        return ""
    return url.strip() if scheme in {"", "http", "https"} else ""


MAX_TOKENS: Final = 2**31 - 1
"""What an integer column holds; a count beyond it is somebody's mistake, and is cut."""

Text = Annotated[str, BeforeValidator(_clean_text)]
OptionalText = Annotated[str, BeforeValidator(_clean_text), _or(str)]
JsonObject = Annotated[dict[str, Any], BeforeValidator(clean_json), _or(dict)]
TokenCount = Annotated[int, Field(ge=0), AfterValidator(lambda count: min(count, MAX_TOKENS)), _or(int)]


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore", hide_input_in_errors=True)


class HistoryItem(_Model):
    """One earlier message of the conversation; `agent` is who said it, when it was an agent."""

    role: Literal["user", "assistant", "system"]
    content: Text
    agent: str | None = None


class Context(_Model):
    """What the agent may know beside the question. `metadata` holds `locale` and the declared context."""

    history: Annotated[tuple[HistoryItem, ...], _or(tuple)] = ()
    metadata: JsonObject = Field(default_factory=dict)


class AgentRequest(_Model):
    """A question. `session_id` is the conversation's id: the same one means the same conversation."""

    input: Text
    session_id: OptionalText = ""
    user_id: OptionalText = ""
    context: Annotated[Context, _or(Context)] = Context()
    stream: bool = False


class Usage(_Model):
    """Tokens of a language model; 0 when none was used."""

    input_tokens: TokenCount = 0
    output_tokens: TokenCount = 0

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            input_tokens=self.input_tokens + other.input_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
        )


class Citation(_Model):
    """A source. `url` is http(s), relative or empty; other schemes are dropped."""

    title: OptionalText = ""
    url: Annotated[OptionalText, AfterValidator(_web_address)] = ""
    snippet: OptionalText = ""


class ToolCall(_Model):
    """A tool that the agent used."""

    name: Text
    arguments: JsonObject = Field(default_factory=dict)


class Handoff(_Model):
    """The wish that another agent continue with `task`."""

    agent: Text
    task: OptionalText = ""
    reason: OptionalText = ""


class _Answer(_Model):
    citations: Annotated[tuple[Citation, ...], _or(tuple)] = ()
    usage: Annotated[Usage, _or(Usage)] = Usage()
    trace_id: OptionalText = ""
    context: Annotated[dict[str, Any] | None, BeforeValidator(clean_json)] = None
    handoff: Handoff | None = None


class AgentResponse(_Answer):
    """A whole answer. `context` writes back declared fields, `handoff` asks for another agent."""

    output: Text
    tool_calls: Annotated[tuple[ToolCall, ...], _or(tuple)] = ()


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of the answer. A plain dataclass: one is made for every token that passes through."""

    event: ClassVar[str] = "token"
    text: str


class Tool(ToolCall):
    """A tool that the agent uses, told as it happens."""

    event: ClassVar[str] = "tool"


class CitationEvent(Citation):
    """A source, told as it is found."""

    event: ClassVar[str] = "citation"


class Error(_Model):
    """The end of a stream that failed. `code` is one of `ErrorCode`, or the agent's own word."""

    event: ClassVar[str] = "error"
    code: Annotated[OptionalText, _or(lambda: str(ErrorCode.AGENT_FAILED))] = str(ErrorCode.AGENT_FAILED)
    message: OptionalText = ""
    retryable: Annotated[bool, _or(bool)] = False

    @classmethod
    def of(cls, error: FrontdeskError) -> "Error":
        return cls(code=str(error.code), message=error.message, retryable=error.retryable)

    def as_error(self) -> FrontdeskError:
        """The same as an exception; a code that is not ours means `AGENT_FAILED`."""
        known = self.code in ErrorCode.__members__
        code = ErrorCode(self.code) if known else ErrorCode.AGENT_FAILED
        return FrontdeskError(code, self.message or "The agent failed.", retryable=self.retryable)


class Done(_Answer):
    """The end of a stream that succeeded. Without `output` the tokens are the answer."""

    event: ClassVar[str] = "done"
    output: Annotated[str | None, BeforeValidator(_clean_text)] = None


StreamEvent = Token | Tool | CitationEvent | Error | Done

_MODELS: dict[str, type[Tool | CitationEvent | Error | Done]] = {
    model.event: model for model in (Tool, CitationEvent, Error, Done)
}


def parse_event(event: str, data: str) -> StreamEvent | None:
    """One server-sent event as a value; None for an event this version does not know.

    A token's text is left as it came: its surrogate halves may meet in the next token (`TextCleaner`).
    Raises `FrontdeskError` `AGENT_BAD_RESPONSE` when the data does not fit the event.
    """
    if event != "token" and event not in _MODELS:
        return None
    try:
        value = loads(data)
        if event == "token":
            return _token(value)
        return _MODELS[event].model_validate(value)
    except ValueError:  # what JSON's and Pydantic's errors both are
        raise FrontdeskError(
            ErrorCode.AGENT_BAD_RESPONSE, f"The agent sent a {event} event that does not fit the contract."
        ) from None


def _token(value: Any) -> Token:
    text = value.get("text") if type(value) is dict else None
    if type(text) is not str:
        raise ValueError("a token is an object with a text")
    return Token(text)


def encode_event(event: StreamEvent) -> bytes:
    """One event in wire form; fields that are None or empty by default are left out, except `usage`."""
    if type(event) is Token:
        return b'event: token\ndata: {"text":%b}\n\n' % dumps(event.text)
    return encode(event.event, event_data(event))


def event_data(event: StreamEvent) -> dict[str, Any]:
    """The JSON object of an event."""
    if isinstance(event, Token):
        return {"text": event.text}
    return event.model_dump(mode="json", exclude_none=True)


def invalid_fields(error: ValidationError) -> list[dict[str, str]]:
    """`[{field, message}]` of a Pydantic error, without the values that were sent."""
    return [
        {"field": ".".join(map(str, item["loc"])), "message": item["msg"]}
        for item in error.errors(include_url=False, include_context=False, include_input=False)
    ]
