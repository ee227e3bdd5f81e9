"""A wrong setting stops the start with a sentence that names it, and no traceback."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.core import checks
from pytest_django import Settings

ROOT = Path(__file__).resolve().parents[2]


def start(*command: str, **environment: str) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "FRONTDESK_PREPARED": "1", "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'platform'}"}
    return subprocess.run(
        [sys.executable, *command], cwd=ROOT, env={**env, **environment}, capture_output=True, text=True
    )


@pytest.mark.parametrize(
    ("environment", "sentence"),
    [
        ({"LEASE_TTL_S": "5s"}, "LEASE_TTL_S must be a number, not '5s'."),
        ({"LEASE_TTL_S": "nan"}, "LEASE_TTL_S must be a number, not 'nan'."),
        ({"MAX_INPUT_CHARS": "1.5"}, "MAX_INPUT_CHARS must be a whole number, not '1.5'."),
        ({"DEBUG": "ture"}, "DEBUG must be true or false, not 'ture'."),
        ({"LOG_LEVEL": "loud"}, "LOG_LEVEL must be one of DEBUG, INFO, WARNING, ERROR, not 'loud'."),
        ({"TIME_ZONE": "Mars/Base"}, "TIME_ZONE must be a time zone such as Asia/Shanghai, not 'Mars/Base'."),
        ({"DATABASE_URL": "mysql://x/y"}, "DATABASE_URL must look like postgres://"),
        ({"DATABASE_URL": "postgres://localhost/x", "SECRET_KEY": ""}, "Set SECRET_KEY: all processes"),
        ({"DATA_DIR": "/proc/nowhere", "SECRET_KEY": ""}, "DATA_DIR (/proc/nowhere) cannot be used"),
    ],
)
def test_a_value_that_cannot_be_meant(environment: dict[str, str], sentence: str) -> None:
    done = start("manage.py", "check", **environment)
    assert done.returncode == 1
    assert done.stderr.startswith(f"Frontdesk does not start: {sentence}")
    assert "Traceback" not in done.stderr


def test_a_password_in_a_broken_database_url_is_not_repeated() -> None:
    done = start("manage.py", "check", DATABASE_URL="postgre://me:hunter2@host/db")
    assert "hunter2" not in done.stderr


def test_a_secret_key_may_begin_with_a_dollar_sign() -> None:
    code = "from config import settings; print(settings.SECRET_KEY)"
    assert start("-c", code, SECRET_KEY="$HOME-of-the-brave").stdout.strip() == "$HOME-of-the-brave"


def test_a_server_that_starts_without_manage_refuses_too() -> None:
    done = start("-c", "import config.asgi", LEASE_HEARTBEAT_S="10", LEASE_TTL_S="20")
    assert done.returncode == 1
    assert "LEASE_HEARTBEAT_S (10) must be less than half of LEASE_TTL_S (20)." in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ({}, []),
        ({"LEASE_TTL_S": 20.0, "LEASE_HEARTBEAT_S": 10.0}, ["E003"]),
        ({"LEASE_TTL_S": 20.0, "LEASE_HEARTBEAT_S": 9.99}, []),
        ({"LEASE_TTL_S": 3601.0}, ["E001"]),
        ({"LEASE_TTL_S": 0.0, "LEASE_HEARTBEAT_S": -1.0}, ["E001", "E002"]),
        ({"LEASE_TTL_S": 3600.0, "LEASE_HEARTBEAT_S": 3001.0}, ["E002", "E003"]),
        ({"SHUTDOWN_GRACE_S": -1.0}, ["E004"]),
        ({"MAX_INPUT_CHARS": 0}, ["E005"]),
        ({"SECRETS_DIR": "/nowhere/secrets"}, ["E009"]),
        ({"SECRET_KEY": "short"}, ["E010"]),
        ({"SECRET_KEY": "a" * 64}, ["E010"]),
        ({"INPROC_ALLOWED": ["my_agents.", "my_agents.billing"]}, []),
        ({"INPROC_ALLOWED": ["../agents", "my-agents."]}, ["E011", "E011"]),
        ({"FORWARD_HEADERS": ["X-Tenant"]}, []),
        ({"FORWARD_HEADERS": ["authorization", "Cookie", "a b"]}, ["E012", "E013", "E013"]),
    ],
)
def test_checks(settings: Settings, changed: dict[str, object], expected: list[str]) -> None:
    for name, value in changed.items():
        setattr(settings, name, value)
    found = [str(message.id) for message in checks.run_checks(tags=["frontdesk"]) if message.is_serious()]
    assert sorted(found) == [f"frontdesk.{number}" for number in expected]


def test_the_database_must_be_writable_and_local(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    blocked = tmp_path / "file"
    blocked.touch()

    def ids(name: object) -> list[str | None]:
        monkeypatch.setitem(
            settings.DATABASES, "default", {"ENGINE": "django.db.backends.sqlite3", "NAME": name}
        )
        return [message.id for message in checks.run_checks(tags=["frontdesk"])]

    assert ids(tmp_path / "new" / "db.sqlite3") == []
    assert ids(blocked / "db.sqlite3") == ["frontdesk.E008"]
    assert ids("//server/share/db.sqlite3") == ["frontdesk.E007"]


def test_the_generated_key_is_kept_and_private(tmp_path: Path) -> None:
    code = "from config import settings; print(settings.SECRET_KEY)"
    first, second = (start("-c", code, DATA_DIR=str(tmp_path), SECRET_KEY="").stdout for _ in range(2))
    assert first == second
    assert len(first.strip()) >= 32
    assert (tmp_path / "secret_key").stat().st_mode & 0o777 == 0o600
