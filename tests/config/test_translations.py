"""What browsers and Django read (`.mo`) was compiled from what people edit (`.po`)."""

import gettext
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCES = sorted(
    path
    for folder in ("platform", "registry", "conversations", "orchestration", "templates")
    for path in (ROOT / folder).glob("**/LC_MESSAGES/*.po")
)


def messages(path: Path) -> dict[object, str]:
    with path.open("rb") as file:
        return {key: text for key, text in gettext.GNUTranslations(file)._catalog.items() if key}  # type: ignore[attr-defined]


@pytest.mark.skipif(shutil.which("msgfmt") is None, reason="no gettext here")
@pytest.mark.parametrize("source", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_compiled_messages_are_current(source: Path, tmp_path: Path) -> None:
    compiled = tmp_path / "current.mo"
    subprocess.run(["msgfmt", "--check", "-o", compiled, source], check=True, capture_output=True)
    assert source.with_suffix(".mo").exists(), "run manage.py compilemessages"
    assert messages(source.with_suffix(".mo")) == messages(compiled), "run manage.py compilemessages"
