"""Which content a form was filled in over, so that nobody overwrites what they have not seen."""

import hashlib
import json
from typing import Any

from registry.mapping import recorded_data
from registry.models import Agent, AgentVersion


def fingerprint(version: AgentVersion | None) -> str:
    """`<version pk>:<digest of all that the form shows of it>`; "" for an agent that is still to come."""
    if version is None:
        return ""
    shown = {
        "card": recorded_data(version),
        "note": version.note,
        "state": version.state,
        "agent": _agent(version.agent),
    }
    text = json.dumps(shown, sort_keys=True)
    return f"{version.pk}:{hashlib.sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()}"


def _agent(agent: Agent) -> list[Any]:
    return [
        agent.owner,
        agent.owner_user_id,
        agent.team_id,
        agent.parent_id,
        agent.enabled,
        agent.allowed_secrets,
        sorted(tag.pk for tag in agent.tags.all()),
        sorted(agent.groups.values_list("pk", flat=True)),
    ]
