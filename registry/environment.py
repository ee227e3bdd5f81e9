"""What orchestration needs from this process, read from the settings."""

from pathlib import Path

from django.conf import settings

from orchestration.language_models import ModelSettings
from orchestration.request import Environment
from orchestration.secrets import SecretStore


def orchestration_environment() -> Environment:
    """A fresh value; keep it for the life of a supervisor."""
    return Environment(
        secret=SecretStore(Path(settings.SECRETS_DIR) if settings.SECRETS_DIR else None),
        inproc_allowed=tuple(settings.INPROC_ALLOWED),
        allow_private=settings.ALLOW_PRIVATE_ADDRESSES,
        models=ModelSettings(
            base_url=settings.OPENAI_BASE_URL or None,
            api_key=settings.OPENAI_API_KEY,
            model=settings.MODEL,
            fallbacks=tuple(settings.MODEL_FALLBACKS),
            first_token_s=settings.MODEL_FIRST_TOKEN_MS / 1000,
        ),
    )
