"""What must still be said when a run ends before its time: the same for stop, crash, shutdown and sweep."""

from typing import Any

from conversations.state import Row
from frontdesk_agent.errors import ErrorCode, FrontdeskError

CANCELLED = FrontdeskError(ErrorCode.RUN_CANCELLED, "Stopped.")
INTERRUPTED = FrontdeskError(
    ErrorCode.RUN_INTERRUPTED,
    "The server stopped while this was being answered. Please try again.",
    retryable=True,
)
BROKEN = FrontdeskError(
    ErrorCode.INTERNAL, "Something went wrong on our side. Please try again.", retryable=True
)
OPEN = frozenset({"pending", "running", "awaiting_approval"})


def closing_events(
    run: Row, answer: Row | None, error: FrontdeskError, *, elapsed_ms: int | None
) -> list[tuple[str, dict[str, Any]]]:
    """`(type, fields)` of the events that end every open delegation, the open answer and the run.

    `run` and `answer` are in the reducer's shape, with all text so far. `elapsed_ms` since the run's start,
    None when nobody knows.
    """
    status = "cancelled" if error.code is ErrorCode.RUN_CANCELLED else "failed"
    streaming = answer if answer is not None and answer["status"] == "streaming" else None
    closing = [
        ("delegation.finished", _ended(delegation, streaming, status, error, elapsed_ms))
        for delegation in run["delegations"]
        if delegation["status"] in OPEN
    ]
    if streaming is not None:
        kept = {key: streaming[key] for key in ("content", "citations", "usage")}
        closing.append(("message.completed", {"message_id": streaming["id"], "status": "partial", **kept}))
    finished = {
        "status": status,
        "error": error.as_dict(),
        "usage": run["usage"],
        "first_token_ms": run["first_token_ms"],
        "duration_ms": elapsed_ms,
    }
    return [*closing, ("run.finished", finished)]


def _ended(
    delegation: Row, streaming: Row | None, status: str, error: FrontdeskError, elapsed_ms: int | None
) -> dict[str, Any]:
    # An agent that answers alone streams into the message; its own text is nowhere else yet.
    spoke_alone = streaming is not None and streaming["agent"] == delegation["agent"]
    kept = ("citations", "usage", "first_token_ms", "attempts", "empty")
    return {
        "delegation_id": delegation["id"],
        "agent": delegation["agent"],
        "status": status,
        "result": delegation["result"] or (streaming["content"] if streaming and spoke_alone else ""),
        "error": error.as_dict(),
        "duration_ms": elapsed_ms,
        **{key: delegation[key] for key in kept},
    }
