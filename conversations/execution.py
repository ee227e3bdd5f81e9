"""One run from its rows to its outcome, and the log lines an operator reads."""

import uuid
from collections.abc import Mapping
from dataclasses import replace

import structlog
from django.contrib.auth.models import AbstractBaseUser

from conversations import selectors
from conversations.db import in_db
from conversations.live import LiveRun
from conversations.models import Conversation, Run
from conversations.selectors import get_conversation, history_at_end, history_before
from conversations.services import Question, check_context, check_input
from orchestration.directory import Directory
from orchestration.request import RunRequest
from orchestration.supervisor import Supervisor
from registry.selectors import directory_for

log = structlog.get_logger(__name__)


def _prepare(
    live: LiveRun, user: AbstractBaseUser, headers: Mapping[str, str]
) -> tuple[RunRequest, Directory]:
    run = Run.objects.select_related("conversation", "message").get(pk=live.target.run_id)
    request = replace(
        _request(run.conversation, user),
        run_id=str(run.id),
        input=run.message.content,
        trace_id=run.trace_id,
        locale=run.locale,
        history=history_before(run.message),
        agent=run.agent or None,
        forward_headers=headers,
    )
    return request, directory_for(user)


def _request(conversation: Conversation | None, user: AbstractBaseUser) -> RunRequest:
    """What a conversation alone says; without one, as for a new one."""
    new = conversation or Conversation()
    return RunRequest(
        run_id="",
        conversation_id=str(new.id),
        user_id=str(user.pk),
        input="",
        trace_id=uuid.uuid4().hex,
        context=new.context,
        pinned=new.agent or None,
        last_agent=new.last_agent or None,
    )


def prepare_dry_run(
    user: AbstractBaseUser, question: Question, conversation_id: object
) -> tuple[RunRequest, Directory]:
    """A request that only asks who would answer. Raises as starting a run would."""
    conversation = get_conversation(user, conversation_id) if conversation_id else None
    base = _request(conversation, user)
    request = replace(
        base,
        input=check_input(question.input),
        locale=question.locale,
        context={**base.context, **check_context(question.context)},
        agent=question.agent or None,
        history=history_at_end(conversation) if conversation else (),
    )
    return request, directory_for(user)


async def execute(
    supervisor: Supervisor, live: LiveRun, user: AbstractBaseUser, headers: Mapping[str, str]
) -> None:
    """Supervise the run and say its end. Whatever is raised, the caller closes what is open."""
    request, directory = await in_db(_prepare, live, user, headers)
    outcome = await supervisor.supervise(request, directory, live)
    if outcome.context:
        # What a person changed meanwhile stays, but for the fields that the agent wrote.
        current = await in_db(selectors.context_of, live.target.conversation_id)
        outcome = replace(outcome, context={**current, **outcome.context})
    await live.finish(outcome)


def log_run(live: LiveRun) -> None:
    """One line per delegation and one for the run: ids, states and figures, never what was said."""
    run = live.run
    known = {
        "trace_id": run["trace_id"],
        "session_id": str(live.target.conversation_id),
        "run": live.id,
    }
    for delegation in run["delegations"]:
        log.info(
            "delegation_finished",
            **known,
            agent_name=delegation["agent"],
            version=delegation["version"],
            status=delegation["status"],
            code=(delegation["error"] or {}).get("code"),
            latency_ms=delegation["duration_ms"],
            first_token_ms=delegation["first_token_ms"],
            attempts=delegation["attempts"],
            **delegation["usage"],
        )
    log.info(
        "run_finished",
        **known,
        status=run["status"],
        tier=(run["route"] or {}).get("tier"),
        code=(run["error"] or {}).get("code"),
        latency_ms=run["duration_ms"],
        **run["usage"],
    )
