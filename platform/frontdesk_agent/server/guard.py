"""What comes before an agent is asked: who asks, and what."""

import hmac
import re
from typing import Final

from pydantic import ValidationError
from starlette.requests import Request
from starlette.responses import Response

from frontdesk_agent.contract import AgentRequest, invalid_fields
from frontdesk_agent.errors import ErrorCode, FrontdeskError
from frontdesk_agent.jsontext import loads
from frontdesk_agent.secret_refs import resolve_secret
from frontdesk_agent.server.answers import coded

MAX_BODY_BYTES: Final = 1024 * 1024
_TRACE_ID: Final = re.compile(r"[\x21-\x7e]{1,128}")
_TRACEPARENT: Final = re.compile(r"[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}(?:-.*)?")


class TooLargeError(FrontdeskError):
    """The request's body is over the limit."""

    def __init__(self) -> None:
        super().__init__(ErrorCode.LIMIT_EXCEEDED, f"A request may have at most {MAX_BODY_BYTES // 1024} kB.")


def refusal(request: Request, secret_ref: str | None) -> Response | None:
    """The answer to a caller who may not come in; None for one who may."""
    if secret_ref is None:
        return None
    secret = resolve_secret(secret_ref)
    if secret is None:
        return coded(
            FrontdeskError(
                ErrorCode.AGENT_UNAVAILABLE, "This agent's secret is not configured, so nobody can call it."
            )
        )
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() == "bearer" and hmac.compare_digest(token.strip().encode(), secret.encode()):
        return None
    error = FrontdeskError(ErrorCode.AGENT_AUTH_FAILED, "A valid bearer token is required.")
    return coded(error, 401, {"WWW-Authenticate": "Bearer"})


async def read_request(request: Request) -> AgentRequest:
    """The question in the body. Raises `FrontdeskError` `INVALID_INPUT` or `TooLargeError`."""
    try:
        asked = AgentRequest.model_validate(loads(await _body(request)))
    except ValidationError as error:
        raise FrontdeskError(
            ErrorCode.INVALID_INPUT,
            "The request does not fit the contract.",
            details=invalid_fields(error),
        ) from None
    except ValueError:
        raise FrontdeskError(ErrorCode.INVALID_INPUT, "The request is no JSON.") from None
    if not asked.input.strip():
        raise FrontdeskError(ErrorCode.INVALID_INPUT, "The input must not be empty.")
    return asked


async def _body(request: Request) -> bytes:
    declared = request.headers.get("content-length", "0")
    if declared.isdecimal() and int(declared) > MAX_BODY_BYTES:
        raise TooLargeError
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > MAX_BODY_BYTES:
            raise TooLargeError
    return bytes(body)


def trace_id_of(request: Request) -> str:
    """The caller's `X-Trace-Id`, else the trace in `traceparent`, else nothing."""
    own = request.headers.get("x-trace-id", "")
    if _TRACE_ID.fullmatch(own):
        return own
    match = _TRACEPARENT.fullmatch(request.headers.get("traceparent", ""))
    return match[1] if match else ""
