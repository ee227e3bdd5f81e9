"""Agents in this process: a dotted path to a function, a Runnable or a graph; or a prompt."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from contextlib import aclosing
from typing import Any, Final

import structlog

from frontdesk_agent.adapters import adapt
from frontdesk_agent.card import AgentCard, CardError, check_entrypoint
from frontdesk_agent.contract import AgentRequest, Error, StreamEvent, Token, event_data
from frontdesk_agent.errors import ErrorCode, FrontdeskError
from frontdesk_agent.jsontext import dumps
from orchestration.language_models import LanguageModels
from orchestration.transports import faults
from orchestration.transports.base import Call, Piece
from orchestration.transports.entrypoints import OutsideError, resolve
from orchestration.transports.parsing import own_error
from orchestration.transports.prompt import check_prompt, stream_prompt

log = structlog.get_logger(__name__)

PROMPT: Final = "prompt"
Adapted = Callable[[AgentRequest], AsyncIterator[StreamEvent]]


class InprocTransport:
    """Resolves each entrypoint once, and only within `allowed` dotted prefixes; prompts go to `models`."""

    def __init__(self, allowed: Sequence[str], models: LanguageModels) -> None:
        self._allowed = tuple(allowed)
        self._models = models
        self._targets: dict[str, Adapted] = {}

    async def stream(self, call: Call) -> AsyncGenerator[Piece, None]:
        """See `Transport.stream`."""
        if call.entry.card.entrypoint == PROMPT:
            async with aclosing(stream_prompt(call, self._models)) as pieces:
                async for piece in pieces:
                    yield piece
            return
        target = await self.resolve(call.entry.card)
        try:
            async with aclosing(_generator(target(call.request))) as events:
                async for event in events:
                    yield _piece(call.agent, event)
        except FrontdeskError:
            raise
        except (Exception, SystemExit):
            log.exception("inproc_agent_failed", agent_name=call.entry.name, trace_id=call.trace_id)
            raise FrontdeskError(
                ErrorCode.AGENT_FAILED, f"{call.agent} failed while working on this.", retryable=True
            ) from None

    async def check(self, card: AgentCard) -> None:
        """Whether `card`'s agent could be called. Raises as `resolve` or `check_prompt` does."""
        if card.entrypoint == PROMPT:
            check_prompt(card, self._models)
        else:
            await self.resolve(card)

    async def resolve(self, card: AgentCard) -> Adapted:
        """The card's entrypoint, ready to be called.

        Raises `NOT_ALLOWED` outside the allowed prefixes and `AGENT_UNAVAILABLE` when it does not import.
        """
        entrypoint = card.entrypoint or ""
        if entrypoint not in self._targets:
            self._targets[entrypoint] = await self._load(card, entrypoint)
        return self._targets[entrypoint]

    async def aclose(self) -> None:
        """Forget what was resolved."""
        self._targets.clear()

    async def _load(self, card: AgentCard, entrypoint: str) -> Adapted:
        try:
            check_entrypoint(card, self._allowed)
            # Imports can take seconds and run anything: not on the loop.
            found: Any = await asyncio.to_thread(resolve, entrypoint, self._allowed)
            return adapt(found)
        except (CardError, OutsideError):
            raise FrontdeskError(
                ErrorCode.NOT_ALLOWED, f"{card.display_name} has an entrypoint that may not be used here."
            ) from None
        except SystemExit:
            log.exception("inproc_entrypoint_exited", agent_name=card.name)
            raise FrontdeskError(
                ErrorCode.AGENT_FAILED, f"{card.display_name} ended its own start."
            ) from None
        except Exception:
            log.exception("inproc_entrypoint_failed", agent_name=card.name)
            raise faults.unavailable(card.display_name, "could not be loaded.") from None


async def _generator(events: AsyncIterator[StreamEvent]) -> AsyncGenerator[StreamEvent, None]:
    """`events` as something that can be closed, whatever kind of iterator the adapter gave."""
    try:
        async for event in events:
            yield event
    finally:
        if isinstance(events, AsyncGenerator):
            await events.aclose()


def _piece(agent: str, event: StreamEvent) -> Piece:
    if isinstance(event, Token):
        return event.text
    if isinstance(event, Error):
        raise own_error(event)
    try:
        dumps(event_data(event))  # over HTTP it could not have been sent, and it cannot be stored
    except (TypeError, ValueError):
        raise faults.bad_response(agent, f"sent a {event.event} event that is no JSON.") from None
    return event
