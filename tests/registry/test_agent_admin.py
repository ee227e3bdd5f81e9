"""The admin's list and the one page where an owner writes, publishes and probes."""

import http.server
import json
import threading
from contextlib import closing

import pytest
from django.contrib.auth.models import Permission, User
from django.contrib.messages import get_messages
from django.test import Client
from django.urls import reverse

from registry import services
from registry.models import Agent, AgentVersion, Tag

pytestmark = pytest.mark.django_db
LIST = "/admin/registry/agent/"


@pytest.fixture
def desk(client: Client, boss: User) -> Client:
    client.force_login(boss)
    return client


@pytest.fixture
def form(card_data):
    """What a browser sends for a valid form, with changes."""

    def make(**changes):
        usual = {"stateful": "no", "auth_type": "none", "max_retries": "0", "requires_approval": "never"}
        rows = {"not_for": ["Booking"], "not_for_agent": ["aftersales_agent"]}
        data = card_data() | usual | rows | {"enabled": "on"}
        return {key: value for key, value in (data | changes).items() if value is not None}

    return make


def change_url(agent: Agent, **query: str) -> str:
    url = reverse("admin:registry_agent_change", args=[agent.pk])
    return url + ("?" + "&".join(f"{k}={v}" for k, v in query.items()) if query else "")


def said(response) -> str:
    return " ".join(str(message) for message in get_messages(response.wsgi_request))


def errors(response) -> dict[str, list[str]]:
    return {name: list(found) for name, found in response.context["adminform"].form.errors.items()}


def test_register_your_first_agent_is_one_form_save_and_publish(desk, form):
    response = desk.post(f"{LIST}add/", form(_save="1"))
    agent = Agent.objects.get()
    assert response.status_code == 302
    assert response["Location"] == change_url(agent, version="1.0.0")
    assert agent.live is None
    response = desk.post(change_url(agent), form(_publish="1", note="first"))
    agent.refresh_from_db()
    assert (agent.live.version, agent.live.note) == ("1.0.0", "first")
    assert agent.live.not_for == [{"text": "Booking", "agent": "aftersales_agent"}]
    assert "is live" in said(response)
    assert "aftersales_agent, which is not registered" in said(response)


def test_the_add_form_can_publish_at_once(desk, form):
    desk.post(f"{LIST}add/", form(_publish="1"))
    assert Agent.objects.get().live.version == "1.0.0"


def test_a_published_version_is_shown_and_cannot_be_edited(desk, form, live):
    agent = live()
    text = desk.get(change_url(agent)).content.decode()
    assert "It never changes" in text
    assert 'name="description"' not in text
    assert 'name="owner"' in text
    desk.post(change_url(agent), form(description="Something else", owner="new@example.org", _save="1"))
    agent.refresh_from_db()
    assert agent.live.description.startswith("Explains")
    assert agent.owner == "new@example.org"


def test_a_new_version_is_a_copy_with_the_next_number(desk, live):
    agent = live()
    response = desk.post(reverse("admin:registry_agent_new_version", args=[agent.pk]))
    assert response["Location"] == change_url(agent, version="1.0.1")
    text = desk.get(response["Location"]).content.decode()
    assert "You are editing draft <strong>1.0.1</strong>. People get 1.0.0 until you publish." in text
    desk.post(reverse("admin:registry_agent_discard", args=[agent.pk]) + "?version=1.0.1")
    assert [version.version for version in agent.versions.all()] == ["1.0.0"]


def test_discarding_a_published_version_is_refused(desk, live):
    agent = live()
    response = desk.post(reverse("admin:registry_agent_discard", args=[agent.pk]))
    assert "can never change" in said(response)
    assert agent.versions.count() == 1


def test_what_changes_something_is_a_post(desk, live):
    agent = live()
    for name in ("probe", "new_version", "discard"):
        assert desk.get(reverse(f"admin:registry_agent_{name}", args=[agent.pk])).status_code == 404


