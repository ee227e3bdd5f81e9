"""The one way from async code to the ORM: a bounded pool of threads that sockets and runs share."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import ParamSpec, TypeVar

from channels.db import database_sync_to_async

P = ParamSpec("P")
R = TypeVar("R")

# Not thread-sensitive: under Channels all thread-sensitive calls of all sockets share one single thread.
_POOL = ThreadPoolExecutor(max_workers=8, thread_name_prefix="database")


async def in_db(func: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
    """Run the sync `func` in the database pool; stale connections are closed around it. ~1 ms a call."""
    call = database_sync_to_async(func, thread_sensitive=False, executor=_POOL)
    return await call(*args, **kwargs)
