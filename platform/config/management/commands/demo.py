"""`manage.py demo`: the whole product on this machine, ready to be talked to."""

import fcntl
import os
import secrets
import socket
from argparse import ArgumentParser
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.db import connections

from config.demo.agents import SampleAgents
from config.demo.cards import load_cards
from config.demo.people import ensure_people
from config.demo.ports import listen_address
from config.demo.serving import Site
from config.env import make_private

SECRET = "AGENT_SECRET_DIAGNOSIS"  # noqa: S105 - a name, not a secret
EVERYWHERE = ("0.0.0.0", "::")  # noqa: S104 - only when asked for


class Command(BaseCommand):
    help = "Prepares a database with sample agents and logins, serves, and prints the address when ready."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--host", default="127.0.0.1", help="where to listen (default: this machine only)"
        )
        parser.add_argument("--port", type=int, default=8000, help="0 picks a free one (default: 8000)")
        parser.add_argument("--no-agents", action="store_true", help="load no sample cards, start no agents")
        parser.add_argument("--password", help="for admin, alice and bob (default: one is made and printed)")

    def handle(self, *args: Any, **options: Any) -> None:
        if not 0 <= options["port"] <= 65_535:
            raise CommandError("--port must be from 0 to 65535.")
        if options["password"] == "":
            raise CommandError("--password must not be empty: nobody could log in with it.")
        with one_demo_only(), SampleAgents() as agents:
            listener = listen(options["host"], options["port"])
            call_command("migrate", interactive=False, verbosity=0)
            password = ensure_people(
                password=options["password"], remembered=settings.DATA_DIR / "demo_password"
            )
            if not options["no_agents"]:
                os.environ.setdefault(SECRET, secrets.token_urlsafe(32))
                load_cards(settings.BASE_DIR / "registry" / "agents")
                agents.start()
            connections.close_all()
            site = Site(options["host"], listener)
            site.serve(lambda: self._announce(site, agents, password))
        if site.failure:
            raise CommandError(site.failure)

    def _announce(self, site: Site, agents: SampleAgents, password: str | None) -> None:
        agents.wait_until_ready()
        told = password or "the one chosen before (set another with --password)"
        self.stdout.write(
            f"\nFrontdesk is ready at {site.url}\n\n"
            f"  Log in as   alice or bob, or as admin (who also has {site.url}admin/)\n"
            f"  Password    {told}\n\n"
            "Ctrl+C ends it, and the sample agents with it."
        )
        self.stdout.flush()


@contextmanager
def one_demo_only() -> Iterator[None]:
    """Two demos over one database would take each other's sample agents away."""
    make_private(settings.DATA_DIR)
    with (settings.DATA_DIR / "demo.lock").open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise CommandError(
                f"A demo is running with {settings.DATA_DIR} already: end it, or set another DATA_DIR."
            ) from None
        yield


def listen(host: str, port: int) -> socket.socket:
    """The address, kept from others while everything else is prepared."""
    settings.ALLOWED_HOSTS.append("*" if host in EVERYWHERE else host)
    try:
        return listen_address(host, port)
    except OSError as error:
        raise CommandError(
            f"Cannot listen on {host} port {port}: {error.strerror}. Choose another with --port."
        ) from None