@pytest.mark.parametrize(
    ("change", "field", "words"),
    [
        ({"name": "Bad Name"}, "name", "lower-case"),
        ({"version": "v1"}, "version", "SemVer"),
        ({"owner": ""}, "owner", "required"),
        ({"capabilities": []}, "capabilities", "required"),
        ({"timeout_ms": "soon"}, "timeout_ms", "whole number"),
        ({"timeout_ms": "0"}, "timeout_ms", "at least 1"),
        ({"endpoint": ""}, "endpoint", "required for http"),
        ({"endpoint": "ftp://x"}, "endpoint", "http"),
        ({"endpoint": "http://169.254.169.254/latest"}, "endpoint", "metadata"),
        ({"endpoint": "http://2852039166/latest"}, "endpoint", "metadata"),
        ({"auth_type": "bearer"}, "secret_ref", "needs secret_ref"),
        ({"auth_type": "bearer", "secret_ref": "sk-live-abcdef"}, "secret_ref", "name a secret"),
        ({"auth_type": "bearer", "secret_ref": "DATABASE_URL"}, "secret_ref", "name a secret"),
        ({"transport": "inproc", "endpoint": "", "entrypoint": "os.system"}, "entrypoint", "outside"),
        ({"examples": ["fine", "x" * 600]}, "examples", "Row 2"),
        ({"examples": ["same", "Same"]}, "examples", "twice"),
        ({"routing_keywords": ["OBD", "re:("]}, "routing_keywords", "Row 2"),
        ({"not_for": ["x"], "not_for_agent": ["Bad Name"]}, "not_for", "Row 1"),
        ({"not_for": [""], "not_for_agent": ["other_agent"]}, "not_for", "Row 1"),
        ({"fallback": "diagnosis_agent"}, "fallback", "another agent"),
        ({"mcp_servers": "{"}, "mcp_servers", "JSON"),
        ({"allowed_secrets": ["hunter2"]}, "allowed_secrets", "Row 1"),
    ],
)
def test_an_error_stands_at_its_field(desk, form, change, field, words):
    response = desk.post(f"{LIST}add/", form(**change))
    assert response.status_code == 200
    found = errors(response)
    assert list(found) == [field]
    assert words in " ".join(found[field])
    assert not Agent.objects.exists()


def test_an_error_of_one_row_stands_at_that_row(desk, form):
    text = desk.post(f"{LIST}add/", form(examples=["fine", "x" * 600])).content.decode()
    assert 'id="id_examples_1" rows="1" aria-label="Examples, row 2"' in text
    assert 'aria-invalid="true" aria-describedby="id_examples_1_error"' in text
    assert '<p class="rows-error" id="id_examples_1_error">Must have at most 500 characters.</p>' in text


def test_a_secret_that_was_pasted_into_the_list_of_allowed_ones_is_not_in_the_error(desk, form):
    response = desk.post(f"{LIST}add/", form(allowed_secrets=["hunter2"]))
    assert "hunter2" not in " ".join(errors(response)["allowed_secrets"])


def test_all_errors_come_at_once(desk):
    found = errors(desk.post(f"{LIST}add/", {"name": "Bad Name", "transport": "http"}))
    assert {"name", "display_name", "version", "owner", "description", "capabilities", "examples", "endpoint",
            "timeout_ms", "input_schema_ref", "output_schema_ref"} == set(found)  # fmt: skip


def test_a_taken_name_and_a_taken_number_are_errors_at_their_fields(desk, form, live):
    agent = live()
    assert "name" in errors(desk.post(f"{LIST}add/", form()))
    services.new_draft_from(version=agent.live, by=None)
    found = errors(desk.post(change_url(agent, version="1.0.1"), form(version="1.0.0")))
    assert list(found) == ["version"]


def test_a_circle_of_parents_is_an_error_at_the_parent(desk, form, live):
    head = live()
    child = live("child_agent", parent="diagnosis_agent")
    found = errors(desk.post(change_url(head), form(parent=str(child.pk))))
    assert list(found) == ["parent"]
    assert "own ancestor" in found["parent"][0]


def test_many_lines_in_one_row_are_many_rows(desk, form):
    desk.post(
        f"{LIST}add/",
        form(examples=["one\n two \r\n\nthree"], not_for=["a\nb (→ x_agent)"], not_for_agent=[""]),
    )
    version = AgentVersion.objects.get()
    assert version.examples == ["one", "two", "three"]
    assert version.not_for == [{"text": "a"}, {"text": "b", "agent": "x_agent"}]


def test_who_may_reach_it_and_what_it_may_use_are_saved_with_the_form(desk, form, workshop, alice):
    tag = Tag.objects.create(name="vehicle")
    access = {
        "groups": [workshop.pk], "team": workshop.pk, "owner_user": alice.pk, "tags": [tag.pk],
        "allowed_secrets": ["AGENT_SECRET_A"], "enabled": None,
    }  # fmt: skip
    desk.post(f"{LIST}add/", form(**access))
    agent = Agent.objects.get()
    assert list(agent.groups.all()) == list(Agent.objects.get().groups.filter(pk=workshop.pk))
    assert (agent.team, agent.owner_user, agent.enabled) == (workshop, alice, False)
    assert agent.allowed_secrets == ["AGENT_SECRET_A"]
    assert [t.name for t in agent.tags.all()] == ["vehicle"]


