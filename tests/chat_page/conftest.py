"""A real site, and an agent that says what a test wants when the test wants it."""

import json
import queue
import socket
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page

TIMEOUT_S = 15
AXE = Path(__file__).parent / "vendor" / "axe.min.js"

CARD = """
name: {name}
display_name: {display_name}
version: 1.2.0
owner: team@example.com
description: Answers in tests. It rests on a script.
capabilities: [Explain what a test wants to have explained]
examples: ["{keyword} please", "Tell me about {keyword}", "请说明 {keyword}"]
routing_keywords: ["{keyword}"]
transport: http
endpoint: {url}/invoke
stream_endpoint: {url}/stream
timeout_ms: 60000
stateful: false
auth: {{type: none}}
input_schema_ref: contracts/v1/AgentRequest
output_schema_ref: contracts/v1/AgentResponse
"""


class Call:
    """One request to the staged agent, answered step by step."""

    def __init__(self, connection: socket.socket, request: dict[str, Any]) -> None:
        self.request = request
        self._connection = connection
        self._writing = connection.makefile("wb", buffering=0)
        self._writing.write(
            b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"
        )
        self.over = threading.Event()

    def event(self, name: str, **data: Any) -> None:
        self._writing.write(f"event: {name}\ndata: {json.dumps(data)}\n\n".encode())

    def say(self, *texts: str) -> None:
        for text in texts:
            self.event("token", text=text)

    def done(self, **fields: Any) -> None:
        self.event("done", **{"usage": {"input_tokens": 3, "output_tokens": 5}, **fields})
        self.over.set()

    def answer(self, *texts: str, **fields: Any) -> None:
        self.say(*texts)
        self.done(**fields)

    def fail(self, code: str = "AGENT_FAILED", message: str = "No.", *, retryable: bool = True) -> None:
        self.event("error", code=code, message=message, retryable=retryable)
        self.over.set()

    def break_off(self) -> None:
        """Ends the connection without having said that it is done."""
        self.over.set()

    def wait_until_hung_up(self) -> None:
        """Returns once the other side has closed the connection."""
        self._connection.settimeout(TIMEOUT_S)
        assert self._connection.recv(1) == b""
        self.over.set()


class Stage:
    """An agent over real HTTP; `next_call` hands out its requests as they come."""

    def __init__(self) -> None:
        self._calls: queue.Queue[Call] = queue.Queue()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self._open: list[Call] = []
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    def next_call(self) -> Call:
        call = self._calls.get(timeout=TIMEOUT_S)
        self._open.append(call)
        return call

    def close(self) -> None:
        for call in self._open:
            call.over.set()
        self._server.shutdown()
        self._server.server_close()

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        calls = self._calls

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                call = Call(self.connection, json.loads(body))
                calls.put(call)
                call.over.wait(60)
                self.close_connection = True

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class's name
                pass

        return Handler


@pytest.fixture(scope="session")
def stages() -> Iterator[dict[str, Stage]]:
    """The agents of `desk`, by name."""
    stages = {"diagnosis_agent": Stage(), "knowledge_agent": Stage()}
    yield stages
    for stage in stages.values():
        stage.close()


@pytest.fixture(scope="session")
def cards(stages: dict[str, Stage]) -> list[str]:
    """Their cards, as YAML."""
    diagnosis = CARD.format(
        name="diagnosis_agent",
        display_name="车辆诊断 Diagnosis",
        keyword="P0171",
        url=stages["diagnosis_agent"].url,
    )
    knowledge = CARD.format(
        name="knowledge_agent", display_name="Knowledge", keyword="manual", url=stages["knowledge_agent"].url
    )
    return [diagnosis, knowledge]


@pytest.fixture(scope="session")
def desk(make_site: Any, cards: list[str]) -> Any:
    """A site with two agents that a test plays."""
    site = make_site(agents=False)
    site.publish(*cards)
    return site


@pytest.fixture
def diagnosis(stages: dict[str, Stage]) -> Stage:
    return stages["diagnosis_agent"]


@pytest.fixture
def knowledge(stages: dict[str, Stage]) -> Stage:
    return stages["knowledge_agent"]


class Chat:
    """What a person does on the page, and what they see."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.composer = page.get_by_test_id("composer")
        self.send = page.get_by_test_id("send")
        self.stop = page.get_by_test_id("stop")
        self.banner = page.get_by_test_id("active-agent-banner")
        self.running = page.get_by_test_id("supervisor-running")
        self.rows = page.get_by_test_id("delegation-entry")
        self.count = page.get_by_test_id("delegation-count")
        self.questions = page.get_by_test_id("message-user")
        self.answers = page.get_by_test_id("message-assistant")
        self.error = page.get_by_test_id("run-error")
        self.retry = page.get_by_test_id("retry")

    def ask(self, text: str) -> None:
        self.composer.fill(text)
        self.composer.press("Enter")

    def indicator(self, name: str) -> Any:
        return self.page.get_by_test_id(f"agent-indicator-{name}")

    def card(self, name: str) -> Any:
        return self.page.get_by_test_id(f"activity-card-{name}")

    def accessibility_faults(self) -> list[Any]:
        """What axe finds, WCAG 2.2 AA and its own good practice."""
        self.page.evaluate(AXE.read_text(encoding="utf-8"))
        rules = "['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']"
        found = self.page.evaluate(f"axe.run({{runOnly: {rules}}})")
        return [(fault["id"], [node["target"] for node in fault["nodes"]]) for fault in found["violations"]]

    def overflow(self) -> int:
        """By how many pixels the page is wider than its window."""
        return int(self.page.evaluate("document.documentElement.scrollWidth - window.innerWidth"))


@pytest.fixture
def chat(desk: Any, open_as: Any) -> Chat:
    """Alice's chat page on `desk`."""
    return Chat(open_as(desk, "alice"))
