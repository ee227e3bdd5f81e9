"""HTTP faults as coded errors. Nothing an agent's server wrote, and no URL, gets into a sentence."""

import ssl
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

import aiohttp

from frontdesk_agent.errors import ErrorCode, FrontdeskError
from orchestration.outbound import AddressRefusedError

_AWAY = frozenset({502, 503, 504})
_LONGEST_PAUSE_S = 86_400.0


def unavailable(agent: str, why: str) -> FrontdeskError:
    return FrontdeskError(ErrorCode.AGENT_UNAVAILABLE, f"{agent} {why}", retryable=True)


def bad_response(agent: str, why: str) -> FrontdeskError:
    return FrontdeskError(ErrorCode.AGENT_BAD_RESPONSE, f"{agent} {why}")


def interrupted(agent: str) -> FrontdeskError:
    return FrontdeskError(
        ErrorCode.STREAM_INTERRUPTED, f"{agent} broke off before its answer was complete.", retryable=True
    )


def too_much(agent: str) -> FrontdeskError:
    return FrontdeskError(ErrorCode.LIMIT_EXCEEDED, f"{agent} sent more than an answer may hold.")


def not_allowed(agent: str) -> FrontdeskError:
    return FrontdeskError(
        ErrorCode.NOT_ALLOWED, f"{agent} is at an address that may not be called from here."
    )


def check_status(agent: str, status: int, headers: Mapping[str, str]) -> None:
    """Raise the error that an HTTP `status` stands for; return when it is a success."""
    if 200 <= status < 300:
        return
    raise _status_error(agent, status, headers)


def _status_error(agent: str, status: int, headers: Mapping[str, str]) -> FrontdeskError:
    if status in (401, 403):
        return FrontdeskError(
            ErrorCode.AGENT_AUTH_FAILED, f"{agent} did not accept the platform's credentials."
        )
    if status == 404:
        return FrontdeskError(ErrorCode.AGENT_UNAVAILABLE, f"{agent} is not found at its address.")
    if status == 429:
        return FrontdeskError(
            ErrorCode.RATE_LIMITED,
            f"{agent} has too many questions at the moment. Try again a little later.",
            retryable=True,
            details=_retry_after(headers),
        )
    if status in _AWAY:
        return unavailable(agent, "is not available at the moment.")
    if status >= 500:
        return FrontdeskError(
            ErrorCode.AGENT_FAILED, f"{agent} failed while working on this.", retryable=True
        )
    return bad_response(agent, f"answered with an unexpected status ({status}).")


def _retry_after(headers: Mapping[str, str]) -> dict[str, float] | None:
    """`Retry-After` (RFC 9110, 10.2.3: seconds or a date) as `{"retry_after_s": seconds}`, a day at most."""
    value = headers.get("Retry-After", "").strip()
    try:
        seconds = float(value) if value.isascii() and value.isdigit() else _seconds_until(value)
    except (ValueError, OverflowError):
        return None
    return {"retry_after_s": min(max(0.0, seconds), _LONGEST_PAUSE_S)}


def _seconds_until(date: str) -> float:
    at = parsedate_to_datetime(date)
    at = at if at.tzinfo else at.replace(tzinfo=UTC)
    return (at - datetime.now(UTC)).total_seconds()


@contextmanager
def connection_faults(agent: str) -> Iterator[None]:
    """Turn what aiohttp raises before an answer has begun into coded errors."""
    try:
        yield
    except AddressRefusedError:
        raise not_allowed(agent) from None
    except (aiohttp.ClientError, OSError, ValueError) as error:
        raise _connection_error(agent, error) from None


def _connection_error(agent: str, error: Exception) -> FrontdeskError:
    if isinstance(error, aiohttp.ClientConnectorError) and isinstance(error.os_error, AddressRefusedError):
        return not_allowed(agent)
    if isinstance(error, aiohttp.InvalidURL):
        return not_allowed(agent)
    if isinstance(error, (ssl.SSLError, ssl.CertificateError, aiohttp.ClientSSLError)):
        return unavailable(agent, "could not be reached securely.")
    if isinstance(error, aiohttp.ServerDisconnectedError | aiohttp.ClientPayloadError):
        return unavailable(agent, "closed the connection before answering.")
    if isinstance(error, aiohttp.ClientConnectionError | OSError):
        return unavailable(agent, "cannot be reached.")
    return bad_response(agent, "gave an answer that is not proper HTTP.")
