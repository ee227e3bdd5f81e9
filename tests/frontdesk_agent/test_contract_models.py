"""The contract's models: tolerant of what they do not know, strict about what they do."""

import json
from typing import Any

import pytest
from pydantic import ValidationError

from frontdesk_agent.contract import (
    AgentRequest,
    AgentResponse,
    Citation,
    CitationEvent,
    Done,
    Error,
    Handoff,
    StreamEvent,
    Token,
    Tool,
    Usage,
    encode_event,
    parse_event,
)
from frontdesk_agent.errors import ErrorCode, FrontdeskError
from frontdesk_agent.sse import SSEDecoder

EVENTS: list[StreamEvent] = [
    Token("汉字 😀\n"),
    Token(""),
    Tool(name="search", arguments={"q": ["a", 1, None]}),
    CitationEvent(title="Manual", url="https://example.org/a?b=c", snippet="…"),
    Error(code="RATE_LIMITED", message="Later.", retryable=True),
    Done(),
    Done(
        output="whole",
        citations=(Citation(title="x"),),
        usage=Usage(input_tokens=1, output_tokens=2),
        trace_id="t",
        context={"vin": "X"},
        handoff=Handoff(agent="other_agent", task="go on"),
    ),
]


@pytest.mark.parametrize("event", EVENTS)
def test_events_survive_the_wire(event: StreamEvent) -> None:
    ((name, data),) = SSEDecoder().feed(encode_event(event))
    assert name == event.event
    assert parse_event(name, data) == event


def test_the_wire_form_of_a_token() -> None:
    assert encode_event(Token('say "hi"')) == b'event: token\ndata: {"text":"say \\"hi\\""}\n\n'
    assert encode_event(Token("\ud83d")) == b'event: token\ndata: {"text":"\\ud83d"}\n\n'


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("token", ""),
        ("token", "{"),
        ("token", "[]"),
        ("token", "null"),
        ("token", "{}"),
        ("token", '{"text": null}'),
        ("token", '{"text": 7}'),
        ("tool", "{}"),
        ("tool", '{"name": "x", "arguments": "a"}'),
        ("citation", "[]"),
        ("citation", "7"),
        ("done", ""),
        ("done", '{"usage": {"input_tokens": -1}}'),
        ("done", '{"handoff": {}}'),
        ("error", "<html>"),
    ],
)
def test_events_that_do_not_fit(name: str, data: str) -> None:
    with pytest.raises(FrontdeskError) as caught:
        parse_event(name, data)
    assert caught.value.code is ErrorCode.AGENT_BAD_RESPONSE


def test_unknown_events_and_fields_are_ignored() -> None:
    assert parse_event("routing", "anything") is None
    assert parse_event("token", '{"text": "x", "index": 3}') == Token("x")
    assert parse_event("done", '{"finish": "stop"}') == Done()


def test_null_means_nothing_there() -> None:
    fields = ("output", "citations", "usage", "trace_id", "context", "handoff")
    assert parse_event("done", json.dumps(dict.fromkeys(fields))) == Done()
    answer = {"output": "x", "citations": None, "tool_calls": None, "usage": {"input_tokens": None}}
    assert AgentResponse.model_validate(answer) == AgentResponse(output="x")


def test_text_is_cleaned_on_the_way_in() -> None:
    assert parse_event(
        "done", r'{"output": "\ud83d\ude00 \ud83d \u0000", "context": {"a": ["\ud83d"]}}'
    ) == Done(output="😀 \ufffd ", context={"a": ["\ufffd"]})
    assert parse_event("token", r'{"text": "\ud83d"}') == Token("\ud83d")  # the other half may follow
    assert AgentRequest(input="a\x00\ud83d").input == "a\ufffd"


@pytest.mark.parametrize(
    ("url", "kept"),
    [
        ("https://example.org/", "https://example.org/"),
        ("docs/page.md#part", "docs/page.md#part"),
        ("javascript:alert(1)", ""),
        (" JavaScript:alert(1)", ""),
        ("data:text/html,x", ""),
        ("http://[bad", ""),
        (None, ""),
    ],
)
def test_citations_lead_to_pages_only(url: str | None, kept: str) -> None:
    assert Citation.model_validate({"title": "x", "url": url}).url == kept


def test_a_request_needs_only_its_input() -> None:
    request = AgentRequest.model_validate({"input": "hi", "context": None, "temperature": 1})
    assert request == AgentRequest(input="hi")
    assert request.context.history == ()


@pytest.mark.parametrize(
    "data",
    [
        {},
        {"input": None},
        {"input": ["hi"]},
        {"input": "hi", "context": {"history": [{"role": "robot", "content": "x"}]}},
        {"input": "hi", "context": {"metadata": []}},
        {"input": "hi", "session_id": 7},
    ],
)
def test_requests_that_do_not_fit(data: Any) -> None:
    with pytest.raises(ValidationError):
        AgentRequest.model_validate(data)


def test_errors_become_exceptions_with_a_known_code() -> None:
    assert (
        Error(code="RATE_LIMITED", message="Later.", retryable=True).as_error().code is ErrorCode.RATE_LIMITED
    )
    unknown = Error(code="E_BOOM", message="").as_error()
    assert (unknown.code, unknown.message) == (ErrorCode.AGENT_FAILED, "The agent failed.")
    assert Error.of(FrontdeskError(ErrorCode.INTERNAL, "x", retryable=True)) == Error(
        code="INTERNAL", message="x", retryable=True
    )


def test_usage_adds_up() -> None:
    assert Usage(input_tokens=1) + Usage(input_tokens=2, output_tokens=3) == Usage(
        input_tokens=3, output_tokens=3
    )


def test_what_json_columns_refuse_comes_in_as_what_they_take() -> None:
    # The escaped half of a character is what makes the patient reader read it, which knows infinity.
    value = '{"n": 1e999, "i": 123456789012345678901234567890, "s": "\\ud83d"}'
    kept = {"n": None, "i": float(123456789012345678901234567890), "s": "\ufffd"}
    assert parse_event("tool", f'{{"name": "x", "arguments": {value}}}') == Tool(name="x", arguments=kept)
    assert parse_event("done", f'{{"context": {value}}}') == Done(context=kept)
    answer = AgentResponse.model_validate(
        {"output": "x", "tool_calls": [{"name": "x", "arguments": {"n": float("nan")}}]}
    )
    assert answer.tool_calls[0].arguments == {"n": None}


def test_more_tokens_than_a_column_counts_are_cut() -> None:
    most = 2**31 - 1
    event = parse_event("done", f'{{"usage": {{"input_tokens": {10**12}, "output_tokens": {most}}}}}')
    assert isinstance(event, Done)
    assert event.usage == Usage(input_tokens=most, output_tokens=most)
    assert (event.usage + event.usage).input_tokens == most
