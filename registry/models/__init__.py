"""Which agents exist. Invariants live here; changes go through `registry.services`."""

from registry.models.agent import Agent, Reach, Tag
from registry.models.state import RegistryState
from registry.models.version import AgentVersion

__all__ = ["Agent", "AgentVersion", "Reach", "RegistryState", "Tag"]
