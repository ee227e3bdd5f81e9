"""The headers of a call over HTTP (the agent contract, v1)."""

from typing import Final

from orchestration.transports.base import Call

# What forwarded headers may never set: ours, the message's framing, and the connection's own.
_RESERVED: Final = frozenset(
    {
        "accept",
        "accept-encoding",
        "authorization",
        "connection",
        "content-encoding",
        "content-length",
        "content-type",
        "cookie",
        "expect",
        "host",
        "idempotency-key",
        "keep-alive",
        "proxy-authorization",
        "proxy-connection",
        "te",
        "trailer",
        "traceparent",
        "transfer-encoding",
        "upgrade",
        "x-api-key",
        "x-session-id",
        "x-trace-id",
    }
)


def request_headers(call: Call, *, streaming: bool) -> dict[str, str]:
    """Ours, and of the caller's own those that are not ours to set."""
    return {**_forwarded(call), **_ours(call, streaming=streaming), **_credentials(call)}


def _ours(call: Call, *, streaming: bool) -> dict[str, str]:
    return {
        "Content-Type": "application/json",
        "Accept": "text/event-stream, application/json" if streaming else "application/json",
        "Accept-Encoding": "identity",
        "traceparent": call.traceparent,
        "X-Trace-Id": call.trace_id,
        "X-Session-Id": call.request.session_id,
        "Idempotency-Key": call.delegation_id,
    }


def _credentials(call: Call) -> dict[str, str]:
    if call.secret is None:
        return {}
    if call.entry.card.auth.type == "apikey":
        return {"X-API-Key": call.secret}
    return {"Authorization": f"Bearer {call.secret}"}


def _forwarded(call: Call) -> dict[str, str]:
    return {
        name: value
        for name, value in call.forward_headers.items()
        if name.lower() not in _RESERVED and value.isprintable()
    }
