"""The after-sales agent as `demo` runs it: a process with a database of its own."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from frontdesk_agent.client import AgentClient
from frontdesk_agent.contract import AgentRequest, Done, Tool
from tests.sample_agents.asking import served


@pytest.fixture(scope="module")
def client_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    path = tmp_path_factory.mktemp("aftersales") / "book.sqlite3"
    with served("sample_agents.aftersales:app", AFTERSALES_DB=str(path)) as url:
        yield url, path


async def test_booking_over_http_is_written_before_it_is_told(client_url: tuple[str, Path]) -> None:
    url, path = client_url
    async with AgentClient(endpoint=f"{url}/invoke", stream_endpoint=f"{url}/stream") as agent:
        request = AgentRequest(input="book next Monday at 9am", user_id="alice", session_id="a")
        events = [event async for event in agent.stream(request)]
    assert isinstance(events[0], Tool)
    assert events[0].name == "book_slot"
    assert isinstance(events[-1], Done)
    assert path.exists()


async def test_one_idempotency_key_acts_once(client_url: tuple[str, Path]) -> None:
    url, _ = client_url
    request = AgentRequest(input="cancel my booking", user_id="carol", session_id="c")
    async with AgentClient(endpoint=f"{url}/invoke") as agent:
        await agent.invoke(request.model_copy(update={"input": "book next Tuesday at 10am"}))
        headers = {"Idempotency-Key": "run-1/0"}
        first = await agent.invoke(request, headers=headers)
        again = await agent.invoke(request, headers=headers)
        fresh = await agent.invoke(request, headers={"Idempotency-Key": "run-2/0"})
    assert first.output.startswith("## Cancelled")
    assert (again.output, again.tool_calls) == (first.output, first.tool_calls)
    assert fresh.output == "You have no open bookings."
