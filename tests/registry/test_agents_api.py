"""The REST API of the registry, for two people."""

import pytest
from django.contrib.auth.models import Group, Permission, User
from rest_framework.test import APIClient

from registry import services
from registry.models import Agent

pytestmark = pytest.mark.django_db
SECRETIVE = {
    "auth": {"type": "bearer", "secret_ref": "AGENT_SECRET_A"},
    "stream_endpoint": "https://inside.example.net/stream",
    "health": "https://inside.example.net/health",
}


def client(person) -> APIClient:
    api = APIClient()
    api.force_authenticate(person)
    return api


def test_one_sees_what_one_may_reach(live, alice, bob, workshop):
    live("open_agent")
    live("workshop_agent", groups=[workshop])
    for person, expected in ((alice, ["open_agent", "workshop_agent"]), (bob, ["open_agent"])):
        answer = client(person).get("/api/v1/agents/")
        assert [card["name"] for card in answer.json()["results"]] == expected
    for path in ("", "versions/", "versions/1.0.0/"):
        assert client(alice).get(f"/api/v1/agents/workshop_agent/{path}").status_code == 200
        refused = client(bob).get(f"/api/v1/agents/workshop_agent/{path}")
        unknown = client(bob).get(f"/api/v1/agents/nobody_agent/{path}")
        assert refused.status_code == unknown.status_code == 404
        assert refused.json()["code"] == unknown.json()["code"] == "AGENT_NOT_FOUND"


def test_nobody_sees_anything_without_logging_in(live):
    live()
    assert APIClient().get("/api/v1/agents/").status_code in (401, 403)


def test_where_an_agent_runs_and_its_secret_are_for_staff(live, bob, boss):
    live(**SECRETIVE)
    for path in ("", "diagnosis_agent/", "diagnosis_agent/versions/", "diagnosis_agent/versions/1.0.0/"):
        text = client(bob).get(f"/api/v1/agents/{path}").content.decode()
        assert "Vehicle diagnosis" in text
        for hidden in ("AGENT_SECRET", "inside.example.net", "agents.example.org", "entrypoint"):
            assert hidden not in text
        assert "AGENT_SECRET_A" in client(boss).get(f"/api/v1/agents/{path}").content.decode()


def test_the_value_of_a_secret_is_nowhere(live, boss, monkeypatch):
    monkeypatch.setenv("AGENT_SECRET_A", "very-secret-value")
    agent = live(**SECRETIVE)
    services.set_allowed_secrets(agent=agent, refs=["AGENT_SECRET_A"], by=None)
    assert b"very-secret-value" not in client(boss).get("/api/v1/agents/diagnosis_agent/").content


def test_versions_newest_first_and_drafts_for_staff(live, bob, boss):
    agent = live()
    draft = services.new_draft_from(version=agent.live, by=None)
    versions = client(boss).get("/api/v1/agents/diagnosis_agent/versions/").json()["results"]
    assert [(v["version"], v["state"], v["live"]) for v in versions] == [
        ("1.0.1", "draft", False),
        ("1.0.0", "published", True),
    ]
    versions = client(bob).get("/api/v1/agents/diagnosis_agent/versions/").json()["results"]
    assert [v["version"] for v in versions] == ["1.0.0"]
    assert client(bob).get(f"/api/v1/agents/diagnosis_agent/versions/{draft.version}/").status_code == 404


def test_the_list_costs_the_same_however_long(live, bob, django_assert_num_queries):
    for number in range(6):
        live(f"agent_{number}", tags=["vehicle"], parent="agent_0" if number else None)
    with django_assert_num_queries(5):  # two of them ask for the person's permissions
        answer = client(bob).get("/api/v1/agents/")
    assert len(answer.json()["results"]) == 6
    assert Group.objects.count() == 0


def test_who_looks_after_agents_is_a_matter_of_permission_not_of_the_staff_flag(live, boss):
    agent = live(**SECRETIVE)
    services.publish(version=services.new_draft_from(version=agent.live, by=None), by=boss, note="urgent")
    staff = User.objects.create_user("dave", is_staff=True)
    reader = User.objects.create_user("erin")
    reader.user_permissions.add(Permission.objects.get(codename="view_agent"))
    for path in ("", "diagnosis_agent/", "diagnosis_agent/versions/", "diagnosis_agent/versions/1.0.1/"):
        assert "inside.example.net" not in client(staff).get(f"/api/v1/agents/{path}").content.decode()
        assert "inside.example.net" in client(reader).get(f"/api/v1/agents/{path}").content.decode()
    version = client(reader).get("/api/v1/agents/diagnosis_agent/versions/1.0.1/").json()
    assert (version["note"], version["published_by"]) == ("urgent", "boss")
    version = client(staff).get("/api/v1/agents/diagnosis_agent/versions/1.0.1/").json()
    assert not {"note", "published_by"} & set(version)


def test_the_card_s_health_address_and_how_the_agent_is_are_two_fields(live, bob, boss):
    agent = live(**SECRETIVE)
    Agent.objects.filter(pk=agent.pk).update(health_ok=True, health_latency_ms=12, health_detail="well")
    found = client(boss).get("/api/v1/agents/diagnosis_agent/").json()
    assert found["health"] == SECRETIVE["health"]
    assert found["health_status"] == {"ok": True, "checked_at": None, "latency_ms": 12, "detail": "well"}
    found = client(bob).get("/api/v1/agents/diagnosis_agent/").json()
    assert "health" not in found
    assert found["health_status"] == {"ok": True, "checked_at": None}
