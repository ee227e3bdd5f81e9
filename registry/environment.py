"""What orchestration needs from this process, read from the settings."""

from pathlib import Path

from django.conf import settings

from orchestration.request import Environment
from orchestration.secrets import SecretStore


def orchestration_environment() -> Environment:
    """A fresh value; keep it for the life of a supervisor."""
    return Environment(
        secret=SecretStore(Path(settings.SECRETS_DIR) if settings.SECRETS_DIR else None),
        inproc_allowed=tuple(settings.INPROC_ALLOWED),
        allow_private=settings.ALLOW_PRIVATE_ADDRESSES,
    )
