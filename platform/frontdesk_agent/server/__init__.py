"""An agent behind HTTP, as the contract wants it: `POST /invoke`, `POST /stream`, `GET /health`."""

from typing import Any, Final

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from frontdesk_agent.adapters import adapt
from frontdesk_agent.errors import ErrorCode, FrontdeskError
from frontdesk_agent.secret_refs import REFERENCE_RULE, is_secret_ref
from frontdesk_agent.server.answers import coded
from frontdesk_agent.server.endpoints import Endpoints

__all__ = ["agent_app"]

_SENTENCES: Final = {404: "There is nothing here.", 405: "This address is called with another method."}


def agent_app(
    target: Any, *, name: str | None = None, secret_ref: str | None = None, keepalive_seconds: float = 15.0
) -> Starlette:
    """`target` as an ASGI application; see `frontdesk_agent.adapters.adapt` for what it may be.

    With `secret_ref` (`AGENT_SECRET_<NAME>` or `file:<name>`), callers must send that secret as a bearer
    token; it is looked up at each request, and while there is none, nobody gets in. `name` is for logs and
    the ready line. A stream that is silent for `keepalive_seconds` gets a comment.

    Raises `TypeError` for a target that is no agent, `ValueError` for a bad `secret_ref`.
    """
    if secret_ref is not None and not is_secret_ref(secret_ref):
        raise ValueError(f"secret_ref {REFERENCE_RULE}")
    endpoints = Endpoints(adapt(target), secret_ref, keepalive_seconds)
    app = Starlette(
        routes=[
            Route("/invoke", endpoints.invoke, methods=["POST"]),
            Route("/stream", endpoints.stream, methods=["POST"]),
            Route("/health", _health, methods=["GET"]),
        ],
        exception_handlers={
            FrontdeskError: _known_error,
            HTTPException: _http_error,
            Exception: _unknown_error,
        },
    )
    app.state.agent_name = name or name_of(target)
    return app


def name_of(target: Any) -> str:
    """What to call a target that was given no name."""
    for attribute in ("name", "__name__"):
        name = getattr(target, attribute, None)
        if isinstance(name, str) and name:
            return name
    return type(target).__name__


async def _health(_: Request) -> Response:
    return JSONResponse({"status": "ok"})


async def _known_error(_: Request, error: Exception) -> Response:
    if not isinstance(error, FrontdeskError):
        raise error
    return coded(error)


async def _http_error(_: Request, error: Exception) -> Response:
    status = error.status_code if isinstance(error, HTTPException) else 500
    sentence = _SENTENCES.get(status, "The request was refused.")
    return coded(FrontdeskError(ErrorCode.NOT_ALLOWED, sentence), status)


async def _unknown_error(_: Request, __: Exception) -> Response:
    return coded(FrontdeskError(ErrorCode.INTERNAL, "Something went wrong inside the agent's server."))
