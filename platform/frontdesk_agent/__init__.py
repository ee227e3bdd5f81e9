"""Frontdesk's agent side: what an agent and the platform agree on.

`from frontdesk_agent import agent_app`, then `app = agent_app(my_graph)`: that is an agent behind HTTP.
"""

from frontdesk_agent.adapters import adapt
from frontdesk_agent.card import AgentCard, card_from_yaml, parse_card
from frontdesk_agent.contract import (
    AgentRequest,
    AgentResponse,
    Citation,
    CitationEvent,
    Context,
    Done,
    Error,
    Handoff,
    HistoryItem,
    Token,
    Tool,
    ToolCall,
    Usage,
)
from frontdesk_agent.errors import ErrorCode, FrontdeskError
from frontdesk_agent.server import agent_app

__version__ = "0.1.0"

__all__ = [
    "AgentCard",
    "AgentRequest",
    "AgentResponse",
    "Citation",
    "CitationEvent",
    "Context",
    "Done",
    "Error",
    "ErrorCode",
    "FrontdeskError",
    "Handoff",
    "HistoryItem",
    "Token",
    "Tool",
    "ToolCall",
    "Usage",
    "adapt",
    "agent_app",
    "card_from_yaml",
    "parse_card",
]
