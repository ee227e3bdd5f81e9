"""Asking an agent how it is, on demand."""

import asyncio
import time
from dataclasses import dataclass
from typing import Final

from frontdesk_agent.card import AgentCard
from frontdesk_agent.errors import FrontdeskError
from frontdesk_agent.jsontext import loads
from orchestration.directory import Entry
from orchestration.language_models import LanguageModels
from orchestration.outbound import check_url
from orchestration.request import Environment
from orchestration.transports import faults
from orchestration.transports.http import open_session
from orchestration.transports.inproc import InprocTransport

TIMEOUT_S: Final = 3.0
_MAX_BYTES: Final = 64 * 1024


@dataclass(frozen=True, slots=True)
class Health:
    """`ok`, how long the answer took (None without one), and a sentence for people."""

    ok: bool
    latency_ms: int | None
    detail: str


async def probe(entry: Entry, environment: Environment) -> Health:
    """How `entry`'s agent is right now. Never raises for anything the agent does; takes at most 3 s."""
    card = entry.card
    began = time.monotonic()
    try:
        if card.transport == "inproc":
            transport = InprocTransport(environment.inproc_allowed, LanguageModels(environment.models))
            await transport.check(card)
            return Health(ok=True, latency_ms=_since(began), detail="Its entrypoint can be loaded.")
        if card.health is None:
            return Health(ok=False, latency_ms=None, detail="Its card names no health address.")
        await _ask(card, card.health, environment)
    except FrontdeskError as error:
        return Health(ok=False, latency_ms=None, detail=error.message)
    except TimeoutError:
        return Health(ok=False, latency_ms=None, detail=f"No answer within {TIMEOUT_S:g} s.")
    return Health(ok=True, latency_ms=_since(began), detail="It says that it is well.")


async def _ask(card: AgentCard, url: str, environment: Environment) -> None:
    """Return when the agent says it is well, as the contract has it: 200 and `{"status": "ok"}`."""
    async with (
        asyncio.timeout(TIMEOUT_S),
        open_session(allow_private=environment.allow_private) as session,
    ):
        with faults.connection_faults(card.display_name):
            check_url(url, allow_private=environment.allow_private)
            response = await session.get(url, allow_redirects=False)
        async with response:
            faults.check_status(card.display_name, response.status, response.headers)
            with faults.connection_faults(card.display_name):
                body = await response.content.read(_MAX_BYTES)
            if not _is_well(body):
                raise faults.bad_response(card.display_name, "answered without saying that it is well.")


def _is_well(body: bytes) -> bool:
    try:
        status = loads(body)
    except ValueError:
        return False
    return isinstance(status, dict) and status.get("status") == "ok"


def _since(began: float) -> int:
    return round((time.monotonic() - began) * 1000)
