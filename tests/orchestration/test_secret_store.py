"""A reference resolves to its secret, and nothing else resolves to anything."""

from pathlib import Path

import pytest

from orchestration.secrets import SecretStore


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> SecretStore:
    monkeypatch.setenv("AGENT_SECRET_A", " from the environment\n")
    monkeypatch.setenv("AGENT_SECRET_EMPTY", " ")
    monkeypatch.setenv("DATABASE_URL", "postgres://")
    folder = tmp_path / "secrets"
    (folder / "..data").mkdir(parents=True)
    (folder / "..data" / "mounted").write_text("mounted\n")
    (folder / "mounted").symlink_to(folder / "..data" / "mounted")
    (folder / "plain").write_text("from a file\n")
    (folder / "binary").write_bytes(b"\xff\xfe")
    (folder / "empty").write_text("\n")
    (tmp_path / "outside").write_text("outside")
    (folder / "escape").symlink_to(tmp_path / "outside")
    return SecretStore(folder)


@pytest.mark.parametrize(
    ("ref", "secret"),
    [
        ("AGENT_SECRET_A", "from the environment"),
        ("file:plain", "from a file"),
        ("file:mounted", "mounted"),
    ],
)
def test_a_secret(store: SecretStore, ref: str, secret: str) -> None:
    assert store(ref) == secret


@pytest.mark.parametrize(
    "ref",
    [
        "AGENT_SECRET_MISSING",
        "AGENT_SECRET_EMPTY",
        "DATABASE_URL",
        "agent_secret_a",
        "file:missing",
        "file:empty",
        "file:binary",
        "file:escape",
        "file:../outside",
        "file:..data",
        "file:",
        "sk-live-1234",
        "",
    ],
)
def test_nothing(store: SecretStore, ref: str) -> None:
    assert store(ref) is None


def test_no_folder_of_secrets() -> None:
    assert SecretStore(None)("file:plain") is None
