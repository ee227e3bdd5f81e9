"""The diagnosis agent as `demo` runs it: a process, a port, a bearer token."""

from collections.abc import Iterator

import pytest

from frontdesk_agent.client import AgentClient
from frontdesk_agent.contract import AgentRequest, Done, Token, Tool
from frontdesk_agent.errors import ErrorCode, FrontdeskError
from tests.sample_agents.asking import served


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with served("sample_agents.diagnosis:app", AGENT_SECRET_DIAGNOSIS="test-token") as address:
        yield address


def client(url: str, token: str | None = "test-token") -> AgentClient:
    return AgentClient(
        endpoint=f"{url}/invoke", stream_endpoint=f"{url}/stream", health=f"{url}/health", token=token
    )


async def test_the_answer_streams_in_many_pieces(url: str) -> None:
    async with client(url) as agent:
        events = [event async for event in agent.stream(AgentRequest(input="P0171 是什么故障？"))]
    tokens = [event.text for event in events if isinstance(event, Token)]
    assert "".join(tokens).startswith("## P0171：混合气过稀")
    assert len(tokens) > 20
    assert isinstance(events[0], Tool)
    assert isinstance(events[-1], Done)


async def test_the_whole_answer_at_once(url: str) -> None:
    async with client(url) as agent:
        response = await agent.invoke(AgentRequest(input="what does p0420 mean"))
    assert "## P0420: Catalyst system efficiency below threshold, bank 1" in response.output
    assert [call.arguments for call in response.tool_calls] == [{"code": "P0420"}]


@pytest.mark.parametrize("token", [None, "wrong"])
async def test_without_the_token_nobody_gets_in(url: str, token: str | None) -> None:
    async with client(url, token) as agent:
        with pytest.raises(FrontdeskError) as caught:
            await agent.invoke(AgentRequest(input="P0171"))
        assert caught.value.code == ErrorCode.AGENT_AUTH_FAILED
        assert await agent.health()
