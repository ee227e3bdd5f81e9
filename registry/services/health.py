"""Probing agents on demand, and remembering how it went."""

import asyncio
from collections.abc import Sequence

from asgiref.sync import async_to_sync
from django.utils import timezone
from django.utils.translation import gettext as _

from orchestration.directory import Entry
from orchestration.health import Health, probe
from orchestration.request import Environment
from registry.directories import entry_of
from registry.environment import orchestration_environment
from registry.models import Agent


def probe_agents(*, agents: Sequence[Agent]) -> list[Agent]:
    """Ask each agent's live version whether it is well, side by side, and store it.

    Returns the agents with their new health. Waits as long as the slowest probe's own timeout.
    """
    entries = [entry_of(agent) for agent in agents]
    for agent, result in zip(agents, async_to_sync(_probe_all)(entries), strict=True):
        agent.health_ok, agent.health_latency_ms = result.ok, result.latency_ms
        agent.health_detail, agent.health_checked_at = result.detail[:300], timezone.now()
        agent.save(update_fields=["health_ok", "health_latency_ms", "health_detail", "health_checked_at"])
    return list(agents)


async def _probe_all(entries: Sequence[Entry | None]) -> list[Health]:
    environment = orchestration_environment()
    return list(await asyncio.gather(*(_one(entry, environment) for entry in entries)))


async def _one(entry: Entry | None, environment: Environment) -> Health:
    if entry is None:
        return Health(ok=False, latency_ms=None, detail=_("It has no card that can be probed."))
    return await probe(entry, environment)
