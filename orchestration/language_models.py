"""Language models behind one OpenAI-compatible endpoint."""

import asyncio
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import structlog

from frontdesk_agent.contract import Usage
from frontdesk_agent.errors import ErrorCode, FrontdeskError

if TYPE_CHECKING:
    from langchain_openai import ChatOpenAI

log = structlog.get_logger(__name__)

Message = tuple[str, str]
"""`(role, text)`; the role is system, user or assistant."""

_REFUSED: Final = frozenset({400, 401, 403, 404, 422})


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelSettings:
    """Which models there are, and where.

    `model` answers; `fallbacks` are tried in order when it is down. `first_token_s` bounds, in seconds, the
    wait for a model's first word. Without `base_url` and `api_key` there is no model at all.
    """

    base_url: str | None = None
    api_key: str = field(default="", repr=False)
    model: str = ""
    fallbacks: tuple[str, ...] = ()
    first_token_s: float = 25.0


class LanguageModels:
    """The clients of one event loop, one for each model, made at first use."""

    def __init__(self, settings: ModelSettings) -> None:
        self._settings = settings
        self._clients: dict[str, ChatOpenAI] = {}

    def choice(self, model: str | None = None) -> tuple[str, ...]:
        """`model` (default: the one that answers) and the fallbacks. Raises `MODEL_UNAVAILABLE` for none."""
        settings = self._settings
        names = dict.fromkeys(filter(None, (model or settings.model, *settings.fallbacks)))
        if not names or not (settings.base_url or settings.api_key):
            raise FrontdeskError(ErrorCode.MODEL_UNAVAILABLE, "No language model is set up.")
        return tuple(names)

    async def stream(
        self, messages: Sequence[Message], *, model: str | None = None
    ) -> AsyncGenerator[str | Usage, None]:
        """The words of one of `choice(model)` as they come, and its `Usage` last.

        One that fails before its first word is replaced by the next. Raises `MODEL_UNAVAILABLE` or
        `RATE_LIMITED` before the first word, `STREAM_INTERRUPTED` afterwards. Closing the generator closes
        the request.
        """
        names = self.choice(model)
        for name in names:
            said = False
            try:
                async with aclosing(self._stream_one(name, messages)) as pieces:
                    async for piece in pieces:
                        said = True
                        yield piece
            except FrontdeskError:
                if said or name == names[-1]:
                    raise
            else:
                return

    async def warm(self) -> None:
        """Make the client that the first question would wait for, if there is a model at all."""
        if self._settings.model and (self._settings.base_url or self._settings.api_key):
            await self._client(self._settings.model)

    async def aclose(self) -> None:
        """Close every connection."""
        clients, self._clients = list(self._clients.values()), {}
        for client in clients:
            await client.root_async_client.close()

    async def _stream_one(self, name: str, messages: Sequence[Message]) -> AsyncGenerator[str | Usage, None]:
        usage = Usage()
        said = False
        try:
            client = await self._client(name)
            first_until = asyncio.get_running_loop().time() + self._settings.first_token_s
            async with aclosing(_chunks(client, messages)) as chunks:
                while True:
                    async with asyncio.timeout_at(None if said else first_until):
                        chunk = await anext(chunks, None)
                    if chunk is None:
                        break
                    usage += _usage(chunk.usage_metadata)
                    if text := str(chunk.text):
                        said = True
                        yield text
        except Exception as error:  # noqa: BLE001 - client libraries leak errors of every layer below them
            raise _failure(name, error, said=said) from None
        if not said:
            raise FrontdeskError(
                ErrorCode.MODEL_UNAVAILABLE, "The language model gave no answer.", retryable=True
            )
        yield usage

    async def _client(self, name: str) -> "ChatOpenAI":
        if name not in self._clients:
            # Importing takes a second: not on the loop.
            made = await asyncio.to_thread(_new_client, name, self._settings)
            self._clients.setdefault(name, made)
        return self._clients[name]


def _new_client(name: str, settings: ModelSettings) -> "ChatOpenAI":
    from langchain_openai import ChatOpenAI
    from openai import DefaultAsyncHttpxClient
    from pydantic import SecretStr

    # An HTTP client of its own: the library's shared one would belong to whichever loop came first. No
    # time limit of its own, nor tries again: both are the caller's.
    return ChatOpenAI(
        model=name,
        api_key=SecretStr(settings.api_key or "none"),
        base_url=settings.base_url,
        stream_usage=True,
        max_retries=0,
        timeout=None,
        stream_chunk_timeout=None,
        http_async_client=DefaultAsyncHttpxClient(timeout=None),
        http_socket_options=(),
    )


async def _chunks(client: "ChatOpenAI", messages: Sequence[Message]) -> AsyncGenerator[Any, None]:
    async for chunk in client.astream(list(messages)):
        yield chunk


def _usage(metadata: Mapping[str, Any] | None) -> Usage:
    if not metadata:
        return Usage()
    return Usage(input_tokens=metadata.get("input_tokens"), output_tokens=metadata.get("output_tokens"))


def _failure(name: str, error: Exception, *, said: bool) -> FrontdeskError:
    """What people are told; the error's own words may hold addresses and keys, so only its kind is logged."""
    status = getattr(error, "status_code", None)
    log.warning("language_model_failed", model=name, kind=type(error).__name__, status=status)
    if said:
        return FrontdeskError(
            ErrorCode.STREAM_INTERRUPTED, "The language model broke off in mid-answer.", retryable=True
        )
    if status == 429:
        return FrontdeskError(
            ErrorCode.RATE_LIMITED, "The language model has too much to do at the moment.", retryable=True
        )
    if status in _REFUSED:
        return FrontdeskError(
            ErrorCode.MODEL_UNAVAILABLE, "The language model refused the request; its settings need a look."
        )
    return FrontdeskError(
        ErrorCode.MODEL_UNAVAILABLE, "The language model cannot be reached right now.", retryable=True
    )
