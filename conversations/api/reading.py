"""Request bodies as values that services take."""

from collections.abc import Mapping
from typing import Any

from django.conf import settings
from django.http import HttpRequest
from django.utils.translation import get_language

from conversations.services import Question, invalid
from frontdesk_agent.text import clean_json

QUESTION_FIELDS = frozenset({"input", "agent", "context", "client_id", "on_busy"})


def body_of(data: object, allowed: frozenset[str]) -> Mapping[str, Any]:
    """The body as an object with no other fields than `allowed`. Raises `INVALID_INPUT`."""
    if not isinstance(data, Mapping):
        raise invalid("The body must be an object.")
    body: Mapping[str, Any] = clean_json(dict(data))
    if unknown := set(body) - allowed:
        raise invalid(f"Unknown field: {', '.join(sorted(unknown))[:200]}.")
    return body


def question_of(data: object, request: HttpRequest) -> Question:
    body = body_of(data, QUESTION_FIELDS)
    return Question(
        input=body.get("input", ""),
        agent=body.get("agent"),
        context=body.get("context") or {},
        client_id=body.get("client_id"),
        on_busy=body.get("on_busy", "reject"),
        locale=get_language() or settings.LANGUAGE_CODE,
        headers=_forwarded(request),
    )


def _forwarded(request: HttpRequest) -> dict[str, str]:
    return {name: request.headers[name] for name in settings.FORWARD_HEADERS if name in request.headers}
