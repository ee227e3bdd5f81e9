"""The one family of errors: a code that programs rely on and a sentence for people."""

from enum import StrEnum


class ErrorCode(StrEnum):
    """Every code an event, a REST answer or a socket frame may carry."""

    CONVERSATION_LOCKED = "CONVERSATION_LOCKED"
    AGENT_NOT_FOUND = "AGENT_NOT_FOUND"
    AGENT_UNAVAILABLE = "AGENT_UNAVAILABLE"
    AGENT_TIMEOUT = "AGENT_TIMEOUT"
    AGENT_AUTH_FAILED = "AGENT_AUTH_FAILED"
    AGENT_BAD_RESPONSE = "AGENT_BAD_RESPONSE"
    AGENT_FAILED = "AGENT_FAILED"
    STREAM_INTERRUPTED = "STREAM_INTERRUPTED"
    CONTRACT_MISMATCH = "CONTRACT_MISMATCH"
    CONTEXT_MISSING = "CONTEXT_MISSING"
    MODEL_UNAVAILABLE = "MODEL_UNAVAILABLE"
    RATE_LIMITED = "RATE_LIMITED"
    LIMIT_EXCEEDED = "LIMIT_EXCEEDED"
    RUN_CANCELLED = "RUN_CANCELLED"
    RUN_INTERRUPTED = "RUN_INTERRUPTED"
    NOT_ALLOWED = "NOT_ALLOWED"
    INVALID_INPUT = "INVALID_INPUT"
    INTERNAL = "INTERNAL"


class FrontdeskError(Exception):
    """An error that may be shown: `code`, a `message` for people, and whether trying again can help.

    `message` never holds a secret, a traceback or an internal URL. `details` is JSON-able.
    """

    def __init__(
        self, code: ErrorCode, message: str, *, retryable: bool = False, details: object = None
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.retryable = retryable
        self.details = details

    def as_dict(self) -> dict[str, object]:
        """`{code, message, retryable}`, the shape of an event's `error`."""
        return {"code": str(self.code), "message": self.message, "retryable": self.retryable}
