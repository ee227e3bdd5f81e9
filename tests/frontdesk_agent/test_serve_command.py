"""`python -m frontdesk_agent serve`, as a process of its own."""

import os
import select
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from frontdesk_agent.__main__ import main

PLATFORM = Path(__file__).resolve().parents[2] / "platform"
WAIT_S = 30
MODULE = """
import time
from frontdesk_agent import agent_app

async def agent(request):
    return "you said " + request.input

app = agent_app(agent, name="echo_agent")
number = 7

class Holder:
    agent = staticmethod(agent)

async def raw(scope, receive, send):
    await send({"type": "http.response.start", "status": 204, "headers": []})
    await send({"type": "http.response.body"})
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("agent")
    (folder / "my_agent.py").write_text(MODULE)
    (folder / "broken.py").write_text("import not_installed_anywhere\n")
    return folder


def start(folder: Path, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "frontdesk_agent", "serve", *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(PLATFORM)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@contextmanager
def ready(folder: Path, *arguments: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    with start(folder, *arguments, "--port", "0") as process:
        try:
            assert process.stdout
            assert select.select([process.stdout], [], [], WAIT_S)[0]
            yield process, process.stdout.readline()
        finally:
            process.kill()


@pytest.mark.parametrize(
    ("target", "name"),
    [
        ("my_agent:agent", "agent"),
        ("my_agent:app", "echo_agent"),
        ("my_agent:Holder.agent", "agent"),
        ("my_agent:raw", "raw"),
    ],
)
def test_the_ready_line_tells_the_truth(folder: Path, target: str, name: str) -> None:
    with ready(folder, target) as (_, line):
        assert line.startswith(f"serving {name} on http://127.0.0.1:")
        with urllib.request.urlopen(f"{line.split()[-1]}/health", timeout=WAIT_S) as response:
            assert response.status in {200, 204}


def test_it_ends_with_its_parent(folder: Path) -> None:
    with ready(folder, "my_agent:app", "--exit-with-parent") as (process, _):
        assert process.stdin
        process.stdin.close()
        assert process.wait(WAIT_S) == 0
        assert process.stderr
        assert process.stderr.read() == ""


def test_it_stays_without_that_wish(folder: Path) -> None:
    with ready(folder, "my_agent:app") as (process, line):
        assert process.stdin
        process.stdin.close()
        urllib.request.urlopen(f"{line.split()[-1]}/health", timeout=WAIT_S).close()
        assert process.poll() is None


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_signals_end_it_quietly(folder: Path, number: signal.Signals) -> None:
    with ready(folder, "my_agent:app") as (process, _):
        process.send_signal(number)
        process.wait(WAIT_S)
        assert process.stderr
        assert "Traceback" not in process.stderr.read()


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["my_agent"], "not of the form module:object"),
        (["nowhere:agent"], "no module 'nowhere'"),
        (["my_agent:nothing"], "has no 'nothing'"),
        (["my_agent:number"], "not int"),
        (["my_agent:agent", "--secret-ref", "hunter2"], "must name a secret"),
        (["my_agent:app", "--secret-ref", "AGENT_SECRET_X"], "has its own"),
        (["my_agent:agent", "--host", "192.0.2.1"], "cannot listen on 192.0.2.1"),
        (["my_agent:agent", "--port", "99999"], "cannot listen on"),
    ],
)
def test_mistakes_get_a_sentence(
    folder: Path,
    arguments: list[str],
    says: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.syspath_prepend(folder)
    assert main(["serve", *arguments]) == 2
    errors = capsys.readouterr().err
    assert errors.startswith("frontdesk_agent: ")
    assert says in errors
    assert "hunter2" not in errors


def test_a_fault_inside_the_module_is_shown_as_it_is(folder: Path) -> None:
    with start(folder, "broken:agent") as process:
        _, errors = process.communicate(timeout=WAIT_S)
    assert "not_installed_anywhere" in errors
    assert process.returncode == 1
