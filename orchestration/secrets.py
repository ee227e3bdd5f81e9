"""Secrets by reference: a card names one, and never holds one."""

import os
from pathlib import Path

from frontdesk_agent.secret_refs import is_secret_ref


class SecretStore:
    """Turns a `secret_ref` into the secret, or None when it names nothing that may be used.

    `AGENT_SECRET_<NAME>` is an environment variable; `file:<name>` a file directly in `secrets_dir`.
    """

    def __init__(self, secrets_dir: Path | None = None) -> None:
        self._dir = secrets_dir

    def __call__(self, ref: str) -> str | None:
        if not is_secret_ref(ref):
            return None
        kind, _, name = ref.rpartition(":")
        if kind:
            return self._read(name)
        return os.environ.get(name, "").strip() or None

    def _read(self, name: str) -> str | None:
        if self._dir is None:
            return None
        try:
            # Mounted secrets are symlinks to a sibling folder: followed, but never to outside.
            root = self._dir.resolve(strict=True)
            path = (root / name).resolve(strict=True)
            return path.read_text("utf-8").strip() or None if path.is_relative_to(root) else None
        except (OSError, UnicodeDecodeError):
            return None
