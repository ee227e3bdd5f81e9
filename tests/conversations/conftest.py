"""The product in this process, on a real port, over the test database; two people; scripted agents."""

import asyncio
import json
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from typing import Any

import aiohttp
import pytest
import uvicorn
from asgiref.sync import sync_to_async
from django.contrib.auth import get_user_model
from django.test import Client

from frontdesk_agent.card import parse_card
from registry import services as registry

PATIENCE = 10.0


def card(name: str, port: int, **changes: Any) -> dict[str, Any]:
    """A card of a scripted HTTP agent, valid as it is."""
    return {
        "name": name,
        "display_name": name.replace("_", " ").title(),
        "version": "1.0.0",
        "owner": "owner@example.com",
        "description": "A scripted agent. It says what a test tells it to say.",
        "capabilities": [f"Answers what a test asks of {name}"],
        "examples": [f"What does {name} say?"],
        "routing_keywords": [f"ask_{name}"],
        "transport": "http",
        "endpoint": f"http://127.0.0.1:{port}/invoke",
        "stream_endpoint": f"http://127.0.0.1:{port}/stream",
        "health": f"http://127.0.0.1:{port}/health",
        "timeout_ms": 5_000,
        "stateful": False,
        "input_schema_ref": "contracts/v1/AgentRequest",
        "output_schema_ref": "contracts/v1/AgentResponse",
        **changes,
    }


class Product:
    """A running server and the people who use it."""

    def __init__(self, port: int, server: uvicorn.Server) -> None:
        self.url = f"http://127.0.0.1:{port}"
        self.server = server

    @asynccontextmanager
    async def person(self, username: str | None) -> AsyncIterator["Person"]:
        """Somebody logged in (None: nobody), with the CSRF header a page would send."""
        headers, cookies = {}, {}
        if username:
            token = "a" * 32
            cookies = {"sessionid": await sync_to_async(_log_in)(username), "csrftoken": token}
            headers = {"X-CSRFToken": token}
        async with aiohttp.ClientSession(self.url, headers=headers, cookies=cookies) as session:
            yield Person(session)


def _log_in(username: str) -> str:
    client = Client()
    client.force_login(get_user_model().objects.get(username=username))
    return client.cookies["sessionid"].value


class Person:
    """What one person can do over REST and the socket."""

    def __init__(self, session: aiohttp.ClientSession) -> None:
        self.http = session

    async def call(self, method: str, path: str, body: Any = None, **kwargs: Any) -> tuple[int, Any]:
        """Status and JSON body of one API call below `/api/v1/`."""
        async with self.http.request(method, f"/api/v1/{path}", json=body, **kwargs) as response:
            text = await response.text()
            return response.status, json.loads(text) if text else None

    async def conversation(self, **body: Any) -> str:
        status, made = await self.call("POST", "conversations/", body)
        assert status == 201, made
        return str(made["id"])

    @asynccontextmanager
    async def socket(self, conversation: str, **headers: str) -> AsyncIterator["Socket"]:
        async with self.http.ws_connect(f"/ws/chat/{conversation}/", headers=headers) as ws:
            yield Socket(ws)

    async def ask(self, conversation: str, text: str, **extra: Any) -> list[dict[str, Any]]:
        """Ask over a socket of its own; every frame from `hello` to `run.finished`."""
        async with self.socket(conversation) as socket:
            hello = await socket.hello()
            await socket.send(type="run.start", input=text, **extra)
            return [hello, *await socket.until("run.finished")]


class Socket:
    """One chat socket. `seen` keeps every frame in order."""

    def __init__(self, ws: aiohttp.ClientWebSocketResponse) -> None:
        self.ws = ws
        self.seen: list[dict[str, Any]] = []

    async def send(self, **frame: Any) -> None:
        await self.ws.send_str(json.dumps(frame))

    async def next(self) -> dict[str, Any]:
        message = await self.ws.receive(timeout=PATIENCE)
        if message.type is not aiohttp.WSMsgType.TEXT:
            raise ConnectionError(f"socket closed with {self.ws.close_code}")
        frame: dict[str, Any] = json.loads(message.data)
        self.seen.append(frame)
        return frame

    async def hello(self) -> dict[str, Any]:
        frame = await self.next()
        assert frame["type"] == "hello", frame
        return frame

    async def until(self, type_: str) -> list[dict[str, Any]]:
        """The frames up to and with the next one of `type_`."""
        frames = []
        while True:
            frames.append(await self.next())
            if frames[-1]["type"] == type_:
                return frames

    async def closed(self) -> int | None:
        while not self.ws.closed:
            await self.ws.receive(timeout=PATIENCE)
        return self.ws.close_code


@pytest.fixture
def people(transactional_db: None) -> dict[str, Any]:
    users = get_user_model().objects
    return {name: users.create_user(name) for name in ("alice", "bob")}


@pytest.fixture
def publish(people: dict[str, Any]) -> Callable[[dict[str, Any]], None]:
    """Make a card live."""

    def publish_card(data: dict[str, Any]) -> None:
        registry.import_cards(cards=[parse_card(data)], publish_them=True, by=None)

    return publish_card


@pytest.fixture
def product(people: dict[str, Any], settings: Any) -> Iterator[Product]:
    """The ASGI application under uvicorn on a free port; its runner ends with the test."""
    settings.ALLOW_PRIVATE_ADDRESSES = True
    from config.asgi import application

    config = uvicorn.Config(application, host="127.0.0.1", port=0, log_config=None, ws_max_size=2**22)
    server = uvicorn.Server(config)
    ready = threading.Event()
    startup = server.startup

    async def started(sockets: Any = None) -> None:
        await startup(sockets)
        ready.set()

    server.startup = started  # type: ignore[method-assign] # uvicorn tells nobody else
    thread = threading.Thread(target=lambda: asyncio.run(server.serve()), daemon=True)
    thread.start()
    assert ready.wait(PATIENCE), "the server did not start"
    port = server.servers[0].sockets[0].getsockname()[1]
    yield Product(port, server)
    server.should_exit = True
    thread.join(PATIENCE)
    assert not thread.is_alive(), "the server did not stop"
