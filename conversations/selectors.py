"""Reads. Each names the person who asks; what isn't theirs does not exist for them."""

import uuid
from typing import Any

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from django.db.models import OuterRef, Prefetch, QuerySet, Subquery

from conversations.events import Event
from conversations.models import Conversation, Delegation, Message, Run, RunEvent
from conversations.representation import message_json, run_json
from conversations.state import State
from frontdesk_agent.contract import HistoryItem
from frontdesk_agent.errors import ErrorCode, FrontdeskError

HISTORY_MESSAGES = 20
SNAPSHOT_TRIES = 5
Person = AbstractBaseUser | AnonymousUser


class NotFoundError(FrontdeskError):
    """There is no such thing, or it is somebody else's: the two look alike from outside."""

    http_status = 404

    def __init__(self, what: str) -> None:
        super().__init__(ErrorCode.NOT_ALLOWED, f"There is no such {what}, or it is not yours.")


def _as_uuid(value: object, what: str) -> uuid.UUID:
    try:
        return value if isinstance(value, uuid.UUID) else uuid.UUID(str(value))
    except ValueError:
        raise NotFoundError(what) from None


def conversations_of(user: Person) -> QuerySet[Conversation]:
    return Conversation.objects.filter(user_id=user.pk or 0)


def get_conversation(user: Person, conversation_id: object) -> Conversation:
    """Raises `NotFoundError`, also for somebody else's."""
    found = conversations_of(user).filter(pk=_as_uuid(conversation_id, "conversation")).first()
    if found is None:
        raise NotFoundError("conversation")
    return found


def get_run(user: Person, run_id: object) -> Run:
    """Raises `NotFoundError`, also for a run of somebody else's conversation."""
    runs = Run.objects.select_related("conversation", "message")
    found = runs.filter(pk=_as_uuid(run_id, "run"), conversation__user_id=user.pk or 0).first()
    if found is None:
        raise NotFoundError("run")
    return found


def _with_children(runs: QuerySet[Run]) -> QuerySet[Run]:
    return runs.prefetch_related(
        Prefetch("delegations", Delegation.objects.order_by("started_at", "position")),
        Prefetch("answers", Message.objects.filter(role=Message.Role.ASSISTANT).only("id", "run_id")),
    )


def _json(run: Run) -> dict[str, Any]:
    answer = next(iter(run.answers.all()), None)
    return run_json(run, list(run.delegations.all()), str(answer.id) if answer else None)


def run_view(run_id: object) -> dict[str, Any]:
    """One run as JSON, with its delegations."""
    return _json(_with_children(Run.objects.filter(pk=_as_uuid(run_id, "run"))).get())


def runs_view(conversation: Conversation) -> list[dict[str, Any]]:
    """All runs of a conversation as JSON, oldest first."""
    return [_json(run) for run in _with_children(conversation.runs.order_by("created_at"))]


def snapshot(conversation: Conversation) -> State:
    """The conversation from its rows, in the reducer's shape; read again where a run wrote meanwhile."""
    for _ in range(SNAPSHOT_TRIES):
        before = _moment(conversation)
        state = _snapshot(conversation)
        if _moment(conversation) == before:
            break
    return state


def _moment(conversation: Conversation) -> tuple[uuid.UUID, int] | None:
    """Changes with every structural event, in the transaction that stores it."""
    return conversation.runs.order_by("-created_at").values_list("id", "seq").first()


def _snapshot(conversation: Conversation) -> State:
    runs = runs_view(conversation)
    messages = [message_json(message) for message in conversation.messages.order_by("position")]
    return {"messages": messages, "run": runs[-1] if runs else None, "runs": runs[:-1]}


def context_of(conversation_id: uuid.UUID) -> dict[str, Any]:
    """What a conversation knows now."""
    return dict(Conversation.objects.values_list("context", flat=True).get(pk=conversation_id))


def is_final(run_id: uuid.UUID) -> bool:
    """Whether a run has ended."""
    return Run.objects.filter(pk=run_id, status__in=Run.FINAL).exists()


def events_after(run_id: object, seq: int) -> list[Event]:
    """The stored structural events beyond `seq`, in order."""
    rows = RunEvent.objects.filter(run_id=_as_uuid(run_id, "run"), seq__gt=seq)
    return list(rows.order_by("seq").values_list("payload", flat=True))


def history_before(message: Message) -> tuple[HistoryItem, ...]:
    """What was said before `message`, oldest first, at most `HISTORY_MESSAGES` of it."""
    return _history(
        Message.objects.filter(conversation_id=message.conversation_id, position__lt=message.position)
    )


def history_at_end(conversation: Conversation) -> tuple[HistoryItem, ...]:
    """What was said so far, oldest first, at most `HISTORY_MESSAGES` of it."""
    return _history(Message.objects.filter(conversation=conversation))


def _history(messages: QuerySet[Message]) -> tuple[HistoryItem, ...]:
    newest = messages.exclude(content="").order_by("-position")[:HISTORY_MESSAGES]
    return tuple(
        HistoryItem(role=item.role, content=item.content, agent=item.agent or None)
        for item in reversed(newest)
    )


def with_latest_run(conversations: QuerySet[Conversation]) -> QuerySet[Conversation]:
    """Annotates `latest_run_id` and `latest_run_status`, None where there is no run."""
    latest = Run.objects.filter(conversation=OuterRef("pk")).order_by("-created_at")
    return conversations.annotate(
        latest_run_id=Subquery(latest.values("id")[:1]),
        latest_run_status=Subquery(latest.values("status")[:1]),
    )
