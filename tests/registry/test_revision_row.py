"""The one row that every change of the registry locks."""

import threading

import pytest
from django.core.management import call_command
from django.db import DatabaseError, connection, transaction

from registry.models import RegistryState


@pytest.mark.django_db(transaction=True)
def test_the_row_comes_with_the_migrations():
    call_command("migrate", "registry", "0002", verbosity=0)
    RegistryState.objects.all().delete()
    call_command("migrate", "registry", verbosity=0)
    assert RegistryState.objects.get().pk == RegistryState.ROW


@pytest.mark.django_db(transaction=True)
def test_many_first_changes_at_once_are_all_counted():
    RegistryState.objects.all().delete()
    ready, failed = threading.Barrier(6), []

    def change() -> None:
        try:
            connection.ensure_connection()
            ready.wait(timeout=10)
            with transaction.atomic():
                RegistryState.bump()
        except DatabaseError as error:
            failed.append(error)
        finally:
            connection.close()

    threads = [threading.Thread(target=change) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []
    assert RegistryState.objects.get().revision == 6
