"""CPU per 1,000 tokens through the supervisor, against reading the same upstream raw.

Run from the project's root: `python tests/benchmarks/bench_passthrough.py [runs]`. The upstream is a process
of its own, so that only the reader's CPU is counted. Each run takes 200 tokens, one chunk each.
"""

import asyncio
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "platform")]

import aiohttp  # noqa: E402
import structlog  # noqa: E402

from orchestration.directory import Directory  # noqa: E402
from orchestration.events import Delta, Structural  # noqa: E402
from orchestration.request import Environment  # noqa: E402
from orchestration.supervisor import Supervisor  # noqa: E402
from tests.support.agent_server import Exchange, ScriptedAgent  # noqa: E402
from tests.support.directories import directory, http_entry, request  # noqa: E402

TOKENS = 200
PACE_S = 0.0005


class NullSink:
    """Counts text and keeps nothing."""

    def __init__(self) -> None:
        self.length = 0

    async def emit(self, event: Structural) -> None:
        """Nothing to store."""

    def delta(self, event: Delta) -> None:
        self.length += len(event.text)


async def upstream() -> None:
    """Serve until standard input ends; the first line printed is the address."""

    async def script(exchange: Exchange) -> None:
        await exchange.head()
        for number in range(TOKENS):
            await exchange.tokens(f"token{number:05d} ")
            await asyncio.sleep(PACE_S)
        await exchange.done()

    async with ScriptedAgent(script).serving() as agent:
        print(agent.url, flush=True)
        await asyncio.to_thread(sys.stdin.read)


async def read_raw(session: aiohttp.ClientSession, url: str) -> None:
    """What nobody can do without: a request, and its bytes."""
    async with session.post(f"{url}/stream", data=b"{}") as response:
        async for _ in response.content.iter_any():
            pass


async def supervised(supervisor: Supervisor, known: Directory) -> None:
    sink = NullSink()
    outcome = await supervisor.supervise(request(), known, sink)
    assert outcome.status == "completed"
    assert sink.length == TOKENS * 11


async def cpu_ms(runs: int, once: Callable[[], Awaitable[None]]) -> float:
    """CPU milliseconds per 1,000 tokens."""
    await once()
    began = time.process_time()
    for _ in range(runs):
        await once()
    return (time.process_time() - began) * 1000 / runs / TOKENS * 1000


async def compare(url: str, runs: int) -> None:
    supervisor = Supervisor(Environment(allow_private=True))
    known = directory(http_entry(url, timeout_ms=60_000))
    async with aiohttp.ClientSession() as session:
        raw = await cpu_ms(runs, lambda: read_raw(session, url))
        ours = await cpu_ms(runs, lambda: supervised(supervisor, known))
    await supervisor.aclose()
    print(f"raw {raw:.1f} ms, supervisor {ours:.1f} ms per 1,000 tokens: ratio {ours / raw:.2f}")


async def main(runs: int) -> None:
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(30))
    child = await asyncio.create_subprocess_exec(
        sys.executable,
        __file__,
        "upstream",
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    assert child.stdout is not None
    try:
        await compare((await child.stdout.readline()).decode().strip(), runs)
    finally:
        child.terminate()
        await child.wait()


if __name__ == "__main__":
    if sys.argv[1:] == ["upstream"]:
        asyncio.run(upstream())
    else:
        asyncio.run(main(int(sys.argv[1]) if sys.argv[1:] else 30))
