"""Who may reach which agents, and the directory that is kept for them."""

import threading

import pytest
from django.contrib.auth.models import AnonymousUser, Group
from django.db import connection, transaction
from django.db.models import ProtectedError

from registry import services
from registry.directories import LIMIT, _kept
from registry.models import RegistryState
from registry.selectors import directory_for, reachable_agents

pytestmark = pytest.mark.django_db


def names(person) -> set[str]:
    directory = directory_for(person)
    found = {entry.name for entry in directory}
    assert found == set(reachable_agents(person).values_list("name", flat=True))
    return found


def test_groups_decide_who_reaches_what(live, alice, bob, boss, workshop):
    live("open_agent")
    live("workshop_agent", groups=[workshop])
    live("board_agent", groups=[Group.objects.create(name="board")])
    assert names(alice) == {"open_agent", "workshop_agent"}
    assert names(bob) == {"open_agent"}
    assert names(boss) == {"open_agent", "workshop_agent", "board_agent"}
    assert names(AnonymousUser()) == set()
    bob.is_active = False
    assert names(bob) == set()


def test_drafts_and_disabled_agents_are_in_nobody_s(live, draft, boss):
    draft(name="draft_agent")
    agent = live("open_agent")
    assert names(boss) == {"open_agent"}
    services.set_enabled(agent=agent, enabled=False, by=None)
    assert names(boss) == set()


def test_a_group_that_guards_an_agent_cannot_be_deleted(live, workshop):
    live(groups=[workshop])
    with pytest.raises(ProtectedError):
        workshop.delete()


def test_joining_a_group_counts_at_once(live, bob, workshop):
    live(groups=[workshop])
    assert names(bob) == set()
    bob.groups.add(workshop)
    assert names(bob) == {"diagnosis_agent"}


def test_the_general_agent_is_the_fallback_of_those_who_reach_it(live, alice, bob, workshop):
    live("general_agent", groups=[workshop])
    assert directory_for(alice).fallback == "general_agent"
    assert directory_for(bob).fallback is None


def test_an_entry_may_use_its_secret_only_when_allowed(live, bob):
    agent = live(auth={"type": "bearer", "secret_ref": "AGENT_SECRET_A"})
    assert not directory_for(bob).get("diagnosis_agent").secret_allowed
    services.set_allowed_secrets(agent=agent, refs=["AGENT_SECRET_B"], by=None)
    assert not directory_for(bob).get("diagnosis_agent").secret_allowed
    services.set_allowed_secrets(agent=agent, refs=["AGENT_SECRET_A"], by=None)
    assert directory_for(bob).get("diagnosis_agent").secret_allowed


def test_the_directory_holds_the_agent_s_owner_tags_and_parent_of_now(live, card, bob):
    live("head_agent")
    agent = live(owner="old@example.org")
    services.set_agent_fields(agent=agent, card=card(owner="new@example.org", parent="head_agent"), by=None)
    found = directory_for(bob).get("diagnosis_agent").card
    assert (found.owner, found.parent) == ("new@example.org", "head_agent")


def test_a_kept_directory_costs_two_queries_and_one_for_a_superuser(
    live, alice, bob, boss, django_assert_num_queries
):
    live()
    first = directory_for(bob)
    with django_assert_num_queries(2):
        assert directory_for(bob) is first
    directory_for(boss)
    with django_assert_num_queries(1):
        directory_for(boss)


def test_building_one_costs_the_same_however_many_agents(live, bob, django_assert_num_queries):
    for number in range(8):
        live(f"agent_{number}", tags=["vehicle"], parent="agent_0" if number else None)
    with django_assert_num_queries(4):
        assert len(directory_for(bob)) == 8


def test_people_with_the_same_groups_share_one(live, alice, bob, workshop):
    live()
    assert directory_for(alice) is not directory_for(bob)
    bob.groups.add(workshop)
    assert directory_for(alice) is directory_for(bob)


@pytest.mark.parametrize(
    "change",
    ["publish", "enabled", "groups", "owner_user", "secrets", "fields", "draft"],
)
def test_every_change_that_counts_makes_a_new_revision(live, card, workshop, alice, change):
    agent = live(tags=["vehicle"])
    draft = services.new_draft_from(version=agent.live, by=None)
    before = RegistryState.current()
    {
        "publish": lambda: services.publish(version=draft, by=None),
        "enabled": lambda: services.set_enabled(agent=agent, enabled=False, by=None),
        "groups": lambda: services.update_agent(agent=agent, by=None, groups=[workshop]),
        "owner_user": lambda: services.update_agent(agent=agent, by=None, owner_user=alice),
        "secrets": lambda: services.set_allowed_secrets(agent=agent, refs=["AGENT_SECRET_A"], by=None),
        "fields": lambda: services.set_agent_fields(agent=agent, card=card(owner="x@example.org"), by=None),
        "draft": lambda: services.discard_draft(draft=draft, by=None),
    }[change]()
    assert RegistryState.current() != before


def test_a_refused_change_leaves_the_revision_alone(live):
    agent = live()
    before = RegistryState.current()
    with pytest.raises(Exception, match="never change"):
        services.publish(version=agent.live, by=None)
    assert RegistryState.current() == before


def test_a_revision_that_was_rolled_back_never_comes_again(live, bob):
    agent = live()
    with transaction.atomic():
        services.set_enabled(agent=agent, enabled=False, by=None)
        assert len(directory_for(bob)) == 0
        transaction.set_rollback(True)
    agent.refresh_from_db()
    assert len(directory_for(bob)) == 1
    services.update_agent(agent=agent, by=None, team=None)
    assert len(directory_for(bob)) == 1


def test_few_are_kept(live, bob):
    live()
    for number in range(LIMIT + 5):
        bob.groups.set([Group.objects.create(name=f"group {number}")])
        directory_for(bob)
    assert len(_kept) == LIMIT


@pytest.mark.django_db(transaction=True)
def test_many_threads_get_the_same_one(live, bob):
    live()
    found: list[object] = []

    def ask() -> None:
        try:
            found.append(directory_for(bob).revision)
        finally:
            connection.close()

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(found) == {RegistryState.current()}
    assert len(found) == 8


def test_a_card_that_a_stricter_rule_refuses_is_left_out_and_said_so(live, bob, monkeypatch, caplog):
    from frontdesk_agent.card import CardError, FieldError
    from registry import directories
    from registry.mapping import current_card

    live("good_agent")
    live("old_agent")

    def stricter(version):
        if version.agent.name == "old_agent":
            raise CardError([FieldError("examples", "examples must be longer")])
        return current_card(version)

    monkeypatch.setattr(directories, "current_card", stricter)
    assert {entry.name for entry in directory_for(bob)} == {"good_agent"}
