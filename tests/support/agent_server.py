"""A scripted HTTP agent: a raw server on loopback that sends exactly the bytes a test tells it to."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any


@dataclass
class Received:
    """One request as it came in; `closed` is set when the client has closed the connection."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes
    closed: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class Exchange:
    """One request and the means to answer it, byte by byte."""

    def __init__(self, request: Received, writer: asyncio.StreamWriter) -> None:
        self.request = request
        self._writer = writer

    async def raw(self, data: bytes) -> None:
        """Send `data` as it is."""
        self._writer.write(data)
        await self._writer.drain()

    async def head(
        self, status: str = "200 OK", content_type: str = "text/event-stream", **more: str
    ) -> None:
        """Begin an answer whose end is the end of the connection. `more` are headers, `_` for `-`."""
        lines = [f"HTTP/1.1 {status}", f"Content-Type: {content_type}", "Connection: close"]
        lines += [f"{name.replace('_', '-')}: {value}" for name, value in more.items()]
        await self.raw("\r\n".join([*lines, "", ""]).encode())

    async def event(self, name: str, data: Any) -> None:
        """Send one server-sent event; `data` that is not bytes goes as JSON."""
        body = data if isinstance(data, bytes) else json.dumps(data).encode()
        await self.raw(b"event: " + name.encode() + b"\ndata: " + body + b"\n\n")

    async def tokens(self, *texts: str) -> None:
        """Send one token event per text."""
        for text in texts:
            await self.event("token", {"text": text})

    async def done(self, **fields: Any) -> None:
        await self.event("done", fields)

    async def answer(self, *texts: str, **done: Any) -> None:
        """A whole good stream."""
        await self.head()
        await self.tokens(*texts)
        await self.done(**done)

    async def body(self, content: bytes, *, status: str = "200 OK", content_type: str, **more: str) -> None:
        """A whole plain answer."""
        await self.head(status, content_type, Content_Length=str(len(content)), **more)
        await self.raw(content)


Script = Callable[[Exchange], Awaitable[None]]


class ScriptedAgent:
    """Runs the scripts in turn, the last one again and again; `requests` are what came in."""

    def __init__(self, *scripts: Script) -> None:
        self.requests: list[Received] = []
        self._scripts = list(scripts)
        self._arrived = asyncio.Condition()
        self._connections: set[asyncio.Task[Any]] = set()
        self.port = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    async def request(self, number: int = 1, within: float = 5.0) -> Received:
        """The `number`-th request, once it is there; waits at most `within` seconds."""
        async with asyncio.timeout(within), self._arrived:
            await self._arrived.wait_for(lambda: len(self.requests) >= number)
        return self.requests[number - 1]

    @asynccontextmanager
    async def serving(self) -> AsyncIterator["ScriptedAgent"]:
        server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]
        try:
            yield self
        finally:
            server.close()
            for task in self._connections:
                task.cancel()
            await asyncio.gather(*self._connections, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._connections.add(task)
        try:
            received = await _read_request(reader)
            script = self._scripts[min(len(self.requests), len(self._scripts) - 1)]
            async with self._arrived:
                self.requests.append(received)
                self._arrived.notify_all()
            watcher = asyncio.create_task(_watch(reader, received))
            try:
                await script(Exchange(received, writer))
            finally:
                watcher.cancel()
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()
            self._connections.discard(task)


async def _read_request(reader: asyncio.StreamReader) -> Received:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    first, *lines = head.split("\r\n")
    method, path, _ = first.split(" ")
    headers = {
        name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines if line)
    }
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    return Received(method, path, headers, body)


async def _watch(reader: asyncio.StreamReader, received: Received) -> None:
    """The client sends nothing more, so the end of what can be read is the end of its connection."""
    try:
        while await reader.read(1024):
            pass
    except ConnectionError:
        pass
    received.closed.set()
