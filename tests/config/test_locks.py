"""The locks hold everything that pyproject.toml asks for, with hashes and without addresses."""

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[2]
MAIN, DEV = "requirements.txt", "requirements-dev.txt"
PIN = re.compile(r"^(?P<name>[A-Za-z0-9._-]+)==(?P<version>\S+)")


def pins(lock: str) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for line in (ROOT / lock).read_text().splitlines():
        if pin := PIN.match(line):
            found.setdefault(canonicalize_name(pin["name"]), set()).add(pin["version"])
    return found


def project(path: str = "pyproject.toml") -> dict[str, Any]:
    return dict(tomllib.loads((ROOT / path).read_text())["project"])


def missing(requirements: list[str], lock: str) -> list[str]:
    locked = pins(lock)
    wanted = [Requirement(text) for text in requirements]
    return [
        str(one)
        for one in wanted
        if not any(one.specifier.contains(version) for version in locked.get(canonicalize_name(one.name), ()))
    ]


def test_everything_asked_for_is_locked() -> None:
    asked = project()
    assert missing(asked["dependencies"], MAIN) == []
    assert missing(asked["optional-dependencies"]["dev"], DEV) == []
    assert missing(project("platform/frontdesk_agent/pyproject.toml")["dependencies"], MAIN) == []


def test_the_development_lock_holds_the_main_one() -> None:
    development = pins(DEV)
    assert {
        name: versions for name, versions in pins(MAIN).items() if development.get(name) != versions
    } == {}


@pytest.mark.parametrize("lock", [MAIN, DEV])
def test_each_pin_has_hashes_and_no_address_is_given(lock: str) -> None:
    text = (ROOT / lock).read_text()
    assert "://" not in text
    for entry in re.split(r"\n(?=[A-Za-z0-9])", text):
        if PIN.match(entry):
            assert "--hash=sha256:" in entry, entry


@pytest.mark.parametrize("lock", [MAIN, DEV])
def test_the_project_itself_is_not_in_it(lock: str) -> None:
    assert not {"frontdesk", "frontdesk-agent"} & set(pins(lock))
