"""The REST surface: shapes, pages, streams that resume, dry runs."""

import json
from typing import Any

import pytest
from asgiref.sync import sync_to_async

from conversations.models import Conversation, Run
from tests.conversations.conftest import card
from tests.support.agent_server import Exchange, ScriptedAgent

pytestmark = pytest.mark.django_db(transaction=True)


async def answers(exchange: Exchange) -> None:
    await exchange.answer("well", " done")


def parse(stream: str) -> list[dict[str, Any]]:
    frames = []
    for block in stream.strip().split("\n\n"):
        lines = dict(line.split(": ", 1) for line in block.split("\n"))
        event = json.loads(lines["data"])
        assert event["type"] == lines["event"]
        assert lines.get("id") == (str(event["seq"]) if "seq" in event else None)
        frames.append(event)
    return frames


async def test_the_life_of_a_conversation(product, publish) -> None:
    async with ScriptedAgent(answers).serving() as agent, product.person("alice") as alice:
        await sync_to_async(publish)(card("diagnosis", agent.port))
        status, made = await alice.call("POST", "conversations/", {"agent": "diagnosis", "title": "Car"})
        assert (status, made["agent"], made["title"]) == (201, "diagnosis", "Car")
        path = f"conversations/{made['id']}/"
        await alice.ask(made["id"], "hello there")
        run = await Run.objects.aget()
        assert run.tier == "pinned"

        status, listed = await alice.call("GET", "conversations/")
        assert [item["id"] for item in listed["results"]] == [made["id"]]
        assert listed["results"][0]["run"] == {"id": str(run.id), "status": "completed"}
        status, messages = await alice.call("GET", f"{path}messages/")
        assert [m["content"] for m in messages["results"]] == ["hello there", "well done"]
        status, runs = await alice.call("GET", f"{path}runs/")
        status, detail = await alice.call("GET", f"runs/{run.id}/")
        assert runs["results"] == [detail]
        status, delegations = await alice.call("GET", f"runs/{run.id}/delegations/")
        assert delegations["results"] == detail["delegations"]
        assert delegations["results"][0]["version"] == "1.0.0"

        status, changed = await alice.call(
            "PATCH", path, {"title": "Van", "agent": None, "context": {"vin": "LSV1"}}
        )
        assert (changed["title"], changed["agent"], changed["context"]) == ("Van", None, {"vin": "LSV1"})
        status, whole = await alice.call("GET", f"{path}?state=1")
        assert whole["state"]["run"] == detail
        status, _ = await alice.call("DELETE", path)
        assert status == 204
    assert not await Conversation.objects.aexists()


async def test_a_run_streamed_and_its_events_resumed(product, publish) -> None:
    async with ScriptedAgent(answers).serving() as agent, product.person("alice") as alice:
        await sync_to_async(publish)(card("diagnosis", agent.port))
        conversation = await alice.conversation()
        async with alice.http.post(
            f"/api/v1/conversations/{conversation}/runs/",
            json={"input": "ask_diagnosis"},
            headers={"Accept": "text/event-stream"},
        ) as response:
            assert response.status == 200
            assert response.headers["X-Accel-Buffering"] == "no"
            assert response.headers["Cache-Control"] == "no-cache"
            streamed = parse(await response.text())
        numbered = [event for event in streamed if "seq" in event]
        assert [event["seq"] for event in numbered] == list(range(1, 8))
        assert "".join(e["text"] for e in streamed if e["type"] == "message.delta") == "well done"

        events = f"/api/v1/runs/{numbered[0]['run']}/events/"
        async with alice.http.get(events) as response:
            assert parse(await response.text()) == numbered
        async with alice.http.get(f"{events}?after=5") as response:
            assert parse(await response.text()) == numbered[5:]
        async with alice.http.get(events, headers={"Last-Event-ID": "6"}) as response:
            assert parse(await response.text()) == numbered[6:]
        async with alice.http.get(f"{events}?after=x") as response:
            assert (response.status, (await response.json())["code"]) == (400, "INVALID_INPUT")


async def test_pages_of_conversations(product) -> None:
    async with product.person("alice") as alice:
        made = [await alice.conversation(title=f"number {n}") for n in range(5)]
        seen, cursor = [], ""
        while cursor is not None:
            _, page = await alice.call("GET", f"conversations/?limit=2&cursor={cursor}")
            seen += [item["id"] for item in page["results"]]
            cursor = page["next"]
        assert seen == made[::-1]
        _, found = await alice.call("GET", "conversations/?q=NUMBER 3")
        assert [item["title"] for item in found["results"]] == ["number 3"]


async def test_who_would_answer(product, publish) -> None:
    async with ScriptedAgent(answers).serving() as agent, product.person("alice") as alice:
        await sync_to_async(publish)(card("diagnosis", agent.port))
        status, decided = await alice.call("POST", "route/", {"input": "ask_diagnosis something"})
        assert (status, decided["tier"]) == (200, "keyword")
        assert [item["agent"] for item in decided["agents"]] == ["diagnosis"]
        assert decided["reason"]
        status, body = await alice.call("POST", "route/", {"input": "@nobody hello"})
        assert (status, body["code"]) == (404, "AGENT_NOT_FOUND")
        assert agent.requests == []
    assert not await Run.objects.aexists()


async def test_retry_of_one_delegation_goes_to_its_agent(product, publish) -> None:
    async with ScriptedAgent(answers).serving() as agent, product.person("alice") as alice:
        await sync_to_async(publish)(card("diagnosis", agent.port))
        conversation = await alice.conversation()
        run = (await alice.ask(conversation, "ask_diagnosis"))[-1]["run"]
        _, delegations = await alice.call("GET", f"runs/{run}/delegations/")
        status, again = await alice.call(
            "POST", f"runs/{run}/retry/", {"delegation_id": delegations["results"][0]["id"]}
        )
        assert (status, again["retry_of"]) == (201, run)
        async with alice.http.get(f"/api/v1/runs/{again['id']}/events/") as response:
            events = parse(await response.text())
        assert [item["agent"] for item in events[1]["agents"]] == ["diagnosis"]
        status, _ = await alice.call("POST", f"runs/{run}/retry/", {"delegation_id": run})
        assert status == 404


async def test_a_streamed_run_misses_nothing_of_a_quick_answer(product, publish) -> None:
    async def at_once(exchange: Exchange) -> None:
        await exchange.answer(output="all at once")

    async with ScriptedAgent(at_once).serving() as agent, product.person("alice") as alice:
        await sync_to_async(publish)(card("quick", agent.port))
        path = f"/api/v1/conversations/{await alice.conversation()}/runs/"
        for _ in range(15):
            headers = {"Accept": "text/event-stream"}
            async with alice.http.post(path, json={"input": "ask_quick"}, headers=headers) as response:
                events = parse(await response.text())
            assert "".join(e["text"] for e in events if e["type"] == "message.delta") == "all at once"
            assert [e["seq"] for e in events if "seq" in e] == list(range(1, 8))
