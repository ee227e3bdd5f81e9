"""The README tells of every setting and every command, and of none that does not exist."""

import re
from pathlib import Path

from django.core.management import get_commands

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
SETTINGS = (ROOT / "platform" / "config" / "settings.py").read_text(encoding="utf-8")
OWN_APPS = ("config", "registry", "conversations")


def settings_table() -> set[str]:
    section = README.split("\n## Settings\n")[1].split("\n## ")[0]
    return set(re.findall(r"^\| `([A-Z][A-Z0-9_]+)`", section, re.MULTILINE))


def test_every_setting_is_in_the_table_and_no_other() -> None:
    read = set(re.findall(r'\benv\.\w+\(\s*"([A-Z0-9_]+)"', SETTINGS))
    assert settings_table() == read | {"FRONTDESK_PREPARED"}


def test_every_command_of_ours_is_told_of() -> None:
    ours = {name for name, app in get_commands().items() if app in OWN_APPS}
    overridden = {"flush", "runserver"}
    assert [name for name in sorted(ours - overridden) if f"manage.py {name}" not in README] == []


def test_pictures_and_links_inside_the_project_exist() -> None:
    targets = re.findall(r"\]\((?!https?:|#|mailto:)([^)#]+)", README)
    assert [target for target in targets if not (ROOT / target).exists()] == []
