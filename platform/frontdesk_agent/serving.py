"""Running one agent as a process of its own."""

import importlib
import inspect
import os
import socket
import sys
import threading
from typing import Any, Final

import uvicorn
from starlette.applications import Starlette

from frontdesk_agent.server import agent_app, name_of

_DRAIN_SECONDS: Final = 5


class ServeError(Exception):
    """A sentence for whoever typed the command."""


def load(path: str) -> Any:
    """The object that `module:object` names (dots after the colon go into attributes)."""
    module_name, colon, attributes = path.partition(":")
    if not (module_name and colon and attributes):
        raise ServeError(f"{path!r} is not of the form module:object, such as my_agent:app")
    try:
        found: Any = importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{module_name}.".startswith(f"{error.name}."):
            raise
        raise ServeError(f"there is no module {module_name!r} here") from None
    for attribute in attributes.split("."):
        if not hasattr(found, attribute):
            raise ServeError(f"module {module_name!r} has no {attributes!r}")
        found = getattr(found, attribute)
    return found


def as_app(found: Any, *, name: str | None, secret_ref: str | None) -> tuple[Any, str]:
    """`found` as an ASGI application, and its name. An application is served as it is."""
    if not _is_app(found):
        try:
            found = agent_app(found, name=name, secret_ref=secret_ref)
        except (TypeError, ValueError) as error:
            raise ServeError(str(error)) from None
    elif secret_ref is not None:
        raise ServeError("--secret-ref is for a bare agent; an application has its own")
    own = getattr(found.state, "agent_name", None) if isinstance(found, Starlette) else None
    return found, name or own or name_of(found)


def _is_app(found: Any) -> bool:
    if isinstance(found, Starlette):
        return True
    if not callable(found) or hasattr(found, "astream"):
        return False
    try:
        return len(inspect.signature(found).parameters) == 3  # scope, receive, send
    except (TypeError, ValueError):
        return False


def serve(app: Any, name: str, *, host: str, port: int, exit_with_parent: bool = False) -> None:
    """Serve `app` until told to stop; prints one line once it can be reached. Port 0 means any free port."""
    listener = _listen(host, port)
    config = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        timeout_graceful_shutdown=_DRAIN_SECONDS,
        server_header=False,
    )
    server = _Server(config, f"serving {name} on http://{_address(listener)}")
    if exit_with_parent:
        threading.Thread(target=_exit_at_eof, args=[server], daemon=True).start()
    server.run(sockets=[listener])


class _Server(uvicorn.Server):
    def __init__(self, config: uvicorn.Config, ready: str) -> None:
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            sys.stdout.write(f"{self._ready}\n")
            sys.stdout.flush()


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=2048)
    except (OSError, OverflowError) as error:
        raise ServeError(f"cannot listen on {host}:{port}: {error}") from None


def _address(listener: socket.socket) -> str:
    host, port = listener.getsockname()[:2]
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def _exit_at_eof(server: uvicorn.Server) -> None:
    # Not sys.stdin.read(): that would hold the stream's lock while the interpreter shuts down.
    while os.read(0, 4096):
        pass
    server.should_exit = True
