"""`manage.py` prepares its own environment. Tried in a copy, with one wheel that stands in for Django."""

import ast
import hashlib
import json
import os
import shutil
import subprocess
import sys
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).resolve().parents[2]
PYTHON = getattr(sys, "_base_executable", sys.executable)
MANAGEMENT = """
import os, sys

def execute_from_command_line(argv):
    print("ran", argv[1:], sys.prefix, os.getpid())
"""


class Ran(NamedTuple):
    stdout: str
    stderr: str
    returncode: int
    pid: int


@dataclass
class Checkout:
    """A copy of `manage.py` with locks that name the one wheel in `wheels`."""

    root: Path
    wheels: Path
    tools: Path

    def run(self, *command: str, **environment: str) -> Ran:
        env = {
            "PATH": str(self.tools),
            "HOME": str(self.root),
            "PIP_NO_INDEX": "1",
            "PIP_FIND_LINKS": str(self.wheels),
            "UV_OFFLINE": "1",
            "UV_FIND_LINKS": str(self.wheels),
            "UV_CACHE_DIR": str(self.root / "uv-cache"),
        }
        process = subprocess.Popen(
            [PYTHON, str(self.root / "manage.py"), *command],
            env={**env, **environment},
            cwd=self.tools,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        out, errors = process.communicate(timeout=110)
        return Ran(out, errors, process.returncode, process.pid)

    def lock(self, name: str, comment: str = "") -> None:
        (wheel,) = self.wheels.glob("*.whl")
        digest = hashlib.sha256(wheel.read_bytes()).hexdigest()
        (self.root / name).write_text(f"django==5.2 \\\n    --hash=sha256:{digest}\n# {comment}\n")

    @property
    def stamp(self) -> dict[str, str]:
        return dict(json.loads((self.root / ".venv" / "prepared.json").read_text()))


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    checkout = Checkout(tmp_path / "checkout", tmp_path / "wheels", tmp_path / "tools")
    for folder in (checkout.root, checkout.wheels, checkout.tools):
        folder.mkdir()
    shutil.copy(ROOT / "manage.py", checkout.root)
    with zipfile.ZipFile(checkout.wheels / "django-5.2-py3-none-any.whl", "w") as wheel:
        wheel.writestr("django/core/exceptions.py", "class ImproperlyConfigured(Exception): pass\n")
        wheel.writestr("django/core/management.py", MANAGEMENT)
        wheel.writestr("django-5.2.dist-info/METADATA", "Metadata-Version: 2.1\nName: django\nVersion: 5.2\n")
        wheel.writestr(
            "django-5.2.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        wheel.writestr("django-5.2.dist-info/RECORD", "")
    checkout.lock("requirements.txt")
    checkout.lock("requirements-dev.txt", "and what tests need")
    return checkout


def test_from_nothing_then_at_once(checkout: Checkout) -> None:
    first = checkout.run("check", "--deploy")
    assert first.returncode == 0, first.stderr
    (line,) = first.stderr.splitlines()
    assert line.startswith(f"Preparing {checkout.root / '.venv'} from requirements.txt; this happens once")
    assert first.stdout.startswith(f"ran ['check', '--deploy'] {checkout.root / '.venv'} ")

    second = checkout.run("check")
    assert (second.returncode, second.stderr) == (0, "")
    assert second.stdout.split()[-1] == str(second.pid)  # signals sent to the command reach it
    assert set(checkout.stamp) == {"requirements.txt"}

    (checkout.root / ".venv" / "unfinished").touch()
    (checkout.root / ".venv" / "prepared.json").unlink()
    (checkout.root / ".venv" / "bin" / "pip").write_text("half a file")
    interrupted = checkout.run("check")
    assert interrupted.returncode == 0, interrupted.stderr
    assert "Preparing" in interrupted.stderr
    assert not (checkout.root / ".venv" / "unfinished").exists()

    tests = checkout.run("test", "-k", "x")
    assert "from requirements-dev.txt" in tests.stderr
    assert tests.stdout.startswith("ran ['test', '-k', 'x']")
    assert set(checkout.stamp) == {"requirements.txt", "requirements-dev.txt"}
    assert checkout.run("demo").stderr == ""

    checkout.lock("requirements.txt", "changed")
    assert "Preparing" in checkout.run("check").stderr
    assert checkout.run("check").stderr == ""


def test_uv_is_used_where_it_is_on_the_path(checkout: Checkout) -> None:
    uv = shutil.which("uv") or str(Path(sys.executable).with_name("uv"))
    (checkout.tools / "uv").symlink_to(uv)
    done = checkout.run("check")
    assert done.returncode == 0, done.stderr
    assert not list((checkout.root / ".venv").glob("lib/*/site-packages/pip"))


def test_uv_that_cannot_do_it_is_followed_by_pip(checkout: Checkout) -> None:
    (checkout.tools / "uv").write_text("#!/bin/sh\nexit 2\n")
    (checkout.tools / "uv").chmod(0o755)
    done = checkout.run("check")
    assert done.returncode == 0, done.stderr
    assert "trying pip" in done.stderr


def test_a_changed_wheel_is_refused_and_the_next_try_works(checkout: Checkout) -> None:
    lock = checkout.root / "requirements.txt"
    good = lock.read_text()
    lock.write_text(good.replace("sha256:", "sha256:" + "0" * 4)[: -len("\n# \n") - 4] + "\n")
    refused = checkout.run("check")
    assert refused.returncode == 1
    assert "could not be installed" in refused.stderr
    assert "Traceback" not in refused.stderr
    lock.write_text(good)
    assert checkout.run("check").returncode == 0


def test_a_python_without_ensurepip_gets_a_sentence(checkout: Checkout, tmp_path: Path) -> None:
    shadow = tmp_path / "shadow"
    shadow.mkdir()
    (shadow / "ensurepip.py").write_text("raise ModuleNotFoundError('No module named ensurepip')")
    done = checkout.run("check", PYTHONPATH=str(shadow))
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith(
        "Python's ensurepip is missing or does not work. On Debian"
    )


def test_an_environment_of_ones_own_is_used_as_it_is(checkout: Checkout) -> None:
    done = checkout.run("check", FRONTDESK_PREPARED="1")
    assert done.returncode == 1
    assert "django is not installed for" in done.stderr
    assert not (checkout.root / ".venv").exists()


def test_older_pythons_can_read_the_sentence_that_refuses_them() -> None:
    ast.parse((ROOT / "manage.py").read_text(), feature_version=(3, 6))


@pytest.mark.parametrize("version", ["3.8", "3.9", "3.10"])
def test_an_older_python_gets_a_sentence(version: str) -> None:
    older = shutil.which(f"python{version}")
    if older is None or subprocess.run([older, "-V"], capture_output=True).returncode != 0:
        pytest.skip(f"no Python {version} here")
    done = subprocess.run(
        [older, "manage.py", "demo"], cwd=ROOT, env=os.environ, capture_output=True, text=True
    )
    assert done.returncode == 1
    assert done.stderr.startswith("Frontdesk needs Python 3.11 or newer; ")
    assert "Traceback" not in done.stderr
