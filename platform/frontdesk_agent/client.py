"""Calling an agent that speaks the contract."""

import math
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from types import TracebackType
from typing import Any, Final, NoReturn, Self

import aiohttp
from pydantic import ValidationError

from frontdesk_agent.contract import (
    AgentRequest,
    AgentResponse,
    CitationEvent,
    Done,
    Error,
    StreamEvent,
    Token,
    Tool,
    parse_event,
)
from frontdesk_agent.errors import ErrorCode, FrontdeskError
from frontdesk_agent.jsontext import dumps, loads
from frontdesk_agent.sse import SSEDecoder
from frontdesk_agent.text import TextCleaner

MAX_ANSWER_BYTES: Final = 4 * 1024 * 1024
_HEALTH_SECONDS: Final = 5.0
_EVENT_STREAM: Final = "text/event-stream"


class AgentClient:
    """An agent at a distance. Use it as `async with AgentClient(...) as agent`, or call `aclose`.

    `timeout_ms` bounds a whole call. `token` is sent as a bearer token. Every failure is a `FrontdeskError`
    with a code: `AGENT_UNAVAILABLE`, `AGENT_TIMEOUT`, `AGENT_AUTH_FAILED`, `AGENT_BAD_RESPONSE`,
    `STREAM_INTERRUPTED`, `LIMIT_EXCEEDED`, or what the agent itself says.
    """

    def __init__(
        self,
        *,
        endpoint: str,
        stream_endpoint: str | None = None,
        health: str | None = None,
        token: str | None = None,
        timeout_ms: int = 60_000,
    ) -> None:
        self._endpoint = endpoint
        self._stream_endpoint = stream_endpoint
        self._health = health
        self._token = token
        self._timeout_ms = timeout_ms
        self._session: aiohttp.ClientSession | None = None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Close the connections."""
        if self._session is not None:
            await self._session.close()
            self._session = None

    async def invoke(
        self, request: AgentRequest, *, headers: Mapping[str, str] | None = None
    ) -> AgentResponse:
        """The whole answer. `headers` are sent too (`traceparent`, `X-Trace-Id`, `Idempotency-Key`)."""
        async with self._post(self._endpoint, request, "application/json", headers) as response:
            body = await _read(response)
        try:
            return AgentResponse.model_validate(loads(body))
        except (ValidationError, ValueError):
            _bad_response()

    async def stream(
        self, request: AgentRequest, *, headers: Mapping[str, str] | None = None
    ) -> AsyncGenerator[Token | Tool | CitationEvent | Done, None]:
        """The answer as it grows; the last event is `Done`. An `error` event is raised.

        Without a `stream_endpoint` the whole answer comes at once. Close the generator to hang up.
        """
        if self._stream_endpoint is None:
            for piece in _events_of(await self.invoke(request, headers=headers)):
                yield piece
            return
        request = request.model_copy(update={"stream": True})
        cleaner = TextCleaner()
        async with self._post(self._stream_endpoint, request, _EVENT_STREAM, headers) as response:
            if response.content_type != _EVENT_STREAM:
                _bad_response()
            async for event in _events(response):
                if isinstance(event, Token):
                    text = cleaner.feed(event.text)
                    if text:
                        yield Token(text)
                    continue
                if isinstance(event, Error):
                    raise event.as_error()
                if isinstance(event, Done) and (rest := cleaner.flush()):
                    yield Token(rest)
                yield event
                if isinstance(event, Done):
                    return
        raise FrontdeskError(
            ErrorCode.STREAM_INTERRUPTED, "The agent's answer ended before it was whole.", retryable=True
        )

    async def health(self) -> bool:
        """Whether the agent says that it is well; False also when it cannot be reached or has no address."""
        if self._health is None:
            return False
        timeout = aiohttp.ClientTimeout(total=min(_HEALTH_SECONDS, self._timeout_ms / 1000))
        try:
            async with self._connected().get(
                self._health, headers=self._headers(None), timeout=timeout, allow_redirects=False
            ) as response:
                body = loads(await _read(response))
                return response.status == 200 and isinstance(body, dict) and body.get("status") == "ok"
        except (aiohttp.ClientError, TimeoutError, ValueError, FrontdeskError):
            return False

    @asynccontextmanager
    async def _post(
        self, url: str, request: AgentRequest, accept: str, headers: Mapping[str, str] | None
    ) -> AsyncGenerator[aiohttp.ClientResponse, None]:
        sent = {**self._headers(headers), "Accept": accept, "Content-Type": "application/json"}
        if request.session_id:
            sent["X-Session-Id"] = request.session_id
        body = dumps(request.model_dump(mode="json", exclude_none=True))
        timeout = aiohttp.ClientTimeout(total=self._timeout_ms / 1000, ceil_threshold=math.inf)
        answered = False
        try:
            async with self._connected().post(
                url, data=body, headers=sent, timeout=timeout, allow_redirects=False
            ) as response:
                await _refuse(response)
                answered = True
                yield response
        except TimeoutError:
            raise FrontdeskError(
                ErrorCode.AGENT_TIMEOUT, "The agent took too long to answer.", retryable=True
            ) from None
        except aiohttp.ClientError as error:
            raise _unreachable(answered=answered) from error

    def _connected(self) -> aiohttp.ClientSession:
        if self._session is None:
            self._session = aiohttp.ClientSession(trust_env=False)
        return self._session

    def _headers(self, headers: Mapping[str, str] | None) -> dict[str, str]:
        own = {"Authorization": f"Bearer {self._token}"} if self._token else {}
        return {**(headers or {}), **own}


async def _events(response: aiohttp.ClientResponse) -> AsyncGenerator[StreamEvent, None]:
    decoder = SSEDecoder()
    async for chunk in response.content.iter_any():
        for name, data in decoder.feed(chunk):
            event = parse_event(name, data)
            if event is not None:
                yield event


async def _read(response: aiohttp.ClientResponse) -> bytes:
    body = bytearray()
    async for chunk in response.content.iter_any():
        body += chunk
        if len(body) > MAX_ANSWER_BYTES:
            raise FrontdeskError(ErrorCode.LIMIT_EXCEEDED, "The agent's answer is too large.")
    return bytes(body)


async def _refuse(response: aiohttp.ClientResponse) -> None:
    """Raise what an answer other than 200 means."""
    if response.status == 200:
        return
    if response.status in {401, 403}:
        raise FrontdeskError(ErrorCode.AGENT_AUTH_FAILED, "The agent did not accept our credentials.")
    said = _said(await _read(response))
    if said is not None:
        raise said.as_error()
    if response.status >= 500:
        raise FrontdeskError(ErrorCode.AGENT_UNAVAILABLE, "The agent's server is in trouble.", retryable=True)
    _bad_response()


def _said(body: bytes) -> Error | None:
    """The coded error in `body`, if that is what it is."""
    try:
        value: Any = loads(body)
        return Error.model_validate(value) if isinstance(value, dict) and "code" in value else None
    except ValueError:
        return None


def _events_of(answer: AgentResponse) -> list[Token | Tool | CitationEvent | Done]:
    tools = [Tool(name=call.name, arguments=call.arguments) for call in answer.tool_calls]
    text = [Token(answer.output)] if answer.output else []
    end = Done.model_validate(answer.model_dump(exclude={"output", "tool_calls"}))
    return [*tools, *text, end]


def _unreachable(*, answered: bool) -> FrontdeskError:
    if answered:
        return FrontdeskError(
            ErrorCode.STREAM_INTERRUPTED, "The connection to the agent broke.", retryable=True
        )
    return FrontdeskError(ErrorCode.AGENT_UNAVAILABLE, "The agent cannot be reached.", retryable=True)


def _bad_response() -> NoReturn:
    raise FrontdeskError(
        ErrorCode.AGENT_BAD_RESPONSE, "The agent's answer does not fit the contract."
    ) from None
