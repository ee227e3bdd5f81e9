"""What changes the registry: keyword-only, atomic. `by=None` is the operator at the command line."""

from registry.services.agents import (
    create_agent,
    set_agent_fields,
    set_allowed_secrets,
    set_enabled,
    update_agent,
)
from registry.services.exporting import Exported, export_cards
from registry.services.health import probe_agents
from registry.services.importing import Action, Change, ImportRefusedError, import_cards
from registry.services.versions import (
    Published,
    create_draft,
    discard_draft,
    new_draft_from,
    publish,
    save_draft,
)

__all__ = [
    "Action",
    "Change",
    "Exported",
    "ImportRefusedError",
    "Published",
    "create_agent",
    "create_draft",
    "discard_draft",
    "export_cards",
    "import_cards",
    "new_draft_from",
    "probe_agents",
    "publish",
    "save_draft",
    "set_agent_fields",
    "set_allowed_secrets",
    "set_enabled",
    "update_agent",
]
