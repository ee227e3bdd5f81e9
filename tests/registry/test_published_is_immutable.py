"""A published version never changes: not by a row, a queryset, raw SQL or a cascade."""

import pytest
from django.core.management import call_command
from django.db import IntegrityError, connection, transaction
from django.db.models import ProtectedError

from registry.errors import ImmutableVersionError
from registry.models import Agent, AgentVersion
from registry.services import discard_draft, publish, save_draft


def test_saving_a_published_row_is_refused(live):
    version = live().live
    version.description = "something else"
    with pytest.raises(ImmutableVersionError, match=r"diagnosis_agent 1\.0\.0 is published"):
        version.save()


def test_an_object_that_claims_to_be_a_draft_is_refused_too(live):
    version = live().live
    version.state = AgentVersion.State.DRAFT
    with pytest.raises(ImmutableVersionError):
        version.save()


def test_deleting_is_refused_by_row_queryset_and_cascade(live):
    agent = live()
    with pytest.raises(ImmutableVersionError):
        agent.live.delete()
    with pytest.raises(ImmutableVersionError):
        agent.versions.all().delete()
    with pytest.raises(ProtectedError):
        agent.delete()


@pytest.mark.parametrize("change", [{"description": "x"}, {"state": "draft"}, {"note": "x"}])
def test_updating_a_queryset_that_holds_a_published_row_is_refused(live, draft, change):
    live()
    draft(name="other_agent")
    with pytest.raises(ImmutableVersionError):
        AgentVersion.objects.update(**change)
    with pytest.raises(ImmutableVersionError):
        AgentVersion.objects.filter(agent__name="diagnosis_agent").update(**change)
    assert AgentVersion.objects.filter(agent__name="other_agent").update(**change) == 1


def test_bulk_update_is_refused(live):
    version = live().live
    version.description = "x"
    with pytest.raises(ImmutableVersionError):
        AgentVersion.objects.bulk_update([version], ["description"])


def test_services_refuse(live, card):
    version = live().live
    for attempt in (
        lambda: save_draft(draft=version, card=card(description="x y z"), by=None),
        lambda: discard_draft(draft=version, by=None),
        lambda: publish(version=version, by=None),
    ):
        with pytest.raises(ImmutableVersionError):
            attempt()


def raw(sql: str) -> None:
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(sql)


@pytest.mark.parametrize(
    "change",
    ["description = 'x'", "version = '9.0.0'", "capabilities = '[]'", "published_by_id = NULL, note = 'x'",
     "state = 'draft'", "published_at = NULL"],
)  # fmt: skip
def test_the_database_refuses_raw_sql(live, change):
    version = live().live
    with pytest.raises(IntegrityError):
        raw(f"UPDATE registry_agentversion SET {change} WHERE id = {version.pk}")
    version.refresh_from_db()
    assert version.description.startswith("Explains")


def test_the_database_refuses_a_raw_delete_and_allows_a_draft_s(live, draft):
    version, other = live().live, draft(name="other_agent")
    with pytest.raises(IntegrityError):
        raw("DELETE FROM registry_agentversion")
    raw(f"UPDATE registry_agentversion SET description = 'x' WHERE id = {other.pk}")
    raw(f"DELETE FROM registry_agentversion WHERE id = {other.pk}")
    assert list(AgentVersion.objects.all()) == [version]


def test_the_database_lets_a_later_state_be_set(live):
    version = live().live
    raw(f"UPDATE registry_agentversion SET state = 'retired' WHERE id = {version.pk}")
    with pytest.raises(IntegrityError):
        raw(f"UPDATE registry_agentversion SET state = 'draft' WHERE id = {version.pk}")


def test_an_agent_with_drafts_only_can_be_deleted(draft):
    draft().agent.delete()
    assert not Agent.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_the_migration_can_be_taken_back_and_applied_again(live):
    version = live().live
    call_command("migrate", "registry", "0001", verbosity=0)
    try:
        raw(f"UPDATE registry_agentversion SET note = 'open' WHERE id = {version.pk}")
    finally:
        call_command("migrate", "registry", verbosity=0)
    with pytest.raises(IntegrityError):
        raw(f"UPDATE registry_agentversion SET note = 'closed' WHERE id = {version.pk}")


@pytest.mark.django_db(transaction=True)
def test_flush_empties_everything_and_leaves_the_protection_in_place(live):
    live()
    call_command("flush", interactive=False, verbosity=0)
    assert not AgentVersion.objects.exists()
    version = live().live
    with pytest.raises(IntegrityError):
        raw(f"DELETE FROM registry_agentversion WHERE id = {version.pk}")


def test_the_database_refuses_to_rename_an_agent_that_was_ever_live(live, draft):
    agent, other = live(), draft(name="other_agent").agent
    raw(f"UPDATE registry_agent SET name = 'free_agent' WHERE id = {other.pk}")
    for live_id in (agent.live_id, "NULL"):
        raw(f"UPDATE registry_agent SET live_id = {live_id} WHERE id = {agent.pk}")
        with pytest.raises(IntegrityError):
            raw(f"UPDATE registry_agent SET name = 'taken_over' WHERE id = {agent.pk}")
    raw(f"UPDATE registry_agent SET name = name, owner = 'x' WHERE id = {agent.pk}")
    assert {found.name for found in Agent.objects.all()} == {"diagnosis_agent", "free_agent"}


@pytest.mark.django_db(transaction=True)
def test_that_migration_can_be_taken_back_and_applied_again(live):
    agent = live()
    call_command("migrate", "registry", "0003", verbosity=0)
    try:
        raw(f"UPDATE registry_agent SET name = 'open_agent' WHERE id = {agent.pk}")
    finally:
        call_command("migrate", "registry", verbosity=0)
    with pytest.raises(IntegrityError):
        raw(f"UPDATE registry_agent SET name = 'closed_agent' WHERE id = {agent.pk}")
