"""The database itself refuses to change or delete a published version, and to rename its agent, whoever asks.

`state` may still move (a published version can be superseded or retired), but never back to draft.
SQLite rebuilds a table, without its triggers, whenever a migration alters it: such a migration of Agent or
AgentVersion begins with `RunPython(remove_name, install_name)`, because the trigger on names reads both
tables, and ends with `RunPython(install_name, remove_name)`; one of AgentVersion ends with
`RunPython(install, remove)` too.
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
RENAME, RENAME_FUNCTION = "registry_agent_no_rename", "registry_agent_name_immutable"
RENAME_REFUSAL = "the name of an agent that was published never changes"


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


def install_name(apps: Any, editor: BaseDatabaseSchemaEditor) -> None:
    """Create the trigger that keeps the names of published agents, or replace it."""
    remove_name(apps, editor)
    quote = editor.connection.ops.quote_name
    agent, version = (
        quote(apps.get_model("registry", name)._meta.db_table)  # noqa: SLF001 - Django documents it
        for name in ("Agent", "AgentVersion")
    )
    published = f"EXISTS (SELECT 1 FROM {version} WHERE agent_id = OLD.id AND state <> 'draft')"  # noqa: S608
    make = {"sqlite": _sqlite_name, "postgresql": _postgresql_name}.get(editor.connection.vendor)
    for statement in make(agent, published) if make else []:
        editor.execute(statement)


def remove_name(apps: Any, editor: BaseDatabaseSchemaEditor) -> None:
    """Drop that trigger, where it is."""
    agent = editor.connection.ops.quote_name(apps.get_model("registry", "Agent")._meta.db_table)  # noqa: SLF001
    if editor.connection.vendor == "sqlite":
        editor.execute(f"DROP TRIGGER IF EXISTS {RENAME}")
    elif editor.connection.vendor == "postgresql":
        editor.execute(f"DROP TRIGGER IF EXISTS {RENAME} ON {agent}")
        editor.execute(f"DROP FUNCTION IF EXISTS {RENAME_FUNCTION}()")


def _sqlite_name(table: str, published: str) -> list[str]:
    renamed = f"NEW.name <> OLD.name AND {published}"
    refuse = f"BEGIN SELECT RAISE(ABORT, '{RENAME_REFUSAL}'); END"
    return [f"CREATE TRIGGER {RENAME} BEFORE UPDATE OF name ON {table} WHEN {renamed} {refuse}"]


def _postgresql_name(table: str, published: str) -> list[str]:
    # The condition of a trigger may hold no query there; its function may.
    refuse = f"RAISE EXCEPTION '{RENAME_REFUSAL}' USING ERRCODE = 'integrity_constraint_violation';"
    body = f"BEGIN IF {published} THEN {refuse} END IF; RETURN NEW; END"
    when = f"FOR EACH ROW WHEN (NEW.name <> OLD.name) EXECUTE FUNCTION {RENAME_FUNCTION}()"
    return [
        f"CREATE FUNCTION {RENAME_FUNCTION}() RETURNS trigger LANGUAGE plpgsql AS $$ {body} $$",
        f"CREATE TRIGGER {RENAME} BEFORE UPDATE OF name ON {table} {when}",
    ]
