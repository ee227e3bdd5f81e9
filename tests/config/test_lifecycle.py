"""The runner starts once, before anything is served, and has ended before the server has."""

import asyncio
import http.client
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from config.lifecycle import Lifecycle, Message, Receive, Send

ROOT = Path(__file__).resolve().parents[2]
SERVED = """
import asyncio, os, pathlib
from config.lifecycle import Lifecycle

log = pathlib.Path(os.environ["LOG"])

def note(word):
    with log.open("a") as file:
        print(word, file=file, flush=True)

async def start():
    note("started")

async def stop():
    await asyncio.sleep(0.05)
    note("stopped")

async def served(scope, receive, send):
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]})
    await send({"type": "http.response.body", "body": b"ok"})

application = Lifecycle(served, start=start, stop=stop)
"""


class Calls:
    def __init__(self, failures: int = 0) -> None:
        self.log: list[str] = []
        self._failures = failures

    async def start(self) -> None:
        await asyncio.sleep(0)
        if self._failures:
            self._failures -= 1
            self.log.append("failed")
            raise ConnectionError("no database")
        self.log.append("started")

    async def stop(self) -> None:
        self.log.append("stopped")

    async def served(self, scope: Message, receive: Receive, send: Send) -> None:
        self.log.append("served")

    def lifecycle(self) -> Lifecycle:
        return Lifecycle(self.served, start=self.start, stop=self.stop)


async def connect(application: Lifecycle) -> None:
    async def receive() -> Message:
        raise AssertionError("nothing is read")

    async def send(message: Message) -> None:
        raise AssertionError("nothing is sent")

    await application({"type": "http"}, receive, send)


async def test_it_starts_before_the_first_connection_is_served() -> None:
    calls = Calls()
    application = calls.lifecycle()
    await connect(application)
    await connect(application)
    assert calls.log == ["started", "served", "served"]


async def test_a_start_that_fails_is_tried_again_and_pages_are_served_meanwhile() -> None:
    calls = Calls(failures=1)
    application = calls.lifecycle()
    await connect(application)
    await connect(application)
    await connect(application)
    assert calls.log == ["failed", "served", "started", "served", "served"]


async def test_lifespan() -> None:
    calls = Calls()
    inbox: asyncio.Queue[Message] = asyncio.Queue()
    sent: list[str] = []

    async def send(message: Message) -> None:
        sent.append(message["type"])

    inbox.put_nowait({"type": "lifespan.startup"})
    inbox.put_nowait({"type": "lifespan.shutdown"})
    await calls.lifecycle()({"type": "lifespan"}, inbox.get, send)
    assert sent == ["lifespan.startup.complete", "lifespan.shutdown.complete"]
    assert calls.log == ["started", "stopped"]


@pytest.mark.parametrize(
    "server",
    [
        pytest.param(["daphne", "--endpoint", "fd:fileno={fd}", "--verbosity", "0"], id="daphne"),
        pytest.param(["uvicorn", "--fd", "{fd}", "--log-level", "error"], id="uvicorn"),
    ],
)
def test_a_terminated_server_waits_for_the_stop(server: list[str], tmp_path: Path) -> None:
    (tmp_path / "served.py").write_text(SERVED)
    log = tmp_path / "log"
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        process = subprocess.Popen(
            [
                sys.executable,
                "-m",
                *(word.format(fd=listener.fileno()) for word in server),
                "served:application",
            ],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": f"{tmp_path}{os.pathsep}{ROOT / 'platform'}", "LOG": str(log)},
            pass_fds=[listener.fileno()],
        )
        port = listener.getsockname()[1]
    try:
        # The socket listens already, so the request waits for the server instead of being refused.
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        connection.request("GET", "/")
        assert connection.getresponse().read() == b"ok"
        connection.close()
        process.send_signal(signal.SIGTERM)
        process.wait(20)
    finally:
        process.kill()
        process.wait()
    assert log.read_text().split() == ["started", "stopped"]
