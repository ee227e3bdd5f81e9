"""The end of a run whose process is gone, told from its rows."""

import uuid

import structlog
from django.db import transaction

from conversations import leases
from conversations.closing import BROKEN, INTERRUPTED, closing_events
from conversations.events import Event, structural
from conversations.models import Lease, Message
from conversations.projection import Batch, Target, project
from conversations.representation import message_json
from conversations.selectors import run_view
from frontdesk_agent.errors import FrontdeskError

log = structlog.get_logger(__name__)


@transaction.atomic
def fail_interrupted(lease: Lease, error: FrontdeskError = INTERRUPTED) -> list[Event]:
    """End the run of a lease that nobody serves from its rows; returns the events that say so.

    The lease is taken over first, so that its old holder, should it wake up, can write nothing.
    """
    taken = Lease.objects.filter(pk=lease.pk, token=lease.token).update(token=(token := uuid.uuid4()))
    if not taken:
        return []
    run = run_view(lease.run_id)
    answer = Message.objects.filter(pk=run["answer_id"]).first() if run["answer_id"] else None
    target = Target(
        run_id=lease.run_id, conversation_id=lease.conversation_id, token=token, answer_position=0
    )
    batch = Batch()
    events = []
    closing = closing_events(run, message_json(answer) if answer else None, error, elapsed_ms=None)
    for seq, (type_, fields) in enumerate(closing, start=run["seq"] + 1):
        event = structural(run["id"], seq, type_, fields)
        project(batch, target, event)
        events.append(event)
    batch.write()
    return events


@transaction.atomic
def fail_unstorable(token: uuid.UUID) -> list[Event]:
    """End our own run when something it said could not be stored; nothing when the lease is not ours.

    Whatever of it is still on its way to the rows is fenced off by that.
    """
    lease = Lease.objects.select_for_update().filter(token=token).first()
    return fail_interrupted(lease, BROKEN) if lease is not None else []


def sweep(holder: str) -> list[tuple[uuid.UUID, list[Event]]]:
    """Fail every run whose lease lapsed; returns the events per conversation, for its viewers."""
    lapsed = list(leases.lapsed(holder).values_list("pk", flat=True))
    swept = []
    for pk in lapsed:
        try:
            with transaction.atomic():
                lease = leases.lapsed(holder).select_for_update().filter(pk=pk).first()
                if lease is not None:
                    swept.append((lease.conversation_id, fail_interrupted(lease)))
        except Exception:
            log.exception("interrupted_run_not_ended", conversation=str(pk))
    return swept
