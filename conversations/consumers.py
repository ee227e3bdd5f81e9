"""The chat page's socket: checks who speaks, then hands on. Everything else is the runner's."""

import asyncio
import json
import time
from collections.abc import Awaitable, Callable
from importlib import import_module
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast
from uuid import UUID

import structlog
from channels.generic.websocket import AsyncWebsocketConsumer
from django.conf import settings
from django.contrib.auth import get_user
from django.contrib.auth.models import AbstractBaseUser

from conversations import runner as runners
from conversations import selectors
from conversations.db import in_db
from conversations.events import Event
from conversations.models import Conversation
from conversations.origin import Scope, locale_of, same_origin
from conversations.services import Question, invalid
from conversations.watching import Watcher
from frontdesk_agent.errors import ErrorCode, FrontdeskError
from frontdesk_agent.jsontext import dumps
from frontdesk_agent.text import clean_json

if TYPE_CHECKING:
    from django.http import HttpRequest

log = structlog.get_logger(__name__)

MAX_FRAME_CHARS = 1_000_000
CLOSE_NOT_ALLOWED = 4403
CLOSE_NOT_FOUND = 4404
CLOSE_BROKEN = 1011
# How long a socket may still be fed after its session has ended.
RECHECK_S = 60.0
LOGGED_OUT = FrontdeskError(ErrorCode.NOT_ALLOWED, "Please log in again.")
FOREIGN = FrontdeskError(ErrorCode.NOT_ALLOWED, "This page does not belong to this server.")


class RefusedError(Exception):
    """The socket itself is refused, with a close code and the error that says why."""

    def __init__(self, close_code: int, error: FrontdeskError) -> None:
        super().__init__(error.message)
        self.close_code = close_code
        self.error = error


class ChatConsumer(AsyncWebsocketConsumer):
    """`/ws/chat/<conversation>/`; frames and events as the design's section 10 and 6 name them."""

    watcher: Watcher | None = None
    feed: asyncio.Task[None] | None = None

    async def connect(self) -> None:
        # Accepted even when refused: only an open socket can be told why, and closed with a code.
        await self.accept()
        try:
            conversation = await self._conversation()
        except RefusedError as refused:
            await self._refuse(refused)
            return
        self.conversation_pk = conversation.pk
        self.runner = await runners.ensure_started()
        self.watcher = Watcher(self.runner, conversation.pk)
        try:
            await self._send(await self.watcher.hello())
        except BaseException:
            self.watcher.close()
            raise
        self.feed = asyncio.create_task(self._feed(self.watcher))

    async def disconnect(self, code: int) -> None:
        if self.watcher is not None:
            self.watcher.close()
        if self.feed is not None:
            self.feed.cancel()
            await asyncio.wait([self.feed])

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        frame: dict[str, Any] = {}
        try:
            await self._conversation()
            frame = _parse(text_data)
            await self._handlers.get(frame["type"], _unknown)(self, frame)
        except RefusedError as refused:
            await self._refuse(refused)
        except FrontdeskError as error:
            await self._send_error(error, frame)
        except Exception:
            log.exception("frame_failed", frame_type=frame.get("type"))
            await self._send_error(
                FrontdeskError(ErrorCode.INTERNAL, "That did not work. Please try again."), frame
            )

    # -- frames

    async def _start(self, frame: dict[str, Any]) -> None:
        started = await self.runner.start(
            user=self.user,
            conversation_id=self._conversation_id,
            question=Question(
                input=frame.get("input", ""),
                client_id=frame.get("client_id"),
                agent=frame.get("agent"),
                context=frame.get("context") or {},
                locale=locale_of(self.scope),
                on_busy=frame.get("on_busy", "reject"),
                headers=_forwarded(self.scope),
            ),
        )
        if started.event is None:
            # The message was known: whoever sends again missed what came of it.
            await self._replay(str(started.run_id), 0)

    async def _cancel(self, frame: dict[str, Any]) -> None:
        await self.runner.cancel(user=self.user, run_id=await self._own_run(frame))

    async def _retry(self, frame: dict[str, Any]) -> None:
        await self.runner.retry(
            user=self.user,
            run_id=await self._own_run(frame),
            delegation_id=frame.get("delegation_id"),
            locale=locale_of(self.scope),
        )

    async def _follow_run(self, frame: dict[str, Any]) -> None:
        after = frame.get("after", 0)
        if isinstance(after, bool) or not isinstance(after, int) or after < 0:
            raise invalid("`after` must be a number from 0 up.")
        await self._replay(str(await self._own_run(frame)), after)

    _handlers: dict[str, Callable[["ChatConsumer", dict[str, Any]], Awaitable[None]]] = {
        "run.start": _start,
        "run.cancel": _cancel,
        "run.retry": _retry,
        "run.follow": _follow_run,
    }

    # -- inside

    @property
    def _conversation_id(self) -> str:
        return str(self.scope["url_route"]["kwargs"]["conversation"])

    async def _conversation(self) -> Conversation:
        """Checked on every frame: a session can end, and a conversation go, while the socket is open."""
        if not same_origin(self.scope):
            raise RefusedError(CLOSE_NOT_ALLOWED, FOREIGN)
        self.user, conversation = await in_db(
            _admit, self.scope["session"].session_key, self._conversation_id
        )
        return conversation

    async def _own_run(self, frame: dict[str, Any]) -> UUID:
        """The id of the run that a frame names, which must be of this conversation."""
        run = await in_db(selectors.get_run, self.user, frame.get("run"))
        if run.conversation_id != self.conversation_pk:
            raise selectors.NotFoundError("run")
        return run.pk

    async def _replay(self, run_id: str, after: int) -> None:
        if self.watcher is None:
            return
        async with self.watcher.sending:
            for event in await self.watcher.replay(run_id, after):
                await self._send(event)

    async def _feed(self, watcher: Watcher) -> None:
        try:
            await self._follow(watcher)
        except RefusedError as refused:
            await self._refuse(refused)
        except Exception:
            log.exception("feed_failed")
            await self.close(code=CLOSE_BROKEN)

    async def _follow(self, watcher: Watcher) -> None:
        checked = time.monotonic()
        while True:
            events = await watcher.events()
            if time.monotonic() - checked > RECHECK_S:
                await self._conversation()
                checked = time.monotonic()
            async with watcher.sending:
                for event in [await watcher.hello()] if events is None else events:
                    await self._send(event)

    async def _refuse(self, refused: RefusedError) -> None:
        await self._send_error(refused.error, {})
        await self.close(code=refused.close_code)

    async def _send_error(self, error: FrontdeskError, frame: dict[str, Any]) -> None:
        told: Event = {"type": "error", "code": str(error.code), "message": error.message}
        if error.details is not None:
            told["details"] = error.details
        if isinstance(client_id := frame.get("client_id"), str):
            told["client_id"] = client_id
        await self._send(told)

    async def _send(self, event: Event) -> None:
        await self.send(text_data=dumps(event).decode())


