"""Writes of conversations and runs: keyword-only, each one transaction."""

from conversations.services.checks import check_context, check_input, invalid
from conversations.services.conversations import (
    create_conversation,
    delete_conversation,
    update_conversation,
)
from conversations.services.interrupted import fail_interrupted, fail_unstorable, sweep
from conversations.services.runs import Question, Started, retry_run, start_run

__all__ = [
    "Question",
    "Started",
    "check_context",
    "check_input",
    "create_conversation",
    "delete_conversation",
    "fail_interrupted",
    "fail_unstorable",
    "invalid",
    "retry_run",
    "start_run",
    "sweep",
    "update_conversation",
]
