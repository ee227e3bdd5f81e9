"""The after-sales agent: books, moves, cancels and lists service slots. Runs as an HTTP process of its own.

Run it with `python -m frontdesk_agent serve sample_agents.aftersales:app --port 9102`.
`AFTERSALES_DB` names its SQLite file (default: `aftersales.sqlite3` in `DATA_DIR`, else in the
system's temporary folder), `TIME_ZONE` the workshop's time zone.
"""

import asyncio
import json
import os
import tempfile
from collections.abc import AsyncIterator
from contextvars import ContextVar
from datetime import datetime
from pathlib import Path
from typing import Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from starlette.middleware import Middleware
from starlette.types import ASGIApp, Receive, Scope, Send

from frontdesk_agent.contract import AgentRequest, Tool
from frontdesk_agent.errors import ErrorCode, FrontdeskError
from frontdesk_agent.server import agent_app
from sample_agents.appointments import open_book
from sample_agents.drafts import Reply, Visitor
from sample_agents.service_desk import ServiceDesk
from sample_agents.speech import language_of, spoken

_idempotency_key: ContextVar[str] = ContextVar("idempotency_key", default="")
_KEY_LENGTH: Final = 200


async def agent(request: AgentRequest) -> AsyncIterator[str | Tool]:
    """Answer one message about service appointments; what it writes, it writes before its first word."""
    reply = await asyncio.to_thread(respond, request, local_now(), database())
    if reply.tool:
        yield reply.tool
    async for piece in spoken(reply.text):
        yield piece


def respond(request: AgentRequest, now: datetime, path: Path) -> Reply:
    """Act on a message, once for each idempotency key: the same key gets the same answer. Blocks.

    `now` is the workshop's local time, `path` the appointment book. Raises `FrontdeskError`
    `INVALID_INPUT` when nobody is named.
    """
    user_id = request.user_id or (f"session:{request.session_id}" if request.session_id else "")
    if not user_id:
        raise FrontdeskError(ErrorCode.INVALID_INPUT, "A booking needs a user_id or a session_id.")
    key = _idempotency_key.get()
    with open_book(path) as book:
        if key and (known := book.answered(user_id, key)):
            return Reply.from_dict(json.loads(known))
        visitor = Visitor(user_id, request.session_id, language_of(request))
        reply = ServiceDesk(book, visitor, now).reply(request.input)
        if key:
            book.keep_answer(user_id, key, json.dumps(reply.as_dict()), now)
        return reply


def local_now() -> datetime:
    """The workshop's clock, without a zone."""
    try:
        zone = ZoneInfo(os.environ.get("TIME_ZONE") or "UTC")
    except (ZoneInfoNotFoundError, ValueError):
        zone = ZoneInfo("UTC")
    return datetime.now(zone).replace(tzinfo=None)


def database() -> Path:
    """The file of the appointment book."""
    if named := os.environ.get("AFTERSALES_DB"):
        return Path(named)
    folder = os.environ.get("DATA_DIR") or Path(tempfile.gettempdir()) / "frontdesk"
    return Path(folder) / "aftersales.sqlite3"


class _IdempotencyKey:
    """Puts the header where `respond` finds it: the contract's request has no field for it."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = dict(scope.get("headers", ()))
        _idempotency_key.set(headers.get(b"idempotency-key", b"").decode("latin-1")[:_KEY_LENGTH])
        await self._app(scope, receive, send)


app = agent_app(agent, name="aftersales_agent")
app.user_middleware.append(Middleware(_IdempotencyKey))
