"""Initial state plus events, applied once or twice, in whole or in halves."""

from conversations.hub import Hub
from conversations.state import apply, extend

RUN, ASKED, ANSWER, WORK = "r1", "m1", "m2", "d1"


def event(type_: str, seq: int | None = None, **fields: object) -> dict:
    numbered = {} if seq is None else {"seq": seq}
    return {"type": type_, "run": RUN, "at": "2026-01-01T00:00:00.000Z", **numbered, **fields}


def message(id_: str) -> dict:
    return {"id": id_, "run": RUN, "role": "user", "agent": None, "content": "hi", "status": "complete",
            "citations": [], "usage": {}, "client_id": None,
            "created_at": "2026-01-01T00:00:00.000Z"}  # fmt: skip


STORY = [
    event("run.started", 1, conversation="c1", trace_id="t", message_id=ASKED, message=message(ASKED)),
    event("route.decided", 2, tier="keyword", mode="single", agents=[{"agent": "a", "task": "hi"}],
          reason="", confidence=1.0, candidates=[], duration_ms=1),
    event("delegation.started", 3, delegation_id=WORK, parent=None, position=0, agent="a",
          display_name="A", version="1.0.0", task="hi"),
    event("message.started", 4, message_id=ANSWER, agent="a"),
    event("message.delta", message_id=ANSWER, delegation_id=WORK, offset=0, text="你好 😀"),
    event("message.delta", message_id=ANSWER, delegation_id=WORK, offset=4, text="!"),
    event("delegation.tool", 5, delegation_id=WORK, name="look_up", arguments={"q": 1}),
    event("delegation.finished", 6, delegation_id=WORK, agent="a", status="completed", result="你好 😀!",
          error=None, citations=[], usage={}, first_token_ms=1, duration_ms=2, attempts=1, empty=False),
    event("message.completed", 7, message_id=ANSWER, content="你好 😀!", status="complete",
          citations=[], usage={}),
    event("run.finished", 8, status="completed", error=None, usage={}, first_token_ms=1, duration_ms=2),
]  # fmt: skip


def fresh() -> dict:
    return {"messages": [], "run": None, "runs": []}


def told(*events: dict) -> dict:
    state = fresh()
    for item in events:
        apply(state, item)
    return state


def test_the_story_gives_the_conversation() -> None:
    state = told(*STORY)
    assert [row["content"] for row in state["messages"]] == ["hi", "你好 😀!"]
    assert state["run"]["status"] == "completed"
    assert state["run"]["seq"] == 8
    assert state["run"]["delegations"][0]["tools"] == [{"name": "look_up", "arguments": {"q": 1}}]


def test_every_event_twice_changes_nothing() -> None:
    assert told(*[item for step in STORY for item in (step, step)]) == told(*STORY)


def test_a_replay_over_any_prefix_changes_nothing() -> None:
    for cut in range(len(STORY)):
        assert told(*STORY[: cut + 1], *STORY) == told(*STORY), cut


def test_a_delta_continues_what_a_snapshot_holds_in_part() -> None:
    assert extend("你好", {"offset": 1, "text": "好 😀"}) == "你好 😀"
    assert extend("你好 😀", {"offset": 1, "text": "好"}) == "你好 😀"


def test_a_new_run_makes_the_last_one_an_earlier_one() -> None:
    state = told(*STORY)
    apply(state, {**STORY[0], "run": "r2", "message_id": "m3", "message": message("m3")})
    assert [run["id"] for run in state["runs"]] == [RUN]
    assert state["run"]["id"] == "r2"
    assert not apply(state, STORY[-1])


async def test_a_slow_viewer_gets_adjacent_deltas_of_a_text_joined() -> None:
    import uuid

    hub, conversation = Hub(), uuid.uuid4()
    viewer = hub.subscribe(conversation)
    for item in STORY:
        hub.publish(conversation, item)
    events = await viewer.get()
    assert [item["type"] for item in events].count("message.delta") == 1
    assert told(*events) == told(*STORY)
    viewer.close()
    assert not hub.watched(conversation)


async def test_a_viewer_that_fell_too_far_behind_is_told_so(monkeypatch) -> None:
    import uuid

    monkeypatch.setattr("conversations.hub.BACKLOG", 3)
    hub, conversation = Hub(), uuid.uuid4()
    viewer = hub.subscribe(conversation)
    for item in STORY[:4]:
        hub.publish(conversation, item)
    assert viewer.overflowed
