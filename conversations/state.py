"""One reducer: what a conversation looks like after an event. The page's reducer.js is its twin.

`{messages, run, runs}`: `run` is the latest, under way or ended; `runs` are the earlier ones, oldest first.
Structural events are applied once by their `seq`; deltas once by their `offset` (in code points).
"""

from collections.abc import Callable
from typing import Any

from conversations.events import Event

State = dict[str, Any]
Row = dict[str, Any]


def apply(state: State, event: Event) -> bool:
    """Change `state` by `event`; False when it was known already or is of a run that is not the latest."""
    if event["type"] == "run.started":
        return _run_started(state, event)
    run = state["run"]
    if run is None or run["id"] != event["run"]:
        return False
    if "seq" in event:
        if event["seq"] <= run["seq"]:
            return False
        run["seq"] = event["seq"]
    handler = _HANDLERS.get(event["type"])
    return handler(state, run, event) if handler else True


def new_run(event: Event) -> Row:
    """The run as `run.started` describes it."""
    return {
        "id": event["run"],
        "status": "running",
        "seq": event["seq"],
        "trace_id": event["trace_id"],
        "message_id": event["message_id"],
        "retry_of": event.get("retry_of"),
        "route": None,
        "delegations": [],
        "answer_id": None,
        "error": None,
        "usage": {},
        "first_token_ms": None,
        "duration_ms": None,
        "started_at": event["at"],
        "finished_at": None,
    }


def extend(text: str, event: Event) -> str:
    """`text` with the delta's piece at its offset; unchanged when it holds that piece already."""
    end = event["offset"] + len(event["text"])
    return text if end <= len(text) else text[: event["offset"]] + event["text"]


def _find(rows: list[Row], id_: str) -> Row | None:
    return next((row for row in reversed(rows) if row["id"] == id_), None)


def _run_started(state: State, event: Event) -> bool:
    known = [state["run"], *state["runs"]]
    if any(run and run["id"] == event["run"] for run in known):
        return False
    if state["run"] is not None:
        state["runs"].append(state["run"])
    state["run"] = new_run(event)
    if _find(state["messages"], event["message_id"]) is None:
        state["messages"].append(dict(event["message"]))
    return True


def _route_decided(state: State, run: Row, event: Event) -> bool:
    keys = ("tier", "mode", "agents", "reason", "confidence", "candidates", "duration_ms")
    run["route"] = {key: event[key] for key in keys}
    return True


def _delegation_started(state: State, run: Row, event: Event) -> bool:
    if _find(run["delegations"], event["delegation_id"]):
        return True
    keys = ("parent", "position", "agent", "display_name", "version", "task")
    run["delegations"].append(
        {
            "id": event["delegation_id"],
            **{key: event[key] for key in keys},
            "status": "running",
            "result": "",
            "error": None,
            "citations": [],
            "tools": [],
            "usage": {},
            "first_token_ms": None,
            "duration_ms": None,
            "attempts": 1,
            "empty": False,
            "started_at": event["at"],
            "finished_at": None,
        }
    )
    return True


def _delegation_tool(state: State, run: Row, event: Event) -> bool:
    if row := _find(run["delegations"], event["delegation_id"]):
        row["tools"].append({"name": event["name"], "arguments": event["arguments"]})
    return True


def _delegation_delta(state: State, run: Row, event: Event) -> bool:
    row = _find(run["delegations"], event["delegation_id"])
    if row and row["status"] == "running":  # a closed text is what its end said it is
        row["result"] = extend(row["result"], event)
    return True


def _delegation_finished(state: State, run: Row, event: Event) -> bool:
    keys = ("status", "result", "error", "citations", "usage", "first_token_ms", "duration_ms")
    if row := _find(run["delegations"], event["delegation_id"]):
        row.update({key: event[key] for key in (*keys, "attempts", "empty")}, finished_at=event["at"])
    return True


def _message_started(state: State, run: Row, event: Event) -> bool:
    run["answer_id"] = event["message_id"]
    if _find(state["messages"], event["message_id"]):
        return True
    state["messages"].append(
        {
            "id": event["message_id"],
            "run": event["run"],
            "role": "assistant",
            "agent": event["agent"],
            "content": "",
            "status": "streaming",
            "citations": [],
            "usage": {},
            "client_id": None,
            "created_at": event["at"],
        }
    )
    return True


def _message_delta(state: State, run: Row, event: Event) -> bool:
    row = _find(state["messages"], event["message_id"])
    if row and row["status"] == "streaming":
        row["content"] = extend(row["content"], event)
    return True


def _message_completed(state: State, run: Row, event: Event) -> bool:
    if row := _find(state["messages"], event["message_id"]):
        row.update({key: event[key] for key in ("content", "status", "citations", "usage")})
    return True


def _run_finished(state: State, run: Row, event: Event) -> bool:
    keys = ("status", "error", "usage", "first_token_ms", "duration_ms")
    run.update({key: event[key] for key in keys}, finished_at=event["at"])
    return True


_HANDLERS: dict[str, Callable[[State, Row, Event], bool]] = {
    "route.decided": _route_decided,
    "delegation.started": _delegation_started,
    "delegation.tool": _delegation_tool,
    "delegation.delta": _delegation_delta,
    "delegation.finished": _delegation_finished,
    "message.started": _message_started,
    "message.delta": _message_delta,
    "message.completed": _message_completed,
    "run.finished": _run_finished,
}
