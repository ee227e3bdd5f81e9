"""The database itself refuses to change or delete a published version, whoever asks.

`state` may still move (a published version can be superseded or retired), but never back to draft.
SQLite rebuilds a table, without its triggers, whenever a migration alters it: such a migration of
AgentVersion ends with `RunPython(install, remove)` again.
"""

from typing import Any

from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

UPDATE, DELETE, FUNCTION = (
    "registry_version_no_update",
    "registry_version_no_delete",
    "registry_version_immutable",
)
REFUSAL = "a published version can never change"


def install(apps: Any, editor: BaseDatabaseSchemaEditor) -> None:
    """Create the triggers, or bring them up to date with the table's columns. For SQLite and PostgreSQL."""
    model = apps.get_model("registry", "AgentVersion")
    for statement in [*dropping(editor.connection, model), *creating(editor.connection, model)]:
        editor.execute(statement)


def remove(apps: Any, editor: BaseDatabaseSchemaEditor) -> None:
    """Drop the triggers, where there are any."""
    for statement in dropping(editor.connection, apps.get_model("registry", "AgentVersion")):
        editor.execute(statement)


def creating(connection: BaseDatabaseWrapper, model: Any) -> list[str]:
    """The statements that protect the table of `model`; none for other databases."""
    quote, meta = connection.ops.quote_name, model._meta  # noqa: SLF001 - Django documents it
    columns = [quote(field.column) for field in meta.local_concrete_fields if field.name != "state"]
    make = {"sqlite": _sqlite, "postgresql": _postgresql}.get(connection.vendor)
    return make(quote(meta.db_table), columns) if make else []


def dropping(connection: BaseDatabaseWrapper, model: Any) -> list[str]:
    """The statements that lift the protection again."""
    if connection.vendor == "sqlite":
        return [f"DROP TRIGGER IF EXISTS {name}" for name in (UPDATE, DELETE)]
    if connection.vendor == "postgresql":
        table = connection.ops.quote_name(model._meta.db_table)  # noqa: SLF001 - Django documents it
        return [
            *(f"DROP TRIGGER IF EXISTS {name} ON {table}" for name in (UPDATE, DELETE)),
            f"DROP FUNCTION IF EXISTS {FUNCTION}()",
        ]
    return []


def _sqlite(table: str, columns: list[str]) -> list[str]:
    changed = " OR ".join(f"NEW.{c} IS NOT OLD.{c}" for c in columns)
    refuse = f"BEGIN SELECT RAISE(ABORT, '{REFUSAL}'); END"
    frozen = f"OLD.state <> 'draft' AND (NEW.state = 'draft' OR {changed})"
    return [
        f"CREATE TRIGGER {UPDATE} BEFORE UPDATE ON {table} WHEN {frozen} {refuse}",
        f"CREATE TRIGGER {DELETE} BEFORE DELETE ON {table} WHEN OLD.state <> 'draft' {refuse}",
    ]


def _postgresql(table: str, columns: list[str]) -> list[str]:
    changed = " OR ".join(f"NEW.{c} IS DISTINCT FROM OLD.{c}" for c in columns)
    refuse = f"RAISE EXCEPTION '{REFUSAL}' USING ERRCODE = 'integrity_constraint_violation';"
    frozen = f"OLD.state <> 'draft' AND (NEW.state = 'draft' OR {changed})"
    call = f"EXECUTE FUNCTION {FUNCTION}()"
    return [
        f"CREATE FUNCTION {FUNCTION}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN {refuse} END $$",
        f"CREATE TRIGGER {UPDATE} BEFORE UPDATE ON {table} FOR EACH ROW WHEN ({frozen}) {call}",
        f"CREATE TRIGGER {DELETE} BEFORE DELETE ON {table} FOR EACH ROW WHEN (OLD.state <> 'draft') {call}",
    ]
