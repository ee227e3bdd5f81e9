"""Answers that end when nobody listens any more."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Coroutine, Iterable
from contextlib import aclosing
from typing import Any, Final, TypeVar

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from frontdesk_agent.contract import Done, Error, StreamEvent, encode_event
from frontdesk_agent.errors import ErrorCode
from frontdesk_agent.sse import HEADERS, KEEPALIVE

_OPENING: Final = b": open\n\n"
_UNSENDABLE: Final = encode_event(
    Error(code=str(ErrorCode.AGENT_FAILED), message="The agent said something that cannot be sent.")
)

logger = logging.getLogger(__name__)

T = TypeVar("T")


async def unless_gone(receive: Receive, work: Coroutine[Any, Any, T]) -> T | None:
    """What `work` returns, or None when the client went away first; then `work` is cancelled and awaited."""
    task = asyncio.ensure_future(work)
    listener = asyncio.ensure_future(_disconnected(receive))
    try:
        await asyncio.wait([task, listener], return_when=asyncio.FIRST_COMPLETED)
        return task.result() if task.done() else None
    finally:
        await _end([task, listener])


class EventStream(Response):
    """The events of an agent as they come. A client that goes away cancels the agent at once."""

    def __init__(
        self, events: AsyncGenerator[StreamEvent, None], *, trace_id: str, keepalive_seconds: float
    ) -> None:
        """`trace_id` goes into `done` where the agent gives none; silence is filled every so many seconds."""
        super().__init__(headers=dict(HEADERS))
        del self.headers["content-length"]
        self._events = events
        self._trace_id = trace_id
        self._pause = keepalive_seconds
        self._last_sent = 0.0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
        await self._send(send, _OPENING)
        keepalive = asyncio.ensure_future(self._keep_alive(send))
        try:
            finished = await unless_gone(receive, self._pump(send))
        finally:
            await _end([keepalive])
        if finished:
            await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _pump(self, send: Send) -> bool:
        async with aclosing(self._events) as events:
            async for event in events:
                frame = self._frame(event)
                await self._send(send, frame or _UNSENDABLE)
                if frame is None:
                    break
        return True

    def _frame(self, event: StreamEvent) -> bytes | None:
        if isinstance(event, Done) and not event.trace_id:
            event = event.model_copy(update={"trace_id": self._trace_id})
        try:
            return encode_event(event)
        except (TypeError, ValueError):
            logger.exception("an agent's event is no JSON")
            return None

    async def _send(self, send: Send, frame: bytes) -> None:
        self._last_sent = asyncio.get_running_loop().time()
        await send({"type": "http.response.body", "body": frame, "more_body": True})

    async def _keep_alive(self, send: Send) -> None:
        """Proxies close what is silent."""
        loop = asyncio.get_running_loop()
        while True:
            quiet = loop.time() - self._last_sent
            if quiet >= self._pause:
                await self._send(send, KEEPALIVE)
                quiet = 0.0
            await asyncio.sleep(self._pause - quiet)


async def _disconnected(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


async def _end(tasks: Iterable[asyncio.Future[Any]]) -> None:
    """Cancel `tasks` and wait until they are gone, so that nothing outlives its request."""
    running = [task for task in tasks if not task.done()]
    for task in running:
        task.cancel()
    if running:
        await asyncio.wait(running)
