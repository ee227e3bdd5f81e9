"""Making, changing and deleting conversations."""

from collections.abc import Mapping
from typing import Any

from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction

from conversations.models import Conversation, Lease
from conversations.services.checks import check_agent, check_context, check_title, invalid
from conversations.services.runs import lock, locked


def create_conversation(*, user: AbstractBaseUser, agent: str | None = None, title: str = "") -> Conversation:
    """Raises `AGENT_NOT_FOUND` for an agent the person cannot reach."""
    check_agent(user, agent)
    return Conversation.objects.create(user_id=user.pk, agent=agent or "", title=check_title(title))


@transaction.atomic
def update_conversation(
    *, user: AbstractBaseUser, conversation_id: object, changes: Mapping[str, Any]
) -> Conversation:
    """Change `title`, `agent` (pinned; None frees it) or `context` (merged). Unknown fields are refused."""
    conversation = lock(user, conversation_id)
    if unknown := set(changes) - {"title", "agent", "context"}:
        raise invalid(f"Unknown field: {', '.join(sorted(unknown))}.")
    if "title" in changes:
        conversation.title = check_title(changes["title"])
    if "agent" in changes:
        check_agent(user, changes["agent"])
        conversation.agent = changes["agent"] or ""
    if "context" in changes:
        conversation.context = {**conversation.context, **check_context(changes["context"])}
    conversation.save(update_fields=[*changes])
    return conversation


@transaction.atomic
def delete_conversation(*, user: AbstractBaseUser, conversation_id: object) -> None:
    """Raises `CONVERSATION_LOCKED` while a run is under way: stop it first."""
    conversation = lock(user, conversation_id)
    if Lease.objects.filter(conversation=conversation).exists():
        raise locked(conversation.lease.run_id)
    conversation.delete()
