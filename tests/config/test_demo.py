"""`manage.py demo`: everything it started ends with it, and its logins work."""

import os
import select
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest

from frontdesk_agent.card import card_from_yaml
from tests.conftest import ROOT, Site


def children(pid: int) -> set[int]:
    """The processes that `pid` started."""
    found = set()
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = status.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == pid:
            found.add(int(status.parent.name))
    return found


def wait_for_end(pids: set[int]) -> None:
    """Returns when all of them have ended; fails after 15 s."""
    for pid in pids:
        try:
            handle = os.pidfd_open(pid)
        except ProcessLookupError:
            continue
        try:
            assert select.select([handle], [], [], 15)[0], f"process {pid} is still there"
        finally:
            os.close(handle)


@pytest.fixture
def demo(tmp_path: Path) -> Iterator[Site]:
    site = Site(tmp_path)
    yield site
    site.stop()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
def test_its_agents_end_with_it(demo: Site, number: signal.Signals) -> None:
    demo.start()
    assert demo.process is not None
    agents = children(demo.process.pid)
    assert len(agents) == 2
    demo.process.send_signal(number)
    demo.process.wait(20)
    wait_for_end(agents)


def test_the_logins_it_prints_work_now_and_after_a_restart(demo: Site) -> None:
    demo.arguments, demo.password = ("--no-agents",), ""
    demo.start()
    first = printed_password(demo)
    assert log_in(demo, "alice", first)

    second = run_demo(demo.data_dir, "--port", "0")
    assert second.returncode == 1
    assert "A demo is running with" in second.stderr

    demo.stop()
    demo.password = ""
    demo.start()
    assert printed_password(demo) == first
    assert log_in(demo, "admin", first)


def test_a_chosen_password_is_kept_and_not_told_until_another_is_given(demo: Site) -> None:
    demo.arguments = ("--no-agents",)
    demo.start().stop()
    chosen, demo.password = demo.password, ""
    demo.start()
    assert "the one chosen before" in "".join(demo.output)
    assert log_in(demo, "alice", chosen)
    demo.stop()
    demo.password = "another one"
    demo.start()
    assert log_in(demo, "bob", "another one")


def printed_password(site: Site) -> str:
    (line,) = (line for line in site.output if line.strip().startswith("Password"))
    return line.split()[-1]


def log_in(site: Site, name: str, password: str) -> bool:
    site.password = password
    with site.client(name) as client:
        return client.get("/chat/").status_code == httpx.codes.OK


def run_demo(data_dir: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "manage.py", "demo", *arguments],
        cwd=ROOT,
        env=Site(data_dir).env,
        capture_output=True,
        text=True,
        timeout=60,
    )


def test_a_port_in_use_gets_a_sentence(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = run_demo(tmp_path, "--port", str(port))
    assert done.returncode == 1
    assert f"Cannot listen on 127.0.0.1 port {port}: Address already in use." in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--port", "99999"), "--port must be from 0 to 65535."),
        (("--port", "-1"), "--port must be from 0 to 65535."),
        (("--password", ""), "--password must not be empty"),
    ],
)
def test_an_argument_that_cannot_be_gets_a_sentence(
    tmp_path: Path, arguments: tuple[str, ...], sentence: str
) -> None:
    done = run_demo(tmp_path, *arguments)
    assert done.returncode == 1
    assert sentence in done.stderr
    assert "Traceback" not in done.stderr


def test_an_agents_port_in_use_moves_its_card(demo: Site) -> None:
    with socket.socket() as taken:
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            taken.bind(("127.0.0.1", 9102))
            taken.listen()
        except OSError:
            pass  # somebody else has it: as good
        demo.start()
    moved = port_of("aftersales_agent", demo)
    assert moved not in (9102, port_of("diagnosis_agent", demo))
    demo.stop()
    demo.start()
    assert port_of("aftersales_agent", demo) == moved


def port_of(name: str, site: Site) -> int | None:
    site.manage("export_cards", name, "--to", str(site.data_dir))
    card = card_from_yaml((site.data_dir / f"{name}.yaml").read_text("utf-8"))
    return urlsplit(card.endpoint or "").port
