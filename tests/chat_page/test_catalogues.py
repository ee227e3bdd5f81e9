"""Everything the page says is there in Simplified Chinese, and compiled."""

import gettext
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MESSAGES = Path("zh_Hans") / "LC_MESSAGES"
LOCALE = ROOT / "conversations" / "locale"
DOMAINS = ("django", "djangojs")
# Their texts are in a catalogue of their own.
ELSEWHERE = shutil.ignore_patterns("vendor", "locale", "registry", "admin", "__pycache__")

Entries = dict[tuple[str, str], str]


def need(tool: str) -> str:
    path = shutil.which(tool)
    if path is None:
        if os.environ.get("BROWSER_TESTS") == "required":
            pytest.fail(f"{tool} (gettext) is needed.")
        pytest.skip(f"no {tool} (gettext)")
    return path


def entries(po: Path) -> Entries:
    """`{(context, msgid): msgstr}`; an untranslated, fuzzy or obsolete entry has an empty `msgstr`."""
    found: Entries = {}
    for block in po.read_text(encoding="utf-8").split("\n\n"):
        lines = [line for line in block.splitlines() if not line.startswith("#")]
        joined = re.sub(r'"\n"', "", "\n".join(lines))
        fields = dict(re.findall(r'^(msg\w+)(?:\[0\])? "(.*)"$', joined, re.MULTILINE))
        if fields.get("msgid"):
            is_fuzzy = any(line.startswith("#,") and "fuzzy" in line for line in block.splitlines())
            found[fields.get("msgctxt", ""), fields["msgid"]] = "" if is_fuzzy else fields["msgstr"]
    return found


@pytest.fixture(scope="module")
def extracted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Fresh catalogues, from the sources alone."""
    need("xgettext")
    tree = tmp_path_factory.mktemp("sources")
    (tree / "locale").mkdir()
    for source in ("conversations", "templates", "platform/config"):
        shutil.copytree(ROOT / source, tree / source, ignore=ELSEWHERE)
    for domain in DOMAINS:
        make = [
            sys.executable,
            "-m",
            "django",
            "makemessages",
            "-l",
            "zh_Hans",
            "-d",
            domain,
            "--no-location",
        ]
        env = {name: value for name, value in os.environ.items() if name != "DJANGO_SETTINGS_MODULE"}
        subprocess.run(make, cwd=tree, env=env, check=True, capture_output=True, timeout=60)
    return tree / "locale" / MESSAGES


@pytest.mark.parametrize("domain", DOMAINS)
def test_every_text_is_translated(domain: str, extracted: Path) -> None:
    wanted = entries(extracted / f"{domain}.po")
    there = entries(LOCALE / MESSAGES / f"{domain}.po")
    assert len(wanted) > 50
    assert [text for text in wanted if not there.get(text)] == []
    assert [text for text in there if text not in wanted] == [], "no longer used"


@pytest.mark.parametrize("domain", DOMAINS)
def test_placeholders_survive_translation(domain: str) -> None:
    placeholder = re.compile(r"%\(\w+\)s")
    for (_, text), translated in entries(LOCALE / MESSAGES / f"{domain}.po").items():
        assert set(placeholder.findall(text)) == set(placeholder.findall(translated)), text


@pytest.mark.parametrize("domain", DOMAINS)
def test_compiled_catalogue_is_up_to_date(domain: str, tmp_path: Path) -> None:
    fresh = tmp_path / "fresh.mo"
    subprocess.run(
        [need("msgfmt"), "--check-format", "-o", fresh, LOCALE / MESSAGES / f"{domain}.po"], check=True
    )
    compiled = [_catalogue(path) for path in (fresh, LOCALE / MESSAGES / f"{domain}.mo")]
    assert compiled[0] == compiled[1]


def _catalogue(path: Path) -> dict[object, str]:
    with path.open("rb") as file:
        return dict(gettext.GNUTranslations(file)._catalog)  # type: ignore[attr-defined]
