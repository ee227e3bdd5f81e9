"""The beginning of a run: its message, its rows and its lease in one transaction."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction
from django.db.models import Max
from django.utils import timezone

from conversations import leases
from conversations.events import Event, structural
from conversations.models import Conversation, Lease, Message, Run, RunEvent
from conversations.projection import Target
from conversations.representation import message_json
from conversations.selectors import NotFoundError, get_conversation, get_run
from conversations.services.checks import (
    check_agent,
    check_client_id,
    check_context,
    check_input,
    check_on_busy,
    check_title,
)
from conversations.services.interrupted import fail_interrupted
from frontdesk_agent.errors import ErrorCode, FrontdeskError


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What a person sends. `client_id` makes sending it twice one message; `agent` is their choice for it."""

    input: str
    client_id: str | None = None
    agent: str | None = None
    context: Mapping[str, Any] = field(default_factory=dict)
    locale: str = "en"
    on_busy: str = "reject"
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Started:
    """A run that is there. `target` is None when it was there before (a repeated `client_id`).

    `interrupted` ends a run that was found dead in the way.
    """

    run_id: uuid.UUID
    conversation_id: uuid.UUID
    target: Target | None = None
    event: Event | None = None
    interrupted: Sequence[Event] = ()


@transaction.atomic
def start_run(*, user: AbstractBaseUser, conversation_id: object, question: Question, holder: str) -> Started:
    """Store the message, the run and its lease.

    Raises `INVALID_INPUT`, `LIMIT_EXCEEDED`, `AGENT_NOT_FOUND`, `CONVERSATION_LOCKED`, or `NotFoundError`.
    """
    text = check_input(question.input)
    client_id = check_client_id(question.client_id)
    context = check_context(question.context)
    check_on_busy(question.on_busy)
    conversation = lock(user, conversation_id)
    if client_id and (known := _known_run(conversation, client_id)):
        return known
    check_agent(user, question.agent)
    interrupted = _make_free(conversation, holder)
    _remember(conversation, title=text, context=context)
    message = Message.objects.create(
        conversation=conversation,
        position=_next_position(conversation),
        role=Message.Role.USER,
        content=text,
        client_id=client_id,
    )
    started = _begin(message, question.agent or "", question.locale, holder)
    return replace(started, interrupted=interrupted)


@transaction.atomic
def retry_run(
    *, user: AbstractBaseUser, run_id: object, delegation_id: object = None, locale: str, holder: str
) -> Started:
    """A new run for the same message; with `delegation_id` it goes to that delegation's agent.

    Raises `CONVERSATION_LOCKED`, `INVALID_INPUT`, `AGENT_NOT_FOUND` or `NotFoundError`.
    """
    run = get_run(user, run_id)
    conversation = lock(user, run.conversation_id)
    interrupted = _make_free(conversation, holder)
    agent = run.agent
    if delegation_id is not None:
        agent = _delegation_agent(run, delegation_id)
        check_agent(user, agent)
    started = _begin(run.message, agent, locale, holder, retry_of=run)
    return replace(started, interrupted=interrupted)


def _begin(message: Message, agent: str, locale: str, holder: str, retry_of: Run | None = None) -> Started:
    now = timezone.now()
    run = Run.objects.create(
        conversation_id=message.conversation_id,
        message=message,
        retry_of=retry_of,
        status=Run.Status.RUNNING,
        trace_id=uuid.uuid4().hex,
        locale=locale,
        agent=agent,
        seq=1,
        created_at=now,
    )
    if message.run_id is None:
        message.run = run
        message.save(update_fields=["run"])
    event = structural(str(run.id), 1, "run.started", _started_fields(run, message))
    Run.objects.filter(pk=run.pk).update(started_at=event["at"])
    RunEvent.objects.create(run=run, seq=1, type="run.started", payload=event)
    token = leases.create(conversation_id=message.conversation_id, run_id=run.id, holder=holder)
    target = Target(
        run_id=run.id,
        conversation_id=message.conversation_id,
        token=token,
        answer_position=_next_position(message.conversation),
    )
    return Started(run_id=run.id, conversation_id=message.conversation_id, target=target, event=event)


def _started_fields(run: Run, message: Message) -> dict[str, Any]:
    return {
        "conversation": str(run.conversation_id),
        "trace_id": run.trace_id,
        "message_id": str(message.id),
        "message": message_json(message),
        "retry_of": str(run.retry_of_id) if run.retry_of_id else None,
    }


def lock(user: AbstractBaseUser, conversation_id: object) -> Conversation:
    """The conversation, its row locked to the end of the transaction: two starts come one after the other."""
    conversation = get_conversation(user, conversation_id)
    return Conversation.objects.select_for_update().get(pk=conversation.pk)


def _known_run(conversation: Conversation, client_id: str) -> Started | None:
    message = Message.objects.filter(conversation=conversation, client_id=client_id).first()
    if message is None or message.run_id is None:
        return None
    return Started(run_id=message.run_id, conversation_id=conversation.id)


def _make_free(conversation: Conversation, holder: str) -> list[Event]:
    """Raises `CONVERSATION_LOCKED` while a run is alive; ends one that is dead, and returns what says so."""
    lease = Lease.objects.filter(conversation=conversation).first()
    if lease is None:
        return []
    if not leases.lapsed(holder).filter(pk=lease.pk).exists():
        raise locked(lease.run_id)
    return fail_interrupted(lease)


def locked(run_id: uuid.UUID) -> FrontdeskError:
    return FrontdeskError(
        ErrorCode.CONVERSATION_LOCKED,
        "This conversation is still being answered. Wait for the answer or stop it first.",
        retryable=True,
        details={"run": str(run_id)},
    )


def _remember(conversation: Conversation, *, title: str, context: Mapping[str, Any]) -> None:
    conversation.title = conversation.title or check_title(title)
    conversation.context = {**conversation.context, **context}
    conversation.updated_at = timezone.now()
    conversation.save(update_fields=["title", "context", "updated_at"])


def _next_position(conversation: Conversation) -> int:
    return int(conversation.messages.aggregate(last=Max("position"))["last"] or 0) + 1


def _delegation_agent(run: Run, delegation_id: object) -> str:
    try:
        found = run.delegations.filter(pk=uuid.UUID(str(delegation_id))).first()
    except ValueError:
        found = None
    if found is None:
        raise NotFoundError("delegation")
    return found.agent
