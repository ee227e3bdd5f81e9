"""The agent card: one model through which YAML, REST, self-registration and the admin form validate."""

from frontdesk_agent.card.errors import HINTS, CardError, FieldError
from frontdesk_agent.card.model import BLOCKS, CONTRACT_VERSION, AgentCard, Auth, McpServer, NotFor
from frontdesk_agent.card.parsing import check_entrypoint, parse_card
from frontdesk_agent.card.rules import contract_major
from frontdesk_agent.card.yamltext import card_from_yaml, card_to_yaml, cards_from_yaml

__all__ = [
    "BLOCKS",
    "CONTRACT_VERSION",
    "HINTS",
    "AgentCard",
    "Auth",
    "CardError",
    "FieldError",
    "McpServer",
    "NotFor",
    "card_from_yaml",
    "card_to_yaml",
    "cards_from_yaml",
    "check_entrypoint",
    "contract_major",
    "parse_card",
]
