"""Write cards as YAML files, one a file."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from frontdesk_agent.errors import FrontdeskError
from registry.services import export_cards


class Command(BaseCommand):
    help = "Write the live cards of these agents (of all, when none is named) to DIR/<name>.yaml."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("names", nargs="*", metavar="NAME")
        parser.add_argument("--to", required=True, type=Path, metavar="DIR")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            exported = export_cards(names=options["names"] or None)
        except FrontdeskError as error:
            raise CommandError(error.message) from error
        folder: Path = options["to"]
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in exported.cards.items():
            (folder / f"{name}.yaml").write_text(text, encoding="utf-8")
        self.stdout.write(f"{len(exported.cards)} cards written to {folder}")
        if exported.broken:
            lines = [f"  {name}: {why}" for name, why in exported.broken.items()]
            raise CommandError("Not written, because they break a rule:\n" + "\n".join(lines))
