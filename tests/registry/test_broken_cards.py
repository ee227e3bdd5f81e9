"""A live card that a stricter rule refuses by now breaks nothing around it, and can be mended."""

from io import StringIO

import pytest
import yaml
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import connection
from django.urls import reverse
from rest_framework.test import APIClient

from registry import services, triggers
from registry.models import Agent, AgentVersion, Tag
from registry.selectors import directory_for

pytestmark = pytest.mark.django_db


@pytest.fixture
def broken(live):
    """`old_agent` is live with a display name that no card may have now; `good_agent` is well."""
    live("good_agent", tags=["vehicle"])
    agent = live("old_agent")
    with connection.cursor() as cursor:
        for statement in triggers.dropping(connection, AgentVersion):
            cursor.execute(statement)
        cursor.execute(
            "UPDATE registry_agentversion SET display_name = %s WHERE id = %s", ["two\nlines", agent.live_id]
        )
        for statement in triggers.creating(connection, AgentVersion):
            cursor.execute(statement)
    return Agent.objects.get(pk=agent.pk)


def get(person, path: str):
    api = APIClient()
    api.force_authenticate(person)
    return api.get(f"/api/v1/agents/{path}")


def test_the_api_lists_the_others(broken, bob, boss):
    for person in (bob, boss):
        assert [card["name"] for card in get(person, "").json()["results"]] == ["good_agent"]
        assert get(person, "old_agent/").json()["code"] == "AGENT_NOT_FOUND"
        (version,) = get(person, "old_agent/versions/").json()["results"]
        assert (version["name"], version["display_name"]) == ("old_agent", "two\nlines")


def test_an_export_writes_the_others_and_names_it(broken, tmp_path):
    with pytest.raises(CommandError, match=r"old_agent: .*must be one line") as refused:
        call_command("export_cards", to=tmp_path, stdout=StringIO())
    assert refused.value.returncode == 1
    assert [file.name for file in tmp_path.iterdir()] == ["good_agent.yaml"]


@pytest.mark.parametrize("version", ["1.0.0", "1.1.0"])
def test_the_import_that_mends_it_goes_through(broken, bob, card_data, tmp_path, version):
    path = tmp_path / "card.yaml"
    path.write_text(yaml.safe_dump(card_data(name="old_agent", version=version)), encoding="utf-8")
    if version == "1.0.0":
        with pytest.raises(CommandError, match="published with other content"):
            call_command("import_cards", path, publish=True, stdout=StringIO())
        return
    call_command("import_cards", path, publish=True, stdout=StringIO())
    assert {entry.name for entry in directory_for(bob)} == {"good_agent", "old_agent"}


def test_the_admin_says_why_there_is_no_yaml(broken, client, boss):
    client.force_login(boss)
    page = reverse("admin:registry_agent_change", args=[broken.pk])
    response = client.get(reverse("admin:registry_agent_card", args=[broken.pk]), follow=True)
    assert response.redirect_chain == [(f"{page}?version=1.0.0", 302)]
    assert "must be one line" in response.content.decode()
    chosen = {"action": "export_selected", "_selected_action": [broken.pk]}
    response = client.post("/admin/registry/agent/", chosen, follow=True)
    assert response["Content-Type"].startswith("text/html")
    assert "must be one line" in response.content.decode()


def test_it_is_mended_in_a_new_version_in_the_admin(broken, bob, client, boss, card_data):
    client.force_login(boss)
    page = client.post(reverse("admin:registry_agent_new_version", args=[broken.pk]))["Location"]
    assert "two\nlines" in client.get(page).context["adminform"].form["display_name"].value()
    usual = {"stateful": "no", "auth_type": "none", "max_retries": "0", "requires_approval": "never"}
    given = card_data(name="old_agent", version="1.0.1") | usual | {"enabled": "on"}
    assert client.post(page, given | {"display_name": "two\x80", "_publish": "1"}).status_code == 200
    assert client.post(page, given | {"_publish": "1"}).status_code == 302
    assert {entry.name for entry in directory_for(bob)} == {"good_agent", "old_agent"}


def test_exporting_no_names_is_not_exporting_all(live):
    live()
    assert services.export_cards(names=[]).cards == {}
    assert list(services.export_cards(names=None).cards) == list(services.export_cards().cards)
    assert list(services.export_cards().cards) == ["diagnosis_agent"]


@pytest.mark.parametrize("wrong", ["a draft", "another agent's"])
def test_a_live_version_that_cannot_be_is_never_called(live, draft, bob, wrong):
    agent = live()
    if wrong == "a draft":
        other = services.new_draft_from(version=agent.live, by=None)
    else:
        other = live("other_agent", endpoint="https://elsewhere.example.org/").live
    Agent.objects.filter(pk=agent.pk).update(live=other)
    assert "diagnosis_agent" not in {entry.name for entry in directory_for(bob)}
    assert "diagnosis_agent" not in [card["name"] for card in get(bob, "").json()["results"]]
    assert get(bob, "diagnosis_agent/").status_code == 404


def test_tags_are_the_same_in_any_case(live, card, client, boss):
    agent = live(tags=["Vehicle", "Öl"])
    services.set_agent_fields(agent=agent, card=card(tags=["vehicle", "öl"]), by=None)
    assert sorted(Tag.objects.values_list("name", flat=True)) == ["Vehicle", "Öl"]
    assert {tag.name for tag in agent.tags.all()} == {"Vehicle", "Öl"}
    client.force_login(boss)
    for name in ("vehicle", "ÖL"):
        response = client.post("/admin/registry/tag/add/", {"name": name})
        assert "There is such a tag already." in response.content.decode()
    assert Tag.objects.count() == 2


def test_the_database_refuses_a_tag_in_another_case():
    from django.db import IntegrityError

    Tag.objects.create(name="Vehicle")
    with pytest.raises(IntegrityError):
        Tag.objects.create(name="vehicle")


def test_a_card_with_a_tag_in_another_case_is_unchanged(card):
    services.import_cards(cards=[card(tags=["Vehicle"])], by=None, create_tags=True)
    (change,) = services.import_cards(cards=[card(tags=["vehicle"])], by=None, create_tags=True)
    assert change.action is services.Action.UNCHANGED
