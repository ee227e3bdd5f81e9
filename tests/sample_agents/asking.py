"""Asking a sample agent as the platform does, and running one as a process of its own."""

import os
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from frontdesk_agent.adapters import adapt
from frontdesk_agent.contract import AgentRequest, CitationEvent, Done, Error, Token, Tool

ROOT = Path(__file__).resolve().parents[2]


@dataclass
class Answer:
    """Everything an agent said."""

    pieces: list[str] = field(default_factory=list)
    tools: list[Tool] = field(default_factory=list)
    citations: list[CitationEvent] = field(default_factory=list)
    end: Done | Error | None = None

    @property
    def text(self) -> str:
        return "".join(self.pieces)


Ask = Callable[..., Awaitable[Answer]]


async def answered(agent: Any, request: AgentRequest) -> Answer:
    """What `agent` answers, through the contract."""
    answer = Answer()
    async for event in adapt(agent)(request):
        match event:
            case Token():
                answer.pieces.append(event.text)
            case Tool():
                answer.tools.append(event)
            case CitationEvent():
                answer.citations.append(event)
            case _:
                answer.end = event
    return answer


@contextmanager
def served(target: str, **environment: str) -> Iterator[str]:
    """The address of an agent that runs as a process of its own, as `demo` runs it."""
    command = [sys.executable, "-m", "frontdesk_agent", "serve", target, "--port", "0", "--exit-with-parent"]
    process = subprocess.Popen(
        command,
        cwd=ROOT / "platform",
        env={**os.environ, "PYTHONPATH": str(ROOT / "platform"), **environment},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        yield process.stdout.readline().split()[-1]
    finally:
        process.stdin.close()
        process.wait(15)
        process.stdout.close()