async def _unknown(_: ChatConsumer, frame: dict[str, Any]) -> None:
    raise invalid(f"Unknown frame type “{frame['type'][:40]}”.")


def _admit(session_key: str | None, conversation_id: str) -> tuple[AbstractBaseUser, Conversation]:
    """Who the session belongs to now, and their conversation. Raises `RefusedError`."""
    session = import_module(settings.SESSION_ENGINE).SessionStore(session_key)
    # Django asks no more of the request than its session.
    user = get_user(cast("HttpRequest", SimpleNamespace(session=session)))
    if not isinstance(user, AbstractBaseUser) or not user.is_active:
        raise RefusedError(CLOSE_NOT_ALLOWED, LOGGED_OUT)
    try:
        return user, selectors.get_conversation(user, conversation_id)
    except FrontdeskError as error:
        raise RefusedError(CLOSE_NOT_FOUND, error) from error


def _parse(text: str | None) -> dict[str, Any]:
    if text is None or len(text) > MAX_FRAME_CHARS:
        raise invalid(f"A frame must be JSON text of at most {MAX_FRAME_CHARS:,} characters.")
    try:
        # Not orjson: it refuses lone surrogates, which a browser may send and which are mended here.
        frame = clean_json(json.loads(text))
    except (ValueError, RecursionError):
        raise invalid("A frame must be JSON.") from None
    if not isinstance(frame, dict) or not isinstance(frame.get("type"), str):
        raise invalid("A frame must be an object with a `type`.")
    return frame


def _forwarded(scope: Scope) -> dict[str, str]:
    wanted = {name.lower() for name in settings.FORWARD_HEADERS}
    headers = ((name.decode("latin-1").lower(), value.decode("latin-1")) for name, value in scope["headers"])
    return {name: value for name, value in headers if name in wanted}
