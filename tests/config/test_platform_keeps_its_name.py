"""The folder `platform/` must never hide the standard library's module of that name."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_the_standard_library_wins_from_the_root() -> None:
    # In a process of its own: pytest has imported the real module long ago.
    code = "import platform; print(platform.python_version())"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert done.stdout.strip() == ".".join(map(str, sys.version_info[:3])), done.stderr


def test_it_is_no_package() -> None:
    assert not (ROOT / "platform" / "__init__.py").exists()
