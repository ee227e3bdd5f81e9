"""What every step of one run can reach."""

from collections.abc import Mapping
from dataclasses import dataclass

from orchestration.answer import Answer
from orchestration.directory import Directory
from orchestration.events import Sink
from orchestration.request import Environment, RunRequest
from orchestration.routing.router import Router
from orchestration.transports.base import Transport


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """The graph's runtime context: never stored, never checkpointed."""

    request: RunRequest
    directory: Directory
    sink: Sink
    environment: Environment
    transports: Mapping[str, Transport]
    router: Router
    answer: Answer
