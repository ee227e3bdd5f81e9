"""What goes into a run, and what the run needs from the world."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from frontdesk_agent.contract import HistoryItem
from orchestration.language_models import ModelSettings


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRequest:
    """One person's question, with all that routing and delegation may know about it.

    `agent` was chosen for this message, `pinned` for the conversation, `pending` asked a question that this
    message answers, `last_agent` answered last. `trace_id` is 32 lower-case hex digits.
    """

    run_id: str
    conversation_id: str
    user_id: str
    input: str
    trace_id: str
    locale: str = "en"
    history: tuple[HistoryItem, ...] = ()
    context: Mapping[str, Any] = field(default_factory=dict)
    agent: str | None = None
    pinned: str | None = None
    pending: str | None = None
    last_agent: str | None = None
    forward_headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Environment:
    """What orchestration needs from the process it runs in.

    `secret` turns a `secret_ref` into the secret, or None when it does not resolve. `inproc_allowed` are
    dotted prefixes that an `entrypoint` may start with. `allow_private` lets calls reach loopback and
    private ranges (link-local and metadata addresses never). `models` are the language models.
    """

    secret: Callable[[str], str | None] = lambda ref: None
    inproc_allowed: tuple[str, ...] = ()
    allow_private: bool = False
    models: ModelSettings = field(default_factory=ModelSettings)


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """How a run ended. `status` is completed or failed; `error` is `{code, message, retryable}` or None."""

    status: str
    error: Mapping[str, Any] | None = None
    usage: Mapping[str, int] = field(default_factory=dict)
    agent: str | None = None
    context: Mapping[str, Any] = field(default_factory=dict)
