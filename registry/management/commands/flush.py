"""`flush` empties every table on purpose; on SQLite it deletes row by row, which the triggers refuse."""

from typing import Any

from django.core.management.commands import flush
from django.db import connections

from registry import triggers
from registry.models import AgentVersion


class Command(flush.Command):
    """Django's own `flush`, with the protection of published versions lifted while it runs."""

    def handle(self, **options: Any) -> None:
        connection = connections[options["database"]]
        # PostgreSQL truncates, which no row trigger sees.
        table = AgentVersion._meta.db_table  # noqa: SLF001 - Django documents it
        lifted = connection.vendor == "sqlite" and table in connection.introspection.table_names()
        if not lifted:
            super().handle(**options)
            return
        with connection.cursor() as cursor:
            for statement in triggers.dropping(connection, AgentVersion):
                cursor.execute(statement)
        try:
            super().handle(**options)
        finally:
            with connection.cursor() as cursor:
                for statement in triggers.creating(connection, AgentVersion):
                    cursor.execute(statement)
