"""Only what is idempotent is called again, only before its first output, only within the deadline."""

import pytest

from frontdesk_agent.errors import FrontdeskError
from orchestration.transports.faults import check_status
from tests.orchestration.conftest import AskHttp
from tests.support.agent_server import Exchange, Script
from tests.support.sinks import CollectingSink


def refuse(status: str, **headers: str) -> Script:
    async def script(exchange: Exchange) -> None:
        await exchange.body(b"", status=status, content_type="text/plain", **headers)

    return script


async def answer(exchange: Exchange) -> None:
    await exchange.answer("at last")


async def break_off_after_text(exchange: Exchange) -> None:
    await exchange.head()
    await exchange.tokens("half ")


async def break_off_after_a_tool(exchange: Exchange) -> None:
    await exchange.head()
    await exchange.event("tool", {"name": "book", "arguments": {}})


async def fail_retryably(exchange: Exchange) -> None:
    await exchange.head()
    await exchange.event("error", {"code": "AGENT_UNAVAILABLE", "message": "Busy.", "retryable": True})


@pytest.mark.parametrize("first", [refuse("503 Away"), refuse("500 Oops"), fail_retryably])
async def test_again_after_a_passing_fault(ask_http: AskHttp, sink: CollectingSink, first: Script) -> None:
    outcome, agent = await ask_http(first, first, answer, max_retries=2)

    assert outcome.status == "completed"
    assert sink.text == "at last"
    assert sink.one("delegation.finished").attempts == len(agent.requests) == 3
    assert len(sink.of("delegation.started")) == 1
    assert len({received.headers["idempotency-key"] for received in agent.requests}) == 1


@pytest.mark.parametrize(
    ("first", "max_retries"),
    [
        (refuse("503 Away"), 0),
        (refuse("401 Who"), 2),
        (break_off_after_text, 2),
        (break_off_after_a_tool, 2),
    ],
    ids=["not idempotent", "not retryable", "after text", "after a tool"],
)
async def test_not_again(ask_http: AskHttp, sink: CollectingSink, first: Script, max_retries: int) -> None:
    outcome, agent = await ask_http(first, answer, max_retries=max_retries)

    assert outcome.status == "failed"
    assert sink.one("delegation.finished").attempts == len(agent.requests) == 1


async def test_no_more_than_allowed(ask_http: AskHttp, sink: CollectingSink) -> None:
    outcome, agent = await ask_http(refuse("503 Away"), max_retries=1)

    assert outcome.error["code"] == "AGENT_UNAVAILABLE"
    assert sink.one("delegation.finished").attempts == len(agent.requests) == 2


async def test_retry_after_is_honoured(ask_http: AskHttp, sink: CollectingSink) -> None:
    await ask_http(refuse("429 Slowly", Retry_After="1"), answer, max_retries=1)

    assert sink.text == "at last"
    assert sink.one("delegation.finished").duration_ms >= 1000


@pytest.mark.parametrize("after", ["60", "Fri, 31 Dec 2999 23:59:59 GMT"])
async def test_retry_after_beyond_the_deadline_is_not_waited_for(
    ask_http: AskHttp, sink: CollectingSink, after: str
) -> None:
    outcome, agent = await ask_http(refuse("429 Slowly", Retry_After=after), max_retries=3, timeout_ms=3000)

    assert outcome.error["code"] == "RATE_LIMITED"
    assert len(agent.requests) == 1
    assert sink.one("delegation.finished").duration_ms < 1000


@pytest.mark.parametrize(
    ("after", "details"),
    [
        ("5", {"retry_after_s": 5.0}),
        ("9" * 400, {"retry_after_s": 86_400.0}),
        ("Fri, 31 Dec 9999 23:59:59 GMT", {"retry_after_s": 86_400.0}),
        ("Wed, 21 Oct 2015 07:28:00 GMT", {"retry_after_s": 0.0}),
        ("Wed, 21 Oct 99999999999999999999 07:28:00 GMT", None),
        ("Wed, 21 Oct 2015 07:28:00 +99999999999999999999", None),
        ("soon", None),
    ],
)
async def test_retry_after_is_a_day_at_most(
    ask_http: AskHttp, sink: CollectingSink, after: str, details: object
) -> None:
    with pytest.raises(FrontdeskError) as caught:
        check_status("Echo", 429, {"Retry-After": after})
    assert caught.value.details == details
    outcome, _ = await ask_http(refuse("429 Slowly", Retry_After=after), timeout_ms=3000)
    assert outcome.error["code"] == "RATE_LIMITED"
