"""Errors as HTTP answers."""

from collections.abc import Mapping
from typing import Final

from starlette.responses import Response

from frontdesk_agent.errors import ErrorCode, FrontdeskError
from frontdesk_agent.jsontext import dumps

_STATUS: Final[Mapping[ErrorCode, int]] = {
    ErrorCode.INVALID_INPUT: 422,
    ErrorCode.CONTEXT_MISSING: 422,
    ErrorCode.CONTRACT_MISMATCH: 422,
    ErrorCode.NOT_ALLOWED: 403,
    ErrorCode.AGENT_NOT_FOUND: 404,
    ErrorCode.CONVERSATION_LOCKED: 409,
    ErrorCode.RATE_LIMITED: 429,
    ErrorCode.AGENT_UNAVAILABLE: 503,
    ErrorCode.MODEL_UNAVAILABLE: 503,
    ErrorCode.AGENT_TIMEOUT: 504,
}


def json_response(value: object, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    return Response(dumps(value), status, headers, media_type="application/json")


def coded(
    error: FrontdeskError, status: int | None = None, headers: Mapping[str, str] | None = None
) -> Response:
    """`{code, message, retryable, details?}` with the status that fits the code (500 where none does)."""
    body = error.as_dict()
    if error.details is not None:
        body["details"] = error.details
    return json_response(body, status or _STATUS.get(error.code, 500), headers)
