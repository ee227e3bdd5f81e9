#!/usr/bin/env python3
"""Runs the project's commands, in an environment that it prepares by itself.

Only the standard library is imported before the environment is there, so `python3 manage.py demo` works on a
machine that has nothing but Python 3.11 or newer. `.venv/prepared.json` says which requirement files the
environment was made from; it is written last, so an interrupted preparation is simply done again.
"""

import fcntl
import hashlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

OLDEST = (3, 11)
if sys.version_info < OLDEST:
    sys.exit(
        "Frontdesk needs Python {}.{} or newer; {} is Python {}.{}.".format(
            *OLDEST, sys.executable, *sys.version_info[:2]
        )
    )

ROOT = Path(__file__).resolve().parent
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
STAMP = VENV / "prepared.json"
UNFINISHED = VENV / "unfinished"
LOCK = "requirements.txt"
DEV_LOCK = "requirements-dev.txt"  # a superset of LOCK
PREPARED = "FRONTDESK_PREPARED"  # set: run right here, with the environment as it is


def main() -> None:
    command = sys.argv[1] if len(sys.argv) > 1 else "help"
    if PREPARED not in os.environ:
        prepare(DEV_LOCK if command == "test" else LOCK)
        os.environ[PREPARED] = "1"
        if Path(sys.prefix).resolve() != VENV:
            os.execve(
                PYTHON, [str(PYTHON), *sys.argv], os.environ
            )  # the same process: its id and signals stay
    run(command)


def prepare(lock: str) -> None:
    """Makes `.venv` hold what `lock` lists, unless it does already."""
    if is_current(lock):
        return
    directory = os.open(ROOT, os.O_RDONLY)
    fcntl.flock(directory, fcntl.LOCK_EX)  # two commands started together prepare one after the other
    try:
        if not is_current(lock):
            print(
                f"Preparing {VENV} from {lock}; this happens once and takes a minute or two.", file=sys.stderr
            )
            make_environment(lock)
    finally:
        os.close(directory)


def is_current(lock: str) -> bool:
    return PYTHON.exists() and stamped().get(lock) == digest(lock)


def stamped() -> dict[str, str]:
    try:
        return dict(json.loads(STAMP.read_text()))
    except (OSError, ValueError):
        return {}


def digest(lock: str) -> str:
    return hashlib.sha256((ROOT / lock).read_bytes()).hexdigest()


def make_environment(lock: str) -> None:
    uv = shutil.which("uv")
    if not PYTHON.exists() or UNFINISHED.exists():
        create_venv()
    UNFINISHED.touch()
    STAMP.unlink(missing_ok=True)
    if not (uv and install_with_uv(uv, lock)):
        install_with_pip(lock)
    locks = [LOCK, lock]
    STAMP.write_text(json.dumps({name: digest(name) for name in locks}, indent=1))
    UNFINISHED.unlink()


def create_venv() -> None:
    try:
        import venv
    except ImportError:
        sys.exit(f"Python's venv module is missing. {HOW_TO_GET_VENV}")
    venv.EnvBuilder(symlinks=True, clear=True).create(VENV)


HOW_TO_GET_VENV = "On Debian and Ubuntu: apt-get install python3-venv (or put uv on the path)."


def install_with_uv(uv: str, lock: str) -> bool:
    """False when uv could not do it: it may not know the package index that pip is set up for."""
    command = [uv, "pip", "install", "--quiet", "--python", str(PYTHON), "--require-hashes", "-r", lock]
    if subprocess.run(command, cwd=ROOT).returncode == 0:
        return True
    print("uv could not install the requirements; trying pip.", file=sys.stderr)
    return False


def install_with_pip(lock: str) -> None:
    pip = [str(PYTHON), "-m", "pip"]
    if subprocess.run([*pip, "--version"], capture_output=True).returncode != 0:
        add_pip()
    command = [*pip, "install", "--quiet", "--disable-pip-version-check", "--no-input", "--no-deps"]
    if subprocess.run([*command, "--require-hashes", "-r", lock], cwd=ROOT).returncode != 0:
        sys.exit("The requirements could not be installed; the lines above say why. Run it again to go on.")


def add_pip() -> None:
    added = subprocess.run([str(PYTHON), "-m", "ensurepip", "--default-pip"], capture_output=True, text=True)
    if added.returncode != 0:
        sys.exit(f"Python's ensurepip is missing or does not work. {HOW_TO_GET_VENV}")


def run(command: str) -> None:
    """Runs a Django command. A wrong setting is told in a sentence."""
    sys.path[:0] = [str(ROOT), str(ROOT / "platform")]
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    if command == "demo":
        os.environ.setdefault("ALLOW_PRIVATE_ADDRESSES", "true")  # the sample agents listen on this machine
    try:
        from django.core.exceptions import ImproperlyConfigured
        from django.core.management import execute_from_command_line
    except ImportError as error:
        sys.exit(
            f"{error.name} is not installed for {sys.executable}, and {PREPARED} is set: nothing is prepared."
        )
    try:
        execute_from_command_line(sys.argv)
    except ImproperlyConfigured as error:
        sys.exit(f"Frontdesk does not start: {error}")


if __name__ == "__main__":
    main()
