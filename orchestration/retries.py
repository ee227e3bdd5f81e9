"""When a call is made again."""

import asyncio
from collections.abc import Callable
from typing import Final

from tenacity import AsyncRetrying, RetryCallState, retry_if_exception, stop_after_attempt, stop_before_delay
from tenacity.wait import wait_random_exponential

from frontdesk_agent.card import AgentCard
from frontdesk_agent.errors import FrontdeskError

_BACKOFF: Final = wait_random_exponential(multiplier=0.2, max=5)


def attempts(card: AgentCard, may_retry: Callable[[FrontdeskError], bool]) -> AsyncRetrying:
    """The attempts that `card` allows: its `max_retries`, and none that its deadline would cut off.

    Only coded errors that are retryable, and of these only what `may_retry` says, lead to another one.
    """
    return AsyncRetrying(
        stop=stop_after_attempt(card.max_retries + 1) | stop_before_delay(card.timeout_ms / 1000),
        wait=_pause,
        retry=retry_if_exception(
            lambda error: isinstance(error, FrontdeskError) and error.retryable and may_retry(error)
        ),
        reraise=True,
        sleep=asyncio.sleep,
    )


def _pause(state: RetryCallState) -> float:
    """Seconds before the next attempt: a growing random time, and never less than the agent asked for."""
    error = state.outcome.exception() if state.outcome else None
    details = error.details if isinstance(error, FrontdeskError) else None
    asked = details.get("retry_after_s", 0.0) if isinstance(details, dict) else 0.0
    return max(_BACKOFF(state), asked)
