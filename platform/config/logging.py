"""Structured logs on standard error: one JSON object a line, or coloured lines on a terminal.

Everything goes through here, the standard library's loggers too. Callers bind `trace_id`, `session_id` and
`agent_name` (`structlog.contextvars`) or pass them, with `latency_ms` and token counts, as keywords. What
people and agents say is never logged.
"""

import logging.config
import sys
from collections.abc import Mapping
from typing import Any

import structlog
from structlog.typing import EventDict, Processor, WrappedLogger

_QUIET = {
    "daphne": "WARNING",
    "uvicorn.access": "WARNING",
    "asyncio": "WARNING",
    "httpx": "WARNING",
    "httpx2": "WARNING",
    "openai": "WARNING",
    "aiohttp.access": "WARNING",
}
_OWN_HANDLERS = ("uvicorn", "uvicorn.error", "uvicorn.access", "daphne", "django", "django.server")


def configure(options: Mapping[str, str]) -> None:
    """Django's `LOGGING_CONFIG`; `options` are `level` and `format` (`json`, `console`, or `auto`)."""
    console = options["format"] == "console" or (options["format"] == "auto" and sys.stderr.isatty())
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            *_shared(),
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )
    logging.config.dictConfig(
        {
            "version": 1,
            "disable_existing_loggers": False,
            "formatters": {"structured": {"()": _formatter, "console": console}},
            "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "structured"}},
            "root": {"handlers": ["stderr"], "level": options["level"]},
            "loggers": {
                **{name: {"handlers": [], "propagate": True} for name in _OWN_HANDLERS},
                **{
                    name: {"handlers": [], "propagate": True, "level": level}
                    for name, level in _QUIET.items()
                },
            },
        }
    )


def _shared() -> list[Processor]:
    return [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_logger_name,
        structlog.stdlib.add_log_level,
        structlog.stdlib.PositionalArgumentsFormatter(),
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]


def _formatter(*, console: bool) -> logging.Formatter:
    render: list[Processor] = (
        # Plain: prettier ones print local variables, and with them secrets and what was said.
        [structlog.dev.ConsoleRenderer(exception_formatter=structlog.dev.plain_traceback)]
        if console
        else [
            structlog.processors.format_exc_info,
            structlog.processors.JSONRenderer(ensure_ascii=False, default=str),
        ]
    )
    return structlog.stdlib.ProcessorFormatter(
        foreign_pre_chain=[*_shared(), structlog.stdlib.ExtraAdder(), _drop_objects],
        processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, *render],
    )


def _drop_objects(_logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
    """Django attaches the whole request to its records; a log line keeps values only."""
    simple: dict[str, Any] = {
        key: value
        for key, value in event.items()
        if key.startswith("_")
        or key == "exc_info"
        or isinstance(value, (str, int, float, bool, list, dict, type(None)))
    }
    return simple
