"""The agent card: everything declared about an agent, in three blocks with three readers."""

import hashlib
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Final, Literal, Self

import orjson
from pydantic import BaseModel, ConfigDict, Field, Strict, model_validator

from frontdesk_agent.card import rules
from frontdesk_agent.card.consistency import contradictions

CONTRACT_VERSION: Final = "v1"

BLOCKS: Final[dict[str, tuple[str, ...]]] = {
    "identity": ("name", "display_name", "version", "owner", "description", "tags", "parent"),
    "routing": ("capabilities", "examples", "not_for", "routing_keywords"),
    "contract": (
        "transport",
        "endpoint",
        "stream_endpoint",
        "health",
        "remote_name",
        "entrypoint",
        "system_prompt",
        "model",
        "tools",
        "skills",
        "mcp_servers",
        "strategy",
        "timeout_ms",
        "max_retries",
        "stateful",
        "auth",
        "input_schema_ref",
        "output_schema_ref",
        "required_context",
        "max_calls_per_run",
        "requires_approval",
        "fallback",
    ),
}
"""Every field in its block, in the order in which forms, YAML and documentation show them."""

_ROUTER_FIELDS: Final = ("name", "display_name", "capabilities", "examples", "not_for")


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)


class NotFor(_Model):
    """What not to send to an agent, and (optionally) which agent takes it.

    Written as a mapping, or as one text that may end with the other agent: `buying a car (→ sales_agent)`.
    """

    text: rules.Sentence
    agent: rules.Name | None = None

    @model_validator(mode="before")
    @classmethod
    def _from_arrow(cls, value: Any) -> Any:
        if isinstance(value, str):
            value = {"text": value}
        if not isinstance(value, Mapping) or not isinstance(value.get("text"), str):
            return value
        text, agent = rules.split_arrow(value["text"])
        if agent is None:
            return value
        if value.get("agent") not in (None, agent):
            raise rules.broken("names two agents; keep the arrow or the field agent, not both")
        if rules.split_arrow(text)[1] is not None:
            raise rules.broken("has two arrows; one agent takes it, so keep one and make a second entry")
        return {**value, "text": text, "agent": agent}

    def __str__(self) -> str:
        return f"{self.text} (→ {self.agent})" if self.agent else self.text


class Auth(_Model):
    """How the platform proves itself to the agent. `secret_ref` names a secret and never holds one."""

    type: Literal["none", "bearer", "apikey", "mtls"]
    secret_ref: rules.SecretRef | None = None

    @model_validator(mode="after")
    def _complete(self) -> Self:
        if self.type in {"bearer", "apikey"} and self.secret_ref is None:
            raise rules.broken(f"of type {self.type} needs secret_ref, such as AGENT_SECRET_DIAGNOSIS")
        if self.type == "none" and self.secret_ref is not None:
            raise rules.broken("of type none has no secret_ref; choose bearer, apikey or mtls")
        return self


class McpServer(_Model):
    """An MCP server whose tools a prompt agent may use; without `tools`, all of them."""

    url: rules.Url
    tools: Annotated[tuple[rules.Label, ...], rules.Distinct, Field(max_length=100)] = ()
    auth: Auth = Auth(type="none")


def _present(value: Any) -> Any:
    """A field without a value is a field left out: what `tags:` means in YAML and a null in JSON."""
    if isinstance(value, Mapping):
        return {key: item for key, item in value.items() if item is not None}
    return value


class AgentCard(_Model):
    """One version of one agent. Times are in milliseconds; every list is a tuple; unknown fields are errors.

    Build one with `parse_card`, which reports all faults at once and in plain sentences.
    """

    name: rules.Name
    display_name: rules.Label
    version: rules.Version
    owner: rules.Owner
    description: rules.Paragraph
    tags: Annotated[tuple[rules.Tag, ...], rules.Distinct, Field(max_length=20)] = ()
    parent: rules.Name | None = None

    capabilities: Annotated[tuple[rules.Sentence, ...], rules.Distinct, Field(min_length=1, max_length=30)]
    examples: Annotated[tuple[rules.Sentence, ...], rules.Distinct, Field(min_length=1, max_length=200)]
    not_for: Annotated[tuple[NotFor, ...], Field(max_length=50)] = ()
    routing_keywords: Annotated[tuple[rules.Keyword, ...], rules.Distinct, Field(max_length=100)] = ()

    transport: Literal["http", "mcp", "a2a", "grpc", "inproc"]
    endpoint: rules.Url | None = None
    stream_endpoint: rules.Url | None = None
    health: rules.Url | None = None
    remote_name: rules.RemoteName | None = None
    entrypoint: rules.Entrypoint | None = None
    system_prompt: rules.Prompt | None = None
    model: rules.RemoteName | None = None
    tools: Annotated[tuple[rules.ToolPath, ...], rules.Distinct, Field(max_length=100)] = ()
    skills: Annotated[tuple[rules.Label, ...], rules.Distinct, Field(max_length=100)] = ()
    mcp_servers: Annotated[tuple[McpServer, ...], Field(max_length=20)] = ()
    strategy: Literal["supervisor", "sequence"] | None = None
    timeout_ms: Annotated[int, Strict(), Field(ge=1, le=3_600_000)]
    max_retries: Annotated[int, Strict(), Field(ge=0, le=10)] = 0
    stateful: rules.Flag
    auth: Auth = Auth(type="none")
    input_schema_ref: rules.SchemaRef
    output_schema_ref: rules.SchemaRef
    required_context: Annotated[tuple[rules.ContextField, ...], rules.Distinct, Field(max_length=30)] = ()
    max_calls_per_run: Annotated[int, Strict(), Field(ge=1, le=1_000)] | None = None
    requires_approval: Literal["never", "always"] = "never"
    fallback: rules.Name | None = None

    _drop_empty = model_validator(mode="before")(_present)

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        faults = contradictions({field: getattr(self, field) for field in type(self).model_fields})
        if faults:
            raise rules.broken("; ".join(error.message for error in faults))
        return self

    @property
    def remote_id(self) -> str:
        """The id that the remote side knows the agent by."""
        return self.remote_name or self.name

    def as_dict(self) -> dict[str, Any]:
        """The card as JSON-able data, in the order of `BLOCKS`, only what differs from a default."""
        data = self.model_dump(mode="json", exclude_defaults=True)
        return {field: data[field] for fields in BLOCKS.values() for field in fields if field in data}

    def digest(self) -> str:
        """SHA-256 (hex) of the content: equal for equal cards, whatever order they were written in."""
        return hashlib.sha256(orjson.dumps(self.as_dict(), option=orjson.OPT_SORT_KEYS)).hexdigest()

    def router_view(self) -> dict[str, Any]:
        """All that a routing model may see."""
        data = self.model_dump(mode="json", include=set(_ROUTER_FIELDS))
        return {field: data[field] for field in _ROUTER_FIELDS}


def dotted_within(path: str, prefixes: Sequence[str]) -> bool:
    """Whether `path` is one of `prefixes` or below one, by whole names: `a.b` holds `a.b.c`, not `a.bc`."""
    allowed = [prefix.strip().rstrip(".*") for prefix in prefixes]
    return any(path == prefix or path.startswith(f"{prefix}.") for prefix in allowed if prefix)
