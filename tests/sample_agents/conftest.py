"""Asking the sample agents, with no language model configured."""

from typing import Any

import pytest

from frontdesk_agent.contract import AgentRequest
from tests.sample_agents.asking import Answer, Ask, answered


@pytest.fixture
def no_model(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("MODEL", "OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def ask(no_model: None) -> Ask:
    """`await ask(agent, "question", locale="en", history=[…], …)`: the request goes through the contract."""

    async def asked(agent: Any, text: str, *, history: Any = (), **metadata: Any) -> Answer:
        request = AgentRequest.model_validate(
            {
                "input": text,
                "session_id": "session",
                "user_id": "alice",
                "context": {"history": list(history), "metadata": {"locale": "en", **metadata}},
            }
        )
        return await answered(agent, request)

    return asked
