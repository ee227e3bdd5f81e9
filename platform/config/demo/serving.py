"""Serving with daphne in this process, and saying so once it is true."""

import http.client
import json
import socket
import threading
import time
from collections.abc import Callable
from typing import Any, Final

from django.core.management.base import CommandError

READY_TIMEOUT_S: Final = 30.0
RETRY_S: Final = 0.1


class Site:
    """`serve` blocks until SIGTERM, Ctrl+C or `stop`; `on_ready` runs once `/readyz` has answered 200."""

    def __init__(self, host: str, listener: socket.socket) -> None:
        self.host = host
        self.port = int(listener.getsockname()[1])
        self._listener = listener
        self.failure: str | None = None

    @property
    def url(self) -> str:
        host = self._reachable_host
        return f"http://[{host}]:{self.port}/" if ":" in host else f"http://{host}:{self.port}/"

    @property
    def _reachable_host(self) -> str:
        return {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(self.host, self.host)  # noqa: S104 - no binding here

    def serve(self, on_ready: Callable[[], None]) -> None:
        # daphne installs Twisted's reactor when imported; the application needs Django to be set up.
        from daphne.endpoints import build_endpoint_description_strings
        from daphne.server import Server

        from config.asgi import application

        watcher = threading.Thread(target=self._announce, args=(on_ready,), daemon=True)
        server = Server(
            application,
            endpoints=build_endpoint_description_strings(host=self.host, port=self.port),
            server_name="frontdesk",
            ready_callable=watcher.start,
        )
        self._listener.close()
        server.run()
        if not server.listening_addresses:
            self.failure = f"Port {self.port} cannot be listened on."

    def stop(self, failure: str) -> None:
        """Ends `serve` from another thread."""
        from twisted.internet import reactor

        self.failure = failure
        running: Any = reactor  # a module that Twisted puts an object in the place of
        running.callFromThread(running.stop)

    def _announce(self, on_ready: Callable[[], None]) -> None:
        deadline = time.monotonic() + READY_TIMEOUT_S
        answer = ""
        while time.monotonic() < deadline:
            status, answer = self._ask()
            if status == http.HTTPStatus.OK:
                self._say(on_ready)
                return
            time.sleep(RETRY_S)
        self.stop(f"Frontdesk did not become ready. {answer}")

    def _say(self, on_ready: Callable[[], None]) -> None:
        try:
            on_ready()
        except CommandError as error:
            self.stop(str(error))

    def _ask(self) -> tuple[int, str]:
        connection = http.client.HTTPConnection(self._reachable_host, self.port, timeout=READY_TIMEOUT_S)
        try:
            connection.request("GET", "/readyz")
            response = connection.getresponse()
            return response.status, " ".join(json.loads(response.read()).get("reasons", ()))
        except (OSError, ValueError, http.client.HTTPException) as error:
            return 0, str(error)
        finally:
            connection.close()
