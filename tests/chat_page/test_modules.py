"""The page's modules: their own tests under Node, and that the page's reducer is the server's twin."""

import json
import os
import random
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from conversations.state import apply

HERE = Path(__file__).parent
STATIC = HERE.parents[1] / "conversations" / "static" / "conversations"
NODE = shutil.which("node")
OLDEST_NODE = 20


def node(*arguments: str, text: str = "") -> str:
    if NODE is None or _major() < OLDEST_NODE:
        if os.environ.get("BROWSER_TESTS") == "required":
            pytest.fail("Node 20 or newer is needed for the page's own tests.")
        pytest.skip("no Node 20 or newer")
    done = subprocess.run(
        [NODE, *arguments], input=text, capture_output=True, text=True, timeout=60, cwd=HERE
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def _major() -> int:
    assert NODE is not None
    version = subprocess.run([NODE, "--version"], capture_output=True, text=True, check=True).stdout
    return int(version.removeprefix("v").split(".")[0])


@pytest.mark.parametrize("path", sorted(HERE.glob("*.test.mjs")), ids=lambda path: path.name)
def test_module(path: Path) -> None:
    node("--test", path.name)


RUN, ASKED, ANSWER = "r1", "q1", "a1"
AT = "2026-11-30T12:00:00.000Z"


def event(type_: str, seq: int | None = None, **fields: Any) -> dict[str, Any]:
    return {"type": type_, "run": RUN, "at": AT, **({} if seq is None else {"seq": seq}), **fields}


def run_started(run: str = RUN, asked: str = ASKED, retry_of: str | None = None) -> dict[str, Any]:
    message = {
        "id": asked,
        "run": run,
        "role": "user",
        "agent": None,
        "content": "P0171 是什么故障？",
        "status": "complete",
        "citations": [],
        "usage": {},
        "client_id": "c",
        "created_at": AT,
    }
    fields = {"trace_id": "t", "message_id": asked, "message": message, "retry_of": retry_of}
    return {**event("run.started", 1, **fields), "run": run}


def delegation_started(seq: int, id_: str) -> dict[str, Any]:
    fields = {
        "parent": None,
        "position": seq,
        "agent": id_,
        "display_name": id_,
        "version": "1.0.0",
        "task": "t",
    }
    return event("delegation.started", seq, delegation_id=id_, **fields)


def delegation_finished(seq: int, id_: str, result: str, status: str = "completed") -> dict[str, Any]:
    fields: dict[str, Any] = {
        "agent": id_,
        "status": status,
        "result": result,
        "error": None,
        "citations": [{"title": "T", "url": "https://example.com", "snippet": "S"}],
        "usage": {"input_tokens": 1},
        "first_token_ms": 4,
        "duration_ms": 9,
        "attempts": 2,
        "empty": not result,
    }
    return event("delegation.finished", seq, delegation_id=id_, **fields)


def ending(seq: int, status: str = "completed") -> dict[str, Any]:
    fields = {"status": status, "error": None, "usage": {}, "first_token_ms": 4, "duration_ms": 30}
    return event("run.finished", seq, **fields)


def deltas(text: str, kind: str, chooser: random.Random, **ids: str) -> list[dict[str, Any]]:
    """`text` in pieces of a few code points each."""
    pieces, at = [], 0
    while at < len(text):
        size = chooser.randint(1, 4)
        pieces.append(event(kind, offset=at, text=text[at : at + size], **ids))
        at += size
    return pieces


def story(chooser: random.Random) -> list[dict[str, Any]]:
    words = "混合气🔧偏稀 a\u0301 𠮷野 lean 🚗🚗 end"
    route = {"mode": "parallel", "agents": [], "reason": "“P0171”", "confidence": 0.9, "candidates": []}
    own = {"delegation_id": "d2"}
    return [
        run_started(),
        event("route.decided", 2, tier="keyword", duration_ms=1, **route),
        delegation_started(3, "d1"),
        delegation_started(4, "d2"),
        event("delegation.tool", 5, name="lookup", arguments={"code": "P0171"}, **own),
        *deltas(words, "delegation.delta", chooser, **own),
        event("message.started", 6, message_id=ANSWER, agent=None),
        *deltas(words, "message.delta", chooser, message_id=ANSWER, delegation_id="d1"),
        delegation_finished(7, "d1", words),
        delegation_finished(8, "d2", words, "timed_out"),
        event(
            "message.completed", 9, message_id=ANSWER, content=words, status="partial", citations=[], usage={}
        ),
        ending(10, "failed"),
        run_started("r2", ASKED, RUN),
        {**ending(2), "run": "r2"},
    ]


def with_repeats(events: list[dict[str, Any]], chooser: random.Random) -> list[dict[str, Any]]:
    """The events in order, each now and then followed by some that came before."""
    told: list[dict[str, Any]] = []
    for position, one in enumerate(events):
        told.append(one)
        told += chooser.sample(events[: position + 1], k=chooser.randint(0, min(3, position + 1)))
    return told


def by_server(events: list[dict[str, Any]], state: dict[str, Any] | None = None) -> dict[str, Any]:
    state = json.loads(json.dumps(state)) if state else {"messages": [], "run": None, "runs": []}
    for one in events:
        apply(state, json.loads(json.dumps(one)))
    return state


def by_page(events: list[dict[str, Any]], state: dict[str, Any] | None = None) -> dict[str, Any]:
    return dict(json.loads(node("replay.mjs", text=json.dumps([state, events]))))


@pytest.mark.parametrize("seed", range(4))
def test_page_and_server_reduce_alike(seed: int) -> None:
    chooser = random.Random(seed)
    events = story(chooser)
    expected = by_server(events)
    assert by_server(with_repeats(events, chooser)) == expected
    assert by_page(with_repeats(events, chooser)) == expected


@pytest.mark.parametrize("seed", range(4))
def test_a_snapshot_in_the_middle_and_what_follows_is_the_whole(seed: int) -> None:
    chooser = random.Random(seed)
    events = story(chooser)
    cut = chooser.randrange(1, len(events))
    assert by_page(events, by_server(events[:cut])) == by_server(events)


def test_vendored_libraries_are_pinned_and_licensed() -> None:
    package = json.loads(
        (HERE.parents[1] / "conversations" / "vendoring" / "package.json").read_text(encoding="utf-8")
    )
    assert all(re.fullmatch(r"\d+\.\d+\.\d+", version) for version in package["devDependencies"].values())
    modules = sorted((STATIC / "vendor").glob("*.js"))
    assert modules
    for module in modules:
        licence = module.with_suffix(".LICENSE.txt").read_text(encoding="utf-8")
        versions = [f"{name} {version} " for name, version in package["devDependencies"].items()]
        assert any(version in licence for version in versions), module.name
