"""Starts the runner with the server's event loop and ends it before the loop does.

uvicorn says when by the lifespan protocol. daphne has none: there the first connection starts the runner,
and a Twisted trigger holds the reactor's shutdown back until the runner has ended.
"""

import asyncio
import sys
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any
from weakref import WeakSet

import structlog

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[Message, Receive, Send], Awaitable[None]]

log = structlog.get_logger(__name__)


class Lifecycle:
    """Wraps `application`: awaits `start` once per event loop before anything is served, `stop` at its end.

    `start` must be safe to call again. When it fails, that is logged and tried again with the next
    connection; pages that need no runner are served meanwhile, among them `/livez` and `/readyz`.
    """

    def __init__(
        self,
        application: Application,
        *,
        start: Callable[[], Awaitable[object]],
        stop: Callable[[], Awaitable[None]],
    ) -> None:
        self._application = application
        self._start = start
        self._stop = stop
        self._started: WeakSet[asyncio.AbstractEventLoop] = WeakSet()

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._lifespan(receive, send)
            return
        await self._ensure_started()
        await self._application(scope, receive, send)

    async def _ensure_started(self) -> None:
        loop = asyncio.get_running_loop()
        if loop in self._started:
            return
        try:
            await self._start()
        except Exception:
            log.exception("runner_not_started")
            return
        if loop not in self._started:
            self._started.add(loop)
            self._stop_with_reactor(loop)

    def _stop_with_reactor(self, loop: asyncio.AbstractEventLoop) -> None:
        reactor: Any = sys.modules.get("twisted.internet.reactor")
        if reactor is None or not reactor.running or getattr(reactor, "_asyncioEventloop", None) is not loop:
            return
        from twisted.internet.defer import Deferred  # not at the top: uvicorn runs without Twisted

        def stop() -> "Deferred[None]":
            return Deferred.fromFuture(asyncio.ensure_future(self._stop(), loop=loop))

        reactor.addSystemEventTrigger("before", "shutdown", stop)

    async def _lifespan(self, receive: Receive, send: Send) -> None:
        while True:
            message = await receive()
            if message["type"] == "lifespan.startup":
                await self._ensure_started()
                await send({"type": "lifespan.startup.complete"})
            elif message["type"] == "lifespan.shutdown":
                await self._stop()
                await send({"type": "lifespan.shutdown.complete"})
                return
