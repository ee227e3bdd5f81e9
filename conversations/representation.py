"""Rows as the JSON that REST, the socket's snapshot and the events share."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from conversations.events import timestamp
from conversations.models import Conversation, Delegation, Message, Run

Json = dict[str, Any]


def _time(moment: datetime | None) -> str | None:
    return timestamp(moment) if moment else None


def conversation_json(conversation: Conversation) -> Json:
    return {
        "id": str(conversation.id),
        "title": conversation.title,
        "agent": conversation.agent or None,
        "context": conversation.context,
        "created_at": _time(conversation.created_at),
        "updated_at": _time(conversation.updated_at),
    }


def message_json(message: Message) -> Json:
    return {
        "id": str(message.id),
        "run": str(message.run_id) if message.run_id else None,
        "role": message.role,
        "agent": message.agent or None,
        "content": message.content,
        "status": message.status,
        "citations": message.citations,
        "usage": message.usage,
        "client_id": message.client_id,
        "created_at": _time(message.created_at),
    }


def delegation_json(delegation: Delegation) -> Json:
    return {
        "id": str(delegation.id),
        "parent": str(delegation.parent_id) if delegation.parent_id else None,
        "position": delegation.position,
        "agent": delegation.agent,
        "display_name": delegation.display_name,
        "version": delegation.version,
        "task": delegation.task,
        "status": delegation.status,
        "result": delegation.result,
        "error": delegation.error,
        "citations": delegation.citations,
        "tools": delegation.tools,
        "usage": delegation.usage,
        "first_token_ms": delegation.first_token_ms,
        "duration_ms": delegation.duration_ms,
        "attempts": delegation.attempts,
        "empty": delegation.empty,
        "started_at": _time(delegation.started_at),
        "finished_at": _time(delegation.finished_at),
    }


def run_json(run: Run, delegations: Sequence[Delegation], answer_id: str | None) -> Json:
    return {
        "id": str(run.id),
        "status": run.status,
        "seq": run.seq,
        "trace_id": run.trace_id,
        "message_id": str(run.message_id),
        "retry_of": str(run.retry_of_id) if run.retry_of_id else None,
        "route": run.route,
        "delegations": [delegation_json(delegation) for delegation in delegations],
        "answer_id": answer_id,
        "error": run.error,
        "usage": run.usage,
        "first_token_ms": run.first_token_ms,
        "duration_ms": run.duration_ms,
        "started_at": _time(run.started_at),
        "finished_at": _time(run.finished_at),
    }
