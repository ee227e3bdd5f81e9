"""Agents over HTTP: server-sent events passed through, or one plain answer."""

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

import aiohttp

from frontdesk_agent.errors import ErrorCode, FrontdeskError
from frontdesk_agent.jsontext import dumps
from orchestration.outbound import GuardedResolver, check_url
from orchestration.transports import faults
from orchestration.transports.base import Call, Piece
from orchestration.transports.headers import request_headers
from orchestration.transports.parsing import StreamParser, whole_answer

CONNECT_S: Final = 5.0
# uvicorn, which most agents run under, closes an idle connection after 5 s: be first, so that no call
# is sent down a connection that is just being closed.
KEEP_ALIVE_S: Final = 4.0
MAX_ANSWER_BYTES: Final = 16 * 1024 * 1024


def open_session(*, allow_private: bool, total_s: float | None = None) -> aiohttp.ClientSession:
    """A client session behind the outbound guard, without cookies, proxies or decompression."""
    return aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(
            resolver=GuardedResolver(allow_private=allow_private),
            limit=0,
            ttl_dns_cache=10,
            keepalive_timeout=KEEP_ALIVE_S,
        ),
        timeout=aiohttp.ClientTimeout(total=total_s, sock_connect=CONNECT_S),
        cookie_jar=aiohttp.DummyCookieJar(),
        auto_decompress=False,
        trust_env=False,
    )


class HttpTransport:
    """One session for all calls of one event loop; made at the first call."""

    def __init__(self, *, allow_private: bool) -> None:
        self._allow_private = allow_private
        self._session: aiohttp.ClientSession | None = None

    async def stream(self, call: Call) -> AsyncGenerator[Piece, None]:
        """See `Transport.stream`."""
        async with self._post(call) as response:
            if response.content_type == "application/json":
                for piece in whole_answer(call.agent, await _body(call.agent, response)):
                    yield piece
                return
            parser = StreamParser(call.agent)
            async for chunk in _chunks(call.agent, response):
                for found in parser.feed(chunk):
                    if isinstance(found, FrontdeskError):
                        raise found
                    yield found
                if parser.finished:
                    return
            raise faults.interrupted(call.agent)

    async def aclose(self) -> None:
        """Close every connection; calls under way fail."""
        if self._session is not None:
            await self._session.close()
            self._session = None

    @asynccontextmanager
    async def _post(self, call: Call) -> AsyncIterator[aiohttp.ClientResponse]:
        """The answer to one request, checked as far as its head; its connection is closed on the way out
        unless the whole answer has been read."""
        card = call.entry.card
        url = card.stream_endpoint or card.endpoint or ""
        streaming = card.stream_endpoint is not None
        with faults.connection_faults(call.agent):
            check_url(url, allow_private=self._allow_private)
            response = await self._open().post(
                url,
                data=_encode(call, streaming=streaming),
                headers=request_headers(call, streaming=streaming),
                allow_redirects=False,
            )
        try:
            _check_head(call.agent, response, streaming=streaming)
            yield response
        finally:
            if response.content.at_eof():
                response.release()
            else:
                response.close()

    def _open(self) -> aiohttp.ClientSession:
        if self._session is None:
            self._session = open_session(allow_private=self._allow_private)
        return self._session


def _encode(call: Call, *, streaming: bool) -> bytes:
    try:
        return dumps({**call.request.model_dump(), "stream": streaming})
    except (TypeError, ValueError):
        raise FrontdeskError(
            ErrorCode.INVALID_INPUT, "The conversation's context holds something that cannot be sent."
        ) from None


def _check_head(agent: str, response: aiohttp.ClientResponse, *, streaming: bool) -> None:
    faults.check_status(agent, response.status, response.headers)
    accepted = ("text/event-stream", "application/json") if streaming else ("application/json",)
    if response.content_type not in accepted:
        raise faults.bad_response(agent, "answered with something other than an agent's answer.")
    if response.headers.get("Content-Encoding", "identity").lower() != "identity":
        raise faults.bad_response(agent, "compressed its answer although it was asked not to.")


async def _chunks(agent: str, response: aiohttp.ClientResponse) -> AsyncIterator[bytes]:
    """The body as it arrives; an end without a proper end is `STREAM_INTERRUPTED`."""
    received = 0
    try:
        async for chunk in response.content.iter_any():
            received += len(chunk)
            if received > MAX_ANSWER_BYTES:
                raise faults.too_much(agent)
            yield chunk
    except (aiohttp.ClientError, OSError):
        raise faults.interrupted(agent) from None


async def _body(agent: str, response: aiohttp.ClientResponse) -> bytes:
    return b"".join([chunk async for chunk in _chunks(agent, response)])
