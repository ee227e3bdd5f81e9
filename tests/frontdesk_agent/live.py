"""Real servers on loopback for these tests."""

import asyncio
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import aiohttp
import uvicorn

from frontdesk_agent.sse import SSEDecoder

WAIT_S = 5
Handler = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@asynccontextmanager
async def serving(app: Any) -> AsyncIterator[str]:
    """`app` behind uvicorn, in this event loop; yields its base URL.

    Started and stopped by hand: `serve()` would take the process's signals, and looks only ten times a
    second whether it should stop.
    """
    listener = socket.create_server(("127.0.0.1", 0))
    config = uvicorn.Config(app, log_level="critical", lifespan="off")
    config.load()
    server = uvicorn.Server(config)
    server.lifespan = config.lifespan_class(config)
    await server.startup(sockets=[listener])
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        await server.shutdown(sockets=[listener])


@asynccontextmanager
async def raw_server(answer: bytes, *, hold: bool = False) -> AsyncIterator[str]:
    """A server that sends `answer`, whatever it is asked, and hangs up (with `hold`: never)."""

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        length = next(
            (
                int(line.split(b":")[1])
                for line in head.lower().split(b"\r\n")
                if line.startswith(b"content-length")
            ),
            0,
        )
        await reader.readexactly(length)
        writer.write(answer)
        await writer.drain()
        if hold:
            await reader.read()
        writer.close()

    server = await asyncio.start_server(handle, "127.0.0.1", 0)
    try:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/"
    finally:
        server.close()


def http(body: bytes, *, status: str = "200 OK", kind: str = "application/json") -> bytes:
    """A whole HTTP answer."""
    return f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body


def sse(body: bytes) -> bytes:
    """An HTTP answer with a stream of unknown length, which ends where the connection does."""
    return b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n" + body


async def post(url: str, body: Any, **headers: str) -> tuple[int, Any, Any]:
    """`(status, JSON body, headers)`."""
    async with aiohttp.ClientSession() as session, session.post(url, json=body, headers=headers) as response:
        return response.status, await response.json(), response.headers


async def events(url: str, body: Any, **headers: str) -> list[tuple[str, str]]:
    """All server-sent events of one answer."""
    decoder = SSEDecoder()
    async with aiohttp.ClientSession() as session, session.post(url, json=body, headers=headers) as response:
        assert response.status == 200, await response.text()
        found = [event async for chunk in response.content.iter_any() for event in decoder.feed(chunk)]
    assert not decoder.close()
    return found
