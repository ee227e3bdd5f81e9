"""Writing a card into a draft's row."""

from frontdesk_agent.card import AgentCard
from registry.mapping import columns
from registry.models import AgentVersion


def write_draft(row: AgentVersion, card: AgentCard) -> AgentVersion:
    """Fill a draft's columns from `card` and save it."""
    for name, value in columns(card).items():
        setattr(row, name, value)
    row.save()
    return row
