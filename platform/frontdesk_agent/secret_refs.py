"""References to secrets: a card names a secret, the environment or a folder of files holds it."""

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final

SECRET_REF: Final = re.compile(r"AGENT_SECRET_[A-Z0-9_]{1,64}|file:[A-Za-z0-9][A-Za-z0-9._-]{0,63}", re.ASCII)
REFERENCE_RULE: Final = (
    "must name a secret, as AGENT_SECRET_<NAME> (an environment variable) or file:<name> (a file in "
    "SECRETS_DIR); a secret itself never goes into a card"
)
_MAX_SECRET_BYTES: Final = 64 * 1024


def is_secret_ref(ref: str) -> bool:
    """Whether `ref` has the form of a reference."""
    return SECRET_REF.fullmatch(ref) is not None


def resolve_secret(
    ref: str, *, environ: Mapping[str, str] = os.environ, secrets_dir: Path | None = None
) -> str | None:
    """The secret that `ref` names, or None when there is none (or `ref` is no reference).

    Without `secrets_dir`, files are looked for in the folder that the variable SECRETS_DIR names.
    """
    if not is_secret_ref(ref):
        return None
    kind, _, name = ref.rpartition(":")
    if not kind:
        return environ.get(name) or None
    folder = secrets_dir or environ.get("SECRETS_DIR")
    return _read(Path(folder) / name) if folder else None


def _read(path: Path) -> str | None:
    try:
        with path.open("rb") as file:
            return file.read(_MAX_SECRET_BYTES).decode().strip() or None
    except (OSError, UnicodeDecodeError):
        return None
