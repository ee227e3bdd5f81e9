"""System checks: a wrong setting stops the start with a sentence that says what to change."""

import os
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

from django.conf import settings
from django.core import checks
from django.core.checks import CheckMessage, Error

from config.env import make_private

TAG: Final = "frontdesk"
LONGEST_TTL_S: Final = 3600
LONGEST_HEARTBEAT_S: Final = 3000
OUR_HEADERS: Final = frozenset(
    ("traceparent", "tracestate", "x-trace-id", "x-session-id", "idempotency-key", "authorization")
)
CONNECTION_HEADERS: Final = frozenset(
    ("accept", "accept-encoding", "connection", "content-length", "content-type", "cookie", "host", "te")
)

Messages = Iterator[CheckMessage]


def _check(rule: Callable[[], Messages]) -> Callable[[], Messages]:
    def run(**_kwargs: Any) -> list[CheckMessage]:
        return list(rule())

    checks.register(run, TAG)
    return rule


def refuse_wrong_settings() -> None:
    """For servers that start without manage.py: ends the process when a check finds an error."""
    errors = [message for message in checks.run_checks(tags=[TAG]) if message.is_serious()]
    if errors:
        sys.exit(
            "\n".join(f"Frontdesk does not start: {message.msg} {message.hint or ''}" for message in errors)
        )


@_check
def leases() -> Messages:
    ttl, heartbeat = settings.LEASE_TTL_S, settings.LEASE_HEARTBEAT_S
    if not 0 < ttl <= LONGEST_TTL_S:
        yield Error(
            f"LEASE_TTL_S is {ttl:g}; it must be above 0, at most {LONGEST_TTL_S} seconds.",
            id="frontdesk.E001",
        )
    if not 0 < heartbeat <= LONGEST_HEARTBEAT_S:
        yield Error(
            f"LEASE_HEARTBEAT_S is {heartbeat:g}; it must be above 0, at most {LONGEST_HEARTBEAT_S} seconds.",
            id="frontdesk.E002",
        )
    if heartbeat >= ttl / 2:
        yield Error(
            f"LEASE_HEARTBEAT_S ({heartbeat:g}) must be less than half of LEASE_TTL_S ({ttl:g}).",
            hint="A lease has to survive one missed heartbeat.",
            id="frontdesk.E003",
        )


@_check
def limits() -> Messages:
    if settings.SHUTDOWN_GRACE_S < 0:
        yield Error("SHUTDOWN_GRACE_S must not be negative.", id="frontdesk.E004")
    if settings.MAX_INPUT_CHARS < 1:
        yield Error("MAX_INPUT_CHARS must be at least 1.", id="frontdesk.E005")
    pool = settings.DATABASES["default"].get("OPTIONS", {}).get("pool")
    if pool and pool["max_size"] < 1:
        yield Error("DATABASE_POOL_SIZE must be at least 1.", id="frontdesk.E006")


@_check
def database_file() -> Messages:
    database = settings.DATABASES["default"]
    if not database["ENGINE"].endswith("sqlite3") or ":memory:" in str(database["NAME"]):
        return
    path = Path(database["NAME"]).absolute()
    if str(path).startswith("//") or "://" in str(database["NAME"]):
        yield Error(
            f"SQLite needs a file on this machine, not {database['NAME']}.",
            hint="On a network share its locks do not hold; use PostgreSQL.",
            id="frontdesk.E007",
        )
    elif problem := _not_writable(path.parent):
        yield Error(
            f"The database {path} cannot be written: {problem}", hint="Change DATA_DIR.", id="frontdesk.E008"
        )


def _not_writable(directory: Path) -> str | None:
    try:
        make_private(directory)
    except OSError as error:
        return f"{directory} cannot be created ({error.strerror})."
    return None if os.access(directory, os.W_OK | os.X_OK) else f"{directory} is not writable."


@_check
def secrets() -> Messages:
    if settings.SECRETS_DIR and not Path(settings.SECRETS_DIR).is_dir():
        yield Error(f"SECRETS_DIR ({settings.SECRETS_DIR}) is no directory.", id="frontdesk.E009")
    if not settings.DEBUG and (len(settings.SECRET_KEY) < 32 or len(set(settings.SECRET_KEY)) < 5):
        yield Error(
            "SECRET_KEY is too easy to guess.",
            hint="Use 32 or more random characters. With SQLite it may be left out: one is made in DATA_DIR.",
            id="frontdesk.E010",
        )


@_check
def in_process_agents() -> Messages:
    for prefix in settings.INPROC_ALLOWED:
        if not all(part.isidentifier() for part in prefix.removesuffix(".").split(".")):
            yield Error(
                f"INPROC_ALLOWED holds {prefix!r}, which is no dotted path such as my_agents.billing.",
                id="frontdesk.E011",
            )


@_check
def forwarded_headers() -> Messages:
    for name in settings.FORWARD_HEADERS:
        if not re.fullmatch(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+", name):
            yield Error(f"FORWARD_HEADERS holds {name!r}, which is no header name.", id="frontdesk.E012")
        elif name.lower() in OUR_HEADERS | CONNECTION_HEADERS:
            yield Error(f"FORWARD_HEADERS holds {name}, which the platform sets itself.", id="frontdesk.E013")


@_check
def origins() -> Messages:
    if "*" in settings.ALLOWED_HOSTS and not settings.DEBUG:
        yield checks.Warning("ALLOWED_HOSTS is *: any host name is believed.", id="frontdesk.W001")


@_check
def static_files() -> Messages:
    root = settings.STATIC_ROOT
    if root is not None and not (root / "staticfiles.json").is_file():
        yield Error(
            f"STATIC_COLLECTED is on, but {root} holds no collected files.",
            hint="Run manage.py collectstatic first.",
            id="frontdesk.E015",
        )
