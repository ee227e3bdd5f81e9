"""Waiting for something to become true, where nothing tells when it does."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

T = TypeVar("T")


async def eventually(look: Callable[[], Awaitable[T]], *, within_s: float = 15.0) -> T:
    """The first true result of `look`, asked again and again. Raises TimeoutError."""
    async with asyncio.timeout(within_s):
        while not (found := await look()):  # noqa: ASYNC110 - asks another process
            await asyncio.sleep(0.02)
        return found
