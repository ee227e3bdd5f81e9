"""The sample agents that are programs of their own: started by the demo, ended with it."""

import os
import subprocess
import sys
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import IO, Final, Self

from django.conf import settings
from django.core.management.base import CommandError

from config.demo.cards import live_card, local_port, move_to_port
from config.demo.ports import free_port, is_free

START_TIMEOUT_S: Final = 30.0
END_TIMEOUT_S: Final = 5.0


@dataclass(frozen=True)
class Sample:
    """An agent by its card's `name`, and what to serve for it."""

    name: str
    target: str


SAMPLES: Final = (
    Sample("diagnosis_agent", "sample_agents.diagnosis:app"),
    Sample("aftersales_agent", "sample_agents.aftersales:app"),
)


class SampleAgents:
    """A context: whatever was started in it has ended when it is left.

    Should this process be killed, its agents read the end of their standard input and end by themselves.
    """

    def __init__(self) -> None:
        self._running: list[_Process] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for process in self._running:
            process.terminate()
        for process in self._running:
            process.wait()

    def start(self, samples: tuple[Sample, ...] = SAMPLES) -> None:
        """Starts each sample on the port its live card names, or moves its card to a free one."""
        for sample in samples:
            port = _place(sample)
            if port is not None:
                self._running.append(_Process(sample, port, _environment()))

    def wait_until_ready(self) -> None:
        """Raises CommandError, naming the agent that did not come up."""
        for process in self._running:
            process.wait_until_ready()


def _environment() -> Mapping[str, str]:
    path = os.pathsep.join((str(settings.BASE_DIR), str(settings.BASE_DIR / "platform")))
    return {**os.environ, "PYTHONPATH": path, "AFTERSALES_DB": str(settings.DATA_DIR / "aftersales.sqlite3")}


def _place(sample: Sample) -> int | None:
    card = live_card(sample.name)
    port = local_port(card) if card else None
    if card is None or port is None or is_free("127.0.0.1", port):
        return port
    port = free_port("127.0.0.1")
    move_to_port(card, port)
    return port


class _Process:
    def __init__(self, sample: Sample, port: int, environment: Mapping[str, str]) -> None:
        self._name = sample.name
        self._ready = threading.Event()
        self._ending = False
        command = [sys.executable, "-m", "frontdesk_agent", "serve", sample.target]
        self._process = subprocess.Popen(  # noqa: S603 - our own module
            [*command, "--port", str(port), "--exit-with-parent"],
            env=environment,
            cwd=settings.BASE_DIR,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,  # Ctrl+C is for the demo, which ends its agents after the runs
        )
        threading.Thread(target=self._follow, args=(self._process.stdout,), daemon=True).start()

    def _follow(self, output: IO[str]) -> None:
        for line in output:
            if line.startswith("serving "):
                self._ready.set()
        code = self._process.wait()
        if not self._ending:
            sys.stderr.write(f"The sample agent {self._name} has ended by itself (exit code {code}).\n")
        self._ready.set()

    def wait_until_ready(self) -> None:
        came = self._ready.wait(START_TIMEOUT_S)
        if not came or self._process.poll() is not None:
            raise CommandError(f"The sample agent {self._name} did not start; what it said is above.")

    def terminate(self) -> None:
        self._ending = True
        self._process.terminate()

    def wait(self) -> None:
        try:
            self._process.wait(END_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
