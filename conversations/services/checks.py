"""What people and programs send, checked once for socket and REST."""

from collections.abc import Mapping
from typing import Any

from django.conf import settings
from django.contrib.auth.models import AbstractBaseUser

from frontdesk_agent.errors import ErrorCode, FrontdeskError
from frontdesk_agent.text import clean
from registry.selectors import directory_for

TITLE_CHARS = 60
CLIENT_ID_CHARS = 100
CONTEXT_FIELDS = 50
CONTEXT_VALUE_CHARS = 1_000
# The largest whole number that JavaScript, and so every reader of our JSON, keeps exactly.
EXACT_NUMBER = 2**53 - 1


def invalid(message: str, details: object = None) -> FrontdeskError:
    return FrontdeskError(ErrorCode.INVALID_INPUT, message, details=details)


def check_input(text: object) -> str:
    """The person's words, cleaned. Raises `INVALID_INPUT` when empty, `LIMIT_EXCEEDED` when too long."""
    if not isinstance(text, str):
        raise invalid("`input` must be text.")
    cleaned = clean(text).strip()
    if not cleaned:
        raise invalid("Please write a message: it is empty.")
    limit = settings.MAX_INPUT_CHARS
    if len(cleaned) > limit:
        raise FrontdeskError(
            ErrorCode.LIMIT_EXCEEDED,
            f"This message is too long: {len(cleaned):,} characters where {limit:,} are taken at most.",
            details={"limit": limit, "length": len(cleaned)},
        )
    return cleaned


def check_context(context: object) -> dict[str, Any]:
    """Conversation context: a flat object of short values. Raises `INVALID_INPUT`."""
    if context is None:
        return {}
    if not isinstance(context, Mapping) or len(context) > CONTEXT_FIELDS:
        raise invalid(f"`context` must be an object of at most {CONTEXT_FIELDS} fields.")
    for name, value in context.items():
        if not _is_short(value) or len(str(name)) > CLIENT_ID_CHARS:
            raise invalid("Each `context` field must be a short text, a number, true or false.")
    return {clean(str(name)): clean(v) if isinstance(v, str) else v for name, v in context.items()}


def _is_short(value: object) -> bool:
    if isinstance(value, str):
        return len(value) <= CONTEXT_VALUE_CHARS
    if isinstance(value, int | float):
        return abs(value) <= EXACT_NUMBER  # false for NaN, too
    return value is None


def check_client_id(client_id: object) -> str | None:
    if client_id is None or client_id == "":
        return None
    if not isinstance(client_id, str) or len(client_id) > CLIENT_ID_CHARS:
        raise invalid(f"`client_id` must be text of at most {CLIENT_ID_CHARS} characters.")
    return clean(client_id) or None


def check_on_busy(on_busy: object) -> None:
    if on_busy != "reject":
        raise invalid("`on_busy` must be `reject`.")


def check_agent(user: AbstractBaseUser, agent: object) -> None:
    if agent is None or agent == "":
        return
    if not isinstance(agent, str) or directory_for(user).get(agent) is None:
        name = str(agent)[:63]
        raise FrontdeskError(ErrorCode.AGENT_NOT_FOUND, f"There is no agent “{name}” that you can reach.")


def check_title(text: object) -> str:
    if not isinstance(text, str):
        raise invalid("`title` must be text.")
    line = " ".join(clean(text).split())
    return line if len(line) <= TITLE_CHARS else f"{line[: TITLE_CHARS - 1].rstrip()}…"
