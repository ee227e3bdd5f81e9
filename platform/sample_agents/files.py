"""The data files beside the sample agents."""

import json
from collections.abc import Iterator
from importlib.resources import files
from typing import Any

from sample_agents.speech import Bilingual

_DATA = files(__package__) / "data"


def load(name: str) -> Any:
    """The JSON value in `data/<name>`."""
    return json.loads((_DATA / name).read_text(encoding="utf-8"))


def load_folder(name: str) -> Iterator[Any]:
    """The JSON values of all files in `data/<name>/`, in the order of their names."""
    for entry in sorted((_DATA / name).iterdir(), key=lambda entry: entry.name):
        if entry.name.endswith(".json"):
            yield json.loads(entry.read_text(encoding="utf-8"))


def bilingual(pairs: list[list[str]]) -> tuple[Bilingual, ...]:
    """`[["English", "中文"], …]` as texts."""
    return tuple(Bilingual(*pair) for pair in pairs)
