"""Is this process alive, and can it do its work? For probes: no login, no detail that helps an attacker."""

from asgiref.sync import sync_to_async
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor
from django.http import HttpRequest, JsonResponse
from django.views.decorators.cache import never_cache


@never_cache
async def livez(request: HttpRequest) -> JsonResponse:
    """200 as long as the process answers."""
    return JsonResponse({"status": "ok"})


@never_cache
async def readyz(request: HttpRequest) -> JsonResponse:
    """200 when runs can be started and stored, else 503 with `reasons`, sentences for an operator."""
    from conversations import runner  # the runner pulls in everything that answers

    reasons = await sync_to_async(database_problems)()
    if not runner.is_ready():
        reasons.append("The runner is not started.")
    if reasons:
        return JsonResponse({"status": "unavailable", "reasons": reasons}, status=503)
    return JsonResponse({"status": "ok"})


def database_problems() -> list[str]:
    try:
        return list(_schema.problems())
    except DatabaseError:
        return ["The database does not answer."]


class _Schema:
    """Comparing all migrations is slow: once they are applied, a probe only asks the database to answer."""

    def __init__(self) -> None:
        self._is_current = False

    def problems(self) -> list[str]:
        if self._is_current:
            with connection.cursor() as cursor:
                cursor.execute("SELECT 1")
            return []
        executor = MigrationExecutor(connection)
        plan = executor.migration_plan(executor.loader.graph.leaf_nodes())
        self._is_current = not plan
        return [f"{len(plan)} migrations are not applied."] if plan else []


_schema = _Schema()
