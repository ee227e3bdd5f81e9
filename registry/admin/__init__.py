"""The registry's pages in the admin: the vocabulary of tags, and agents with their cards."""

from registry.admin.agents import AgentAdmin
from registry.admin.tags import TagAdmin

__all__ = ["AgentAdmin", "TagAdmin"]
