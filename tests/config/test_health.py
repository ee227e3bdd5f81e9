"""`/livez` says that the process answers, `/readyz` that it can work, and if not, why."""

from typing import Any

import pytest
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder
from django.test import Client

from config import health
from tests.conftest import Site, SiteFactory


@pytest.fixture(autouse=True)
def fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(health, "_schema", health._Schema())


def ready(client: Client) -> tuple[int, Any]:
    answer = client.get("/readyz")
    assert "no-cache" in answer.headers["Cache-Control"]
    return answer.status_code, answer.json()


def test_alive_without_a_database(client: Client) -> None:
    answer = client.get("/livez")
    assert (answer.status_code, answer.json()) == (200, {"status": "ok"})


@pytest.mark.django_db
def test_not_ready_before_the_runner_is(client: Client) -> None:
    assert ready(client) == (503, {"status": "unavailable", "reasons": ["The runner is not started."]})


@pytest.mark.django_db
def test_not_ready_while_migrations_are_missing(client: Client) -> None:
    MigrationRecorder(connection).migration_qs.filter(app="sessions").delete()
    status, answer = ready(client)
    assert status == 503
    assert "1 migrations are not applied." in answer["reasons"]


@pytest.mark.django_db
def test_a_probe_of_a_current_database_costs_one_query(
    client: Client, django_assert_num_queries: Any
) -> None:
    ready(client)
    with django_assert_num_queries(1):
        assert health.database_problems() == []


def test_ready_as_soon_as_it_serves(make_site: SiteFactory) -> None:
    site: Site = make_site()
    with site.client("alice") as client:
        answer = client.get("/readyz")
    assert (answer.status_code, answer.json()) == (200, {"status": "ok"})


def test_ready_on_postgresql(make_site: SiteFactory, postgres_url: str) -> None:
    import psycopg

    name = "frontdesk_site_test"
    with psycopg.connect(postgres_url, autocommit=True) as admin:
        admin.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")
        admin.execute(f"CREATE DATABASE {name}")
    url = postgres_url.rpartition("/")[0] + f"/{name}"
    site = make_site(DATABASE_URL=url, SECRET_KEY="only-for-tests-0123456789-abcdefghijk")
    with site.client("alice") as client:
        assert client.get("/readyz").json() == {"status": "ok"}
    site.stop()
    with psycopg.connect(postgres_url, autocommit=True) as admin:
        admin.execute(f"DROP DATABASE {name}")