def staff(*codenames: str) -> User:
    person = User.objects.create_user("carol", "carol@example.org", is_staff=True)
    person.user_permissions.set(Permission.objects.filter(codename__in=codenames))
    return person


def test_who_may_not_publish_sees_no_publish_button_and_cannot(client, form, draft):
    agent = draft().agent
    client.force_login(staff("view_agent", "change_agent"))
    assert 'name="_publish"' not in client.get(change_url(agent)).content.decode()
    response = client.post(change_url(agent), form(_publish="1"))
    agent.refresh_from_db()
    assert agent.live is None
    assert "may not do this" in said(response)
    assert "publish_selected" not in client.get(LIST).content.decode()


def test_who_may_not_allow_secrets_cannot_slip_one_in(client, form, draft):
    agent = draft().agent
    client.force_login(staff("view_agent", "change_agent"))
    client.post(change_url(agent), form(allowed_secrets=["AGENT_SECRET_A"]))
    agent.refresh_from_db()
    assert agent.allowed_secrets == []


def test_who_may_only_look_sees_everything_and_can_change_nothing(client, form, draft):
    agent = draft().agent
    client.force_login(staff("view_agent"))
    text = client.get(change_url(agent)).content.decode()
    assert "Explain what a fault code means" in text
    assert 'name="_save"' not in text
    assert client.post(change_url(agent), form()).status_code == 403


def test_the_list_finds_by_search_and_filter(desk, live, draft):
    live(tags=["vehicle"], display_name="Vehicle diagnosis")
    draft(name="leave_agent", display_name="Leave")

    def found(**query: str) -> list[str]:
        return [agent.name for agent in desk.get(LIST, query).context["cl"].result_list]

    assert found(q="Vehicle") == ["diagnosis_agent"]
    assert found(publication="never") == ["leave_agent"]
    assert found(publication="live") == ["diagnosis_agent"]
    assert found(health="none") == ["diagnosis_agent", "leave_agent"]
    assert found(health="ok") == []
    assert found(live__transport="http") == ["diagnosis_agent"]


def test_the_list_says_in_words_how_agents_are(desk, live):
    agent = live()
    assert "Not probed" in desk.get(LIST).content.decode()
    from django.utils import timezone

    agent.health_ok, agent.health_checked_at, agent.health_latency_ms = True, timezone.now(), 12
    agent.save()
    assert "Healthy, 12 ms" in desk.get(LIST).content.decode()
    agent.health_ok, agent.health_detail = False, "It does not answer."
    agent.save()
    text = desk.get(LIST).content.decode()
    assert ">Failing<" in text
    assert "It does not answer." in text


def queries_of_the_list(desk: Client, capture) -> int:
    with capture() as captured:
        assert desk.get(LIST).status_code == 200
    return len(captured)


def test_the_list_costs_the_same_however_long(desk, live, workshop, django_assert_max_num_queries):
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    def make(number: int) -> None:
        agent = live(
            f"agent_{number}", tags=["vehicle"], parent="agent_0" if number else None, groups=[workshop]
        )
        services.update_agent(agent=agent, by=None, team=workshop)
        services.new_draft_from(version=agent.live, by=None)

    make(0)
    few = queries_of_the_list(desk, lambda: CaptureQueriesContext(connection))
    for number in range(1, 7):
        make(number)
    many = queries_of_the_list(desk, lambda: CaptureQueriesContext(connection))
    assert many == few
    assert many <= 12


def test_the_page_costs_the_same_however_many_versions(desk, live):
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    agent = live()

    def cost() -> int:
        with CaptureQueriesContext(connection) as captured:
            desk.get(change_url(agent, version="1.0.0"))
        return len(captured)

    cost()  # the first visit of a process also fills Django's cache of content types
    few = cost()
    for _ in range(5):
        services.new_draft_from(version=agent.live, by=None)
    assert cost() == few


