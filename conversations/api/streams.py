"""Server-sent events: plain async views, since a DRF view holds a thread for as long as it streams."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any
from uuid import UUID

import orjson
from asgiref.sync import sync_to_async
from django.contrib.auth.models import AbstractBaseUser
from django.http import HttpRequest, HttpResponseBase, StreamingHttpResponse
from django.views.decorators.csrf import csrf_exempt
from rest_framework.request import Request
from rest_framework.views import APIView

from conversations import runner as runners
from conversations import selectors
from conversations.api.reading import question_of
from conversations.api.views import Runs
from conversations.db import in_db
from conversations.events import Event
from conversations.services import invalid
from conversations.watching import Watcher
from frontdesk_agent.errors import ErrorCode, FrontdeskError

KEEP_ALIVE_S = 15.0


class NotLoggedInError(FrontdeskError):
    """Nobody is logged in."""

    http_status = 401

    def __init__(self) -> None:
        super().__init__(ErrorCode.NOT_ALLOWED, "Please log in.")


# DRF's authentication checks the CSRF token of session logins itself, as it does for its own views.
@csrf_exempt
async def runs(request: HttpRequest, conversation: str) -> HttpResponseBase:
    """`…/runs/`: DRF's, but for a POST that wants the answer streamed."""
    if request.method != "POST" or not _wants_stream(request):
        view = Runs.as_view()
        response: HttpResponseBase = await sync_to_async(view)(request, conversation=conversation)
        return response
    user, data = await in_db(_authenticated, request)
    found = await in_db(selectors.get_conversation, user, conversation)
    question = question_of(data, request)
    runner = await runners.ensure_started()
    # Watched from before it begins: nothing of a quick answer is missed.
    watcher = Watcher(runner, found.pk)
    started = await runner.start(user=user, conversation_id=found.pk, question=question)
    return _stream(_events(watcher, started.run_id, after=0 if started.event is None else None))


async def events(request: HttpRequest, run: str) -> HttpResponseBase:
    """`runs/{id}/events/`: what is stored beyond `Last-Event-ID` or `?after=`, then what happens."""
    user, _ = await in_db(_authenticated, request)
    found = await in_db(selectors.get_run, user, run)
    after = _after(request)
    runner = await runners.ensure_started()
    watcher = Watcher(runner, found.conversation_id)
    return _stream(_events(watcher, found.pk, after=after))


async def _events(watcher: Watcher, run_id: UUID, *, after: int | None) -> AsyncIterator[bytes]:
    """The frames of one run to its end; `after` None: the watcher has seen it begin."""
    run = str(run_id)
    try:
        news = [] if after is None else await watcher.replay(run, after)
        over = after is not None and watcher.live is None and await in_db(selectors.is_final, run_id)
        if over:
            # It ended before we subscribed or while we read: what is stored by now is all there is.
            news += await watcher.replay(run, max(after or 0, watcher.seen(run)))
        while True:
            for event in news:
                if event["run"] == run:
                    yield _frame(event)
                    over = over or event["type"] == "run.finished"
            if over:
                return
            try:
                news = await asyncio.wait_for(_news(watcher, run), KEEP_ALIVE_S)
            except TimeoutError:
                news = []
                yield b": still here\n\n"
    finally:
        watcher.close()


async def _news(watcher: Watcher, run: str) -> list[Event]:
    """What happens next; empty when the watcher knew it already."""
    events = await watcher.events()
    return await watcher.replay(run, watcher.seen(run)) if events is None else events


def _frame(event: Event) -> bytes:
    identity = b"id: %d\n" % event["seq"] if "seq" in event else b""
    return b"%bevent: %b\ndata: %b\n\n" % (identity, event["type"].encode(), orjson.dumps(event))


def _stream(frames: AsyncIterator[bytes]) -> StreamingHttpResponse:
    headers = {"Cache-Control": "no-cache", "X-Accel-Buffering": "no"}
    return StreamingHttpResponse(frames, content_type="text/event-stream; charset=utf-8", headers=headers)


def _wants_stream(request: HttpRequest) -> bool:
    return "text/event-stream" in request.headers.get("Accept", "")


def _after(request: HttpRequest) -> int:
    given = request.headers.get("Last-Event-ID") or request.GET.get("after") or "0"
    if not given.isascii() or not given.isdigit() or len(given) > 9:
        raise invalid("`Last-Event-ID` and `after` must be a number from 0 up.")
    return int(given)


def _authenticated(request: HttpRequest) -> tuple[AbstractBaseUser, Any]:
    """Who asks, by the same means as DRF's views, and the parsed body."""
    wrapped = Request(
        request,
        authenticators=APIView().get_authenticators(),
        parsers=APIView().get_parsers(),
    )
    user = wrapped.user
    if not isinstance(user, AbstractBaseUser):
        raise NotLoggedInError
    return user, wrapped.data if request.method == "POST" else None
