"""From a dotted path to the object it names, without a way out of the code that may run here."""

import importlib
import inspect
from collections.abc import Sequence
from importlib.util import find_spec
from types import ModuleType
from typing import Any

from frontdesk_agent.card.model import dotted_within


class OutsideError(Exception):
    """The path leaves what is allowed, by something that a module on it has imported."""


def resolve(path: str, allowed: Sequence[str]) -> Any:
    """The object at `path`, every step of which stays within the prefixes `allowed`.

    A module is reached only by its own name, a function or class only if it was defined within `allowed`:
    `sample_agents.knowledge.os.system` begins within and ends outside. Objects of any other kind, such as a
    graph, are the module's own doing wherever their class is from. Raises `OutsideError`, and whatever
    importing and looking up raise.
    """
    first, *rest = path.split(".")
    walked, found = first, importlib.import_module(first)
    for part in rest:
        walked = f"{walked}.{part}"
        found = _step(found, part, walked)
        if not _belongs(found, walked, allowed):
            raise OutsideError(walked)
    return found


def _step(holder: Any, part: str, walked: str) -> Any:
    if isinstance(holder, ModuleType) and hasattr(holder, "__path__") and find_spec(walked):
        return importlib.import_module(walked)
    return getattr(holder, part)


def _belongs(found: Any, walked: str, allowed: Sequence[str]) -> bool:
    if isinstance(found, ModuleType):
        return found.__name__ == walked
    if isinstance(found, type) or inspect.isroutine(found):
        return dotted_within(str(getattr(found, "__module__", None)), allowed)
    return True