def test_actions_publish_enable_and_export(desk, live, draft):
    first, second = live(), draft(name="leave_agent").agent
    chosen = {"_selected_action": [first.pk, second.pk]}
    response = desk.post(LIST, {"action": "publish_selected", **chosen})
    second.refresh_from_db()
    assert second.live is not None
    assert "diagnosis_agent has no draft" in said(response)
    desk.post(LIST, {"action": "disable_selected", **chosen})
    assert not Agent.objects.filter(enabled=True).exists()
    desk.post(LIST, {"action": "enable_selected", **chosen})
    assert not Agent.objects.filter(enabled=False).exists()
    response = desk.post(LIST, {"action": "export_selected", **chosen})
    assert response.content.decode().count("display_name: ") == 2
    assert "attachment" in response["Content-Disposition"]


def test_a_card_is_exported_as_yaml(desk, live):
    agent = live()
    response = desk.get(reverse("admin:registry_agent_card", args=[agent.pk]))
    assert response.content.decode().startswith("name: diagnosis_agent\n")


def test_a_published_agent_cannot_be_deleted_and_a_draft_can(desk, live, draft):
    agent, other = live(), draft(name="leave_agent").agent
    assert (
        desk.post(reverse("admin:registry_agent_delete", args=[agent.pk]), {"post": "yes"}).status_code == 403
    )
    desk.post(LIST, {"action": "delete_selected", "_selected_action": [agent.pk], "post": "yes"})
    desk.post(reverse("admin:registry_agent_delete", args=[other.pk]), {"post": "yes"})
    assert list(Agent.objects.all()) == [agent]


class Health(http.server.BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        body = json.dumps({"status": "ok"}).encode()
        self.send_response(200 if self.path == "/health" else 503)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args: object) -> None:
        """Quiet."""


@pytest.fixture
def agent_server():
    with closing(http.server.ThreadingHTTPServer(("127.0.0.1", 0), Health)) as server:
        server.close = server.server_close
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()


def test_probe_now_asks_the_agent_and_shows_the_result(desk, live, agent_server, settings):
    settings.ALLOW_PRIVATE_ADDRESSES = True
    well = live("well_agent", health=f"{agent_server}/health")
    ill = live("ill_agent", health=f"{agent_server}/broken")
    response = desk.post(reverse("admin:registry_agent_probe", args=[well.pk]))
    assert "well_agent is well" in said(response)
    response = desk.post(LIST, {"action": "probe_selected", "_selected_action": [well.pk, ill.pk]})
    assert "ill_agent is not well" in said(response)
    well.refresh_from_db()
    ill.refresh_from_db()
    assert (well.health_ok, ill.health_ok) == (True, False)
    assert well.health_latency_ms is not None
    assert well.health_checked_at is not None
    assert ill.health_detail
    assert agent_server not in ill.health_detail


def test_a_probe_never_reaches_a_private_address_unless_allowed(desk, live, agent_server, settings):
    settings.ALLOW_PRIVATE_ADDRESSES = False
    agent = live(health=f"{agent_server}/health")
    desk.post(reverse("admin:registry_agent_probe", args=[agent.pk]))
    agent.refresh_from_db()
    assert agent.health_ok is False


def test_a_probe_is_for_who_may_change_agents(client, live, agent_server, settings):
    settings.ALLOW_PRIVATE_ADDRESSES = True
    agent = live(health=f"{agent_server}/health")
    client.force_login(staff("view_agent"))
    assert "Probe now" not in client.get(change_url(agent)).content.decode()
    assert client.post(reverse("admin:registry_agent_probe", args=[agent.pk])).status_code == 403
    client.post(LIST, {"action": "probe_selected", "_selected_action": [agent.pk]})
    agent.refresh_from_db()
    assert agent.health_checked_at is None


def test_publishing_is_in_the_history(desk, form):
    desk.post(f"{LIST}add/", form(_publish="1"))
    agent = Agent.objects.get()
    text = desk.get(reverse("admin:registry_agent_history", args=[agent.pk])).content.decode()
    assert "Published 1.0.0." in text


def test_nothing_on_the_pages_needs_inline_script_or_style(desk, live):
    agent = live()
    services.new_draft_from(version=agent.live, by=None)
    for path in (LIST, f"{LIST}add/", change_url(agent), change_url(agent, version="1.0.0")):
        text = desk.get(path).content.decode()
        assert " style=" not in text
        assert " onclick=" not in text
        assert "<script>" not in text


def test_the_form_speaks_chinese(desk, live):
    agent = live()
    text = desk.get(change_url(agent), headers={"accept-language": "zh-hans"}).content.decode()
    assert "能力" in text
    found = errors(desk.post(f"{LIST}add/", {"name": "Bad"}, headers={"accept-language": "zh-hans"}))
    assert "小写" in found["name"][0]
