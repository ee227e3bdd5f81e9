"""The fallback with a language model, over a real OpenAI-compatible server."""

import asyncio
from collections.abc import Iterator
from contextlib import aclosing

import pytest

from frontdesk_agent.adapters import adapt
from frontdesk_agent.contract import AgentRequest, Done, Error, Token, Usage
from frontdesk_agent.errors import ErrorCode, FrontdeskError
from sample_agents import general
from sample_agents.general_model import ModelSettings, answer_with_model
from tests.sample_agents.asking import answered
from tests.support.openai_server import OpenAIServer, Reply, says


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[OpenAIServer]:
    with OpenAIServer() as running:
        monkeypatch.setenv("MODEL", "scripted-model")
        monkeypatch.setenv("OPENAI_BASE_URL", running.base_url)
        monkeypatch.setenv("OPENAI_API_KEY", "test-key")
        monkeypatch.setenv("NO_PROXY", "*")
        yield running


def request(text: str = "Write a poem", **context: object) -> AgentRequest:
    return AgentRequest.model_validate({"input": text, "session_id": "s", "user_id": "u", "context": context})


async def test_the_model_s_words_stream_through_with_their_usage(server: OpenAIServer) -> None:
    server.script(says("Leaves ", "fall", "."))
    answer = await answered(general.agent, request())
    assert answer.pieces == ["Leaves ", "fall", "."]
    assert answer.end == Done(usage=Usage(input_tokens=11, output_tokens=7))
    sent = server.requests[0]
    assert sent.body["model"] == "scripted-model"
    assert sent.headers["Authorization"] == "Bearer test-key"


async def test_the_model_sees_the_conversation_and_who_is_here(server: OpenAIServer) -> None:
    server.script(says("ok"))
    history = [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "Hello {you}!"}]
    directory = [{"name": "diagnosis_agent", "display_name": "Diagnosis", "capabilities": ["Explains {x}"]}]
    await answered(general.agent, request("And now?", history=history, metadata={"directory": directory}))
    system, *rest = server.requests[0].messages
    assert "- Diagnosis (@diagnosis_agent): Explains {x}" in system["content"]
    assert [(message["role"], message["content"]) for message in rest] == [
        ("user", "hi"),
        ("assistant", "Hello {you}!"),
        ("user", "And now?"),
    ]


@pytest.mark.parametrize("status", [401, 404, 429, 500, 503])
async def test_a_failure_before_the_first_word(server: OpenAIServer, status: int) -> None:
    server.script(Reply(status=status, error="secret detail at http://internal:9"))
    answer = await answered(general.agent, request())
    assert isinstance(answer.end, Error)
    assert answer.end.code == ErrorCode.MODEL_UNAVAILABLE
    assert answer.end.retryable == (status in {429, 500, 503})
    assert "secret" not in answer.end.message
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    "reply", [says(), Reply(body=b"<html>"), says("x", fail_after=0), says("x", break_after=0)]
)
async def test_no_words_at_all(server: OpenAIServer, reply: Reply) -> None:
    server.script(reply)
    answer = await answered(general.agent, request())
    assert isinstance(answer.end, Error)
    assert answer.end.code == ErrorCode.MODEL_UNAVAILABLE


@pytest.mark.parametrize("reply", [says("Half ", "an", break_after=1), says("Half ", "an", fail_after=1)])
async def test_a_failure_in_mid_answer(server: OpenAIServer, reply: Reply) -> None:
    server.script(reply)
    answer = await answered(general.agent, request())
    assert answer.text == "Half "
    assert isinstance(answer.end, Error)
    assert answer.end.code == ErrorCode.STREAM_INTERRUPTED


@pytest.mark.parametrize(
    ("hold_before", "first_token_s", "whole_answer_s", "code"),
    [(0, 0.2, 30, ErrorCode.MODEL_UNAVAILABLE), (1, 30, 1.5, ErrorCode.STREAM_INTERRUPTED)],
)
async def test_a_model_that_falls_silent_is_given_up(
    server: OpenAIServer, hold_before: int, first_token_s: float, whole_answer_s: float, code: ErrorCode
) -> None:
    server.script(says("One", "two", hold_before=hold_before))
    settings = ModelSettings("scripted-model", "test-key", server.base_url)
    with pytest.raises(FrontdeskError) as caught:
        async for _ in answer_with_model(
            request(), settings, first_token_s=first_token_s, whole_answer_s=whole_answer_s
        ):
            pass
    assert caught.value.code == code
    await asyncio.to_thread(server.requests[0].wait_disconnected)


async def test_closing_the_answer_hangs_up_on_the_model(server: OpenAIServer) -> None:
    server.script(says("One", "two", hold_before=1))
    async with aclosing(adapt(general.agent)(request())) as events:
        assert await anext(events) == Token("One")
    await asyncio.to_thread(server.requests[0].wait_disconnected)


async def test_cancelling_before_the_first_word_hangs_up_too(server: OpenAIServer) -> None:
    server.script(says("One", hold_before=0))
    task = asyncio.create_task(answered(general.agent, request()))
    held = await server.arrived()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await asyncio.to_thread(held.wait_disconnected)


def test_every_event_loop_gets_connections_of_its_own(server: OpenAIServer) -> None:
    server.script(says("first"), says("second"))
    assert asyncio.run(answered(general.agent, request())).text == "first"
    assert asyncio.run(answered(general.agent, request())).text == "second"


async def test_an_unreachable_endpoint(monkeypatch: pytest.MonkeyPatch) -> None:
    settings = ModelSettings("m", "k", "http://127.0.0.1:9/v1")
    with pytest.raises(FrontdeskError) as caught:
        async for _ in answer_with_model(request(), settings):
            pass
    assert caught.value.code == ErrorCode.MODEL_UNAVAILABLE
    assert caught.value.retryable


@pytest.mark.parametrize(
    ("environ", "configured"),
    [
        ({}, False),
        ({"MODEL": "m"}, False),
        ({"OPENAI_API_KEY": "k"}, False),
        ({"MODEL": "m", "OPENAI_API_KEY": "k"}, True),
        ({"MODEL": "m", "OPENAI_BASE_URL": "http://127.0.0.1:1/v1"}, True),
    ],
)
def test_when_there_is_a_model(environ: dict[str, str], configured: bool) -> None:
    settings = ModelSettings.from_environment(environ)
    assert (settings is not None) == configured
    assert "'k'" not in repr(settings)
