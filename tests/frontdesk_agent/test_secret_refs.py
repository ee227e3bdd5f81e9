"""References resolve to what they name, and to nothing else."""

from pathlib import Path

import pytest

from frontdesk_agent.secret_refs import is_secret_ref, resolve_secret

ENVIRON = {"AGENT_SECRET_A": "from-env", "AGENT_SECRET_EMPTY": "", "DATABASE_URL": "postgres://secret"}


@pytest.fixture
def secrets_dir(tmp_path: Path) -> Path:
    folder = tmp_path / "secrets"
    folder.mkdir()
    (folder / "token").write_text("from-file\n")
    (folder / "empty").write_text("\n")
    (folder / "binary").write_bytes(b"\xff\xfe")
    (folder / "folder").mkdir()
    (tmp_path / "outside").write_text("outside")
    return folder


@pytest.mark.parametrize(
    ("ref", "secret"),
    [
        ("AGENT_SECRET_A", "from-env"),
        ("AGENT_SECRET_EMPTY", None),
        ("AGENT_SECRET_MISSING", None),
        ("file:token", "from-file"),
        ("file:missing", None),
        ("file:empty", None),
        ("file:binary", None),
        ("file:folder", None),
        ("file:../outside", None),
        ("file:", None),
        ("DATABASE_URL", None),
        ("", None),
    ],
)
def test_resolving(ref: str, secret: str | None, secrets_dir: Path) -> None:
    assert resolve_secret(ref, environ=ENVIRON, secrets_dir=secrets_dir) == secret
    assert resolve_secret(ref, environ={**ENVIRON, "SECRETS_DIR": str(secrets_dir)}) == secret


def test_files_need_a_folder() -> None:
    assert resolve_secret("file:token", environ={}) is None


@pytest.mark.parametrize(
    "ref",
    [
        "AGENT_SECRET_",
        "agent_secret_a",
        "AGENT_SECRET_a",
        "AGENT_SECRET_A\n",
        "file:.x",
        "file:a/b",
        "file:a:b",
        "FILE:a",
    ],
)
def test_what_is_no_reference(ref: str) -> None:
    assert not is_secret_ref(ref)
