"""Bring cards in from YAML files: all of them, or none with every error listed."""

from argparse import ArgumentParser
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from frontdesk_agent.card import AgentCard, CardError, cards_from_yaml
from registry.services import Change, ImportRefusedError, import_cards


class Command(BaseCommand):
    help = "Import agent cards. Shows what changes; a card that is there already changes nothing."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "paths", nargs="+", type=Path, metavar="PATH", help="a YAML file, or a folder of them"
        )
        parser.add_argument(
            "--dry-run", action="store_true", help="show what would change, and change nothing"
        )
        parser.add_argument(
            "--publish", action="store_true", help="publish new versions, so that they are live"
        )
        parser.add_argument(
            "--allow-secrets", action="store_true", help="let each agent use the secret that its card names"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        cards, errors = read_cards(options["paths"])
        try:
            # Tried even when files are broken, so that one call shows everything there is to mend.
            changes = import_cards(
                cards=cards,
                by=None,
                publish_them=options["publish"],
                allow_secrets=options["allow_secrets"],
                create_tags=True,
                dry_run=options["dry_run"] or bool(errors),
            )
        except ImportRefusedError as refused:
            errors += refused.errors
        if errors:
            raise CommandError("Nothing was imported:\n" + "\n".join(f"  {error}" for error in errors))
        self._show(changes, dry_run=options["dry_run"])

    def _show(self, changes: Iterable[Change], *, dry_run: bool) -> None:
        for change in changes:
            state = ", published" if change.published else ""
            self.stdout.write(f"{change.card.name} {change.card.version}: {change.action}{state}")
            for warning in change.warnings:
                self.stdout.write(self.style.WARNING(f"  note: {warning}"))
            if change.diff:
                self.stdout.write(change.diff)
        if dry_run:
            self.stdout.write("This was a dry run: nothing was changed.")


def read_cards(paths: Iterable[Path]) -> tuple[list[AgentCard], list[str]]:
    """All the cards in `paths`, and everything that is wrong with the files, one sentence each."""
    cards: list[AgentCard] = []
    errors: list[str] = []
    for path in paths:
        found = list(_files(path))
        if not found:
            errors.append(f"{path}: there is no such file, and no .yaml file in such a folder.")
        for file in found:
            try:
                cards += cards_from_yaml(file.read_text(encoding="utf-8"))
            except CardError as error:
                errors += [
                    f"{file}{f', line {e.line}' if e.line else ''}: {e.message}." for e in error.errors
                ]
            except (OSError, UnicodeDecodeError):
                errors.append(f"{file}: cannot be read as UTF-8 text.")
    return cards, errors


def _files(path: Path) -> Iterator[Path]:
    if path.is_dir():
        yield from sorted(file for file in path.iterdir() if file.suffix in {".yaml", ".yml"})
    elif path.is_file():
        yield path
