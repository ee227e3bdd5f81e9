"""Logs are one JSON object a line, on standard error, whoever writes them."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
SETUP = """
import logging
import structlog
from config.logging import configure
configure({"level": "INFO", "format": "%s"})
"""


def lines(code: str, form: str = "json") -> str:
    done = subprocess.run(
        [sys.executable, "-c", SETUP % form + code],
        env={**os.environ, "PYTHONPATH": str(ROOT / "platform")},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == ""
    return done.stderr


def logged(code: str) -> dict[str, Any]:
    (line,) = lines(code).splitlines()
    return dict(json.loads(line))


def test_fields_given_by_keyword_and_by_context() -> None:
    line = logged(
        "structlog.contextvars.bind_contextvars(trace_id='t', session_id='s')\n"
        "structlog.get_logger('conversations').info('run_finished', agent_name='诊断', latency_ms=12)\n"
    )
    assert line.pop("timestamp").endswith("Z")
    assert line == {
        "event": "run_finished",
        "level": "info",
        "logger": "conversations",
        "trace_id": "t",
        "session_id": "s",
        "agent_name": "诊断",
        "latency_ms": 12,
    }


def test_the_standard_library_is_structured_too() -> None:
    line = logged(
        "structlog.contextvars.bind_contextvars(trace_id='t')\n"
        "logging.getLogger('django.request').warning('Not Found: %s', '/x',"
        " extra={'status_code': 404, 'request': object()})\n"
    )
    assert (line["event"], line["status_code"], line["trace_id"]) == ("Not Found: /x", 404, "t")
    assert "request" not in line


def test_a_traceback_is_one_field() -> None:
    line = logged(
        "secret = 'hunter2'\n"
        "try:\n    1 / 0\n"
        "except ZeroDivisionError:\n    structlog.get_logger().exception('failed')\n"
    )
    assert "ZeroDivisionError" in line["exception"]
    assert "hunter2" not in json.dumps(line)


def test_the_level_holds_for_everybody() -> None:
    assert lines("structlog.get_logger('a').debug('no')\nlogging.getLogger('b').debug('no')\n") == ""


def test_servers_do_not_log_each_request() -> None:
    code = "for name in ('daphne.http_protocol', 'uvicorn.access'): logging.getLogger(name).info('GET /')\n"
    assert lines(code) == ""


def test_a_person_reads_lines() -> None:
    assert "run_finished" in lines("structlog.get_logger().info('run_finished', n=1)\n", "console")
