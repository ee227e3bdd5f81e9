"""Answering with a language model behind any OpenAI-compatible endpoint."""

import asyncio
import logging
import os
from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final
from weakref import WeakKeyDictionary

from frontdesk_agent.contract import AgentRequest, Done, Usage
from frontdesk_agent.errors import ErrorCode, FrontdeskError

if TYPE_CHECKING:
    from langchain_openai import ChatOpenAI

logger = logging.getLogger(__name__)

_FIRST_TOKEN_S: Final = 25.0
_WHOLE_ANSWER_S: Final = 55.0
_HISTORY_ITEMS: Final = 20
_HISTORY_CHARS: Final = 4000
_INSTRUCTIONS: Final = """\
You are the general assistant at Frontdesk, where people reach the agents of an organisation in one place.
You answer because no specialised agent took this message.
Answer in the language of the question, briefly, in Markdown.
You cannot look anything up and cannot act: never pretend to know stock or bookings of this organisation.
When one of the agents below could help, name it and say how to ask it.

Agents that people can ask here:
{agents}"""


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """Which model, and where. `api_key` is not shown."""

    model: str
    api_key: str = field(repr=False)
    base_url: str | None = None

    @classmethod
    def from_environment(cls, environ: Mapping[str, str] = os.environ) -> "ModelSettings | None":
        """From `MODEL`, `OPENAI_API_KEY`, `OPENAI_BASE_URL`; None when that is no model one could reach."""
        model, key, url = (environ.get(name, "") for name in ("MODEL", "OPENAI_API_KEY", "OPENAI_BASE_URL"))
        if not model or not (key or url):
            return None
        return cls(model, key or "none", url or None)


_clients: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[ModelSettings, "ChatOpenAI"]] = (
    WeakKeyDictionary()
)


async def answer_with_model(
    request: AgentRequest,
    settings: ModelSettings,
    *,
    first_token_s: float = _FIRST_TOKEN_S,
    whole_answer_s: float = _WHOLE_ANSWER_S,
) -> AsyncIterator[str | Done]:
    """The model's words as they come, and `Done` with the usage.

    The two times bound, in seconds, the wait for the first word and the whole answer.
    Raises `FrontdeskError` `MODEL_UNAVAILABLE` when the model fails before its first word,
    `STREAM_INTERRUPTED` afterwards. Nothing is tried again here: that is the caller's policy.
    """
    client = await _client(settings)
    loop = asyncio.get_running_loop()
    end = loop.time() + whole_answer_s
    usage = Usage()
    said = False
    try:
        async with aclosing(_chunks(client, _messages(request))) as chunks:
            while True:
                deadline = end if said else min(end, loop.time() + first_token_s)
                async with asyncio.timeout_at(deadline):
                    chunk = await anext(chunks, None)
                if chunk is None:
                    break
                usage += _usage(chunk.usage_metadata)
                if text := str(chunk.text):
                    said = True
                    yield text
    except Exception as error:  # noqa: BLE001 - client libraries leak errors of every layer below them
        raise _failure(error, said=said) from None
    if not said:
        raise FrontdeskError(
            ErrorCode.MODEL_UNAVAILABLE, "The language model gave no answer.", retryable=True
        )
    yield Done(usage=usage)


async def _chunks(client: "ChatOpenAI", messages: Sequence[tuple[str, str]]) -> AsyncGenerator[Any, None]:
    async for chunk in client.astream(list(messages)):
        yield chunk


async def _client(settings: ModelSettings) -> "ChatOpenAI":
    """One client for each event loop: its connections belong to the loop that opened them."""
    clients = _clients.setdefault(asyncio.get_running_loop(), {})
    if settings not in clients:
        clients[settings] = await asyncio.to_thread(_new_client, settings)
    return clients[settings]


def _new_client(settings: ModelSettings) -> "ChatOpenAI":
    # These take a second to import: only where there is a model.
    from langchain_openai import ChatOpenAI
    from openai import DefaultAsyncHttpxClient
    from pydantic import SecretStr

    return ChatOpenAI(
        model=settings.model,
        api_key=SecretStr(settings.api_key),
        base_url=settings.base_url,
        stream_usage=True,
        max_retries=0,
        timeout=_WHOLE_ANSWER_S,
        http_async_client=DefaultAsyncHttpxClient(),
        http_socket_options=(),
    )


def _messages(request: AgentRequest) -> list[tuple[str, str]]:
    history = [item for item in request.context.history if item.role != "system"][-_HISTORY_ITEMS:]
    return [
        ("system", _INSTRUCTIONS.format(agents=_agents(request.context.metadata.get("directory")))),
        *((item.role, item.content[:_HISTORY_CHARS]) for item in history),
        ("user", request.input),
    ]


def _agents(directory: Any) -> str:
    entries = (
        [entry for entry in directory if isinstance(entry, Mapping)] if isinstance(directory, list) else []
    )
    lines = [
        f"- {entry.get('display_name')} (@{entry.get('name')}): {_sentences(entry.get('capabilities'))}"
        for entry in entries
        if entry.get("name") != "general_agent"
    ]
    return "\n".join(lines) or "(none)"


def _sentences(capabilities: Any) -> str:
    return "; ".join(map(str, capabilities)) if isinstance(capabilities, list | tuple) else ""


def _usage(metadata: Mapping[str, Any] | None) -> Usage:
    if not metadata:
        return Usage()
    return Usage(input_tokens=metadata.get("input_tokens"), output_tokens=metadata.get("output_tokens"))


def _failure(error: Exception, *, said: bool) -> FrontdeskError:
    """What people are told; the error's own words may hold addresses and keys, so only its kind is logged."""
    status = getattr(error, "status_code", None)
    logger.warning("the language model failed: %s (status %s)", type(error).__name__, status)
    if said:
        return FrontdeskError(
            ErrorCode.STREAM_INTERRUPTED, "The language model broke off in mid-answer.", retryable=True
        )
    refused = status in {400, 401, 403, 404, 422}
    sentence = (
        "The language model refused the request; its settings need a look."
        if refused
        else "The language model cannot be reached right now."
    )
    return FrontdeskError(ErrorCode.MODEL_UNAVAILABLE, sentence, retryable=not refused)
