"""Two people edit the same card: the second sees that the first was faster, and loses nothing typed."""

import re

import pytest
from django.test import Client
from django.urls import reverse

from registry import services
from registry.models import Agent

pytestmark = pytest.mark.django_db
SAID = "Somebody changed this version meanwhile; reload to see it."


@pytest.fixture
def desk(client: Client, boss) -> Client:
    client.force_login(boss)
    return client


def url(agent: Agent, version: str = "") -> str:
    return reverse("admin:registry_agent_change", args=[agent.pk]) + (
        f"?version={version}" if version else ""
    )


def seen(desk: Client, address: str) -> str:
    return re.search(r'name="seen" value="([^"]+)"', desk.get(address).content.decode())[1]


@pytest.fixture
def typed(card_data):
    def make(**changes):
        usual = {"stateful": "no", "auth_type": "none", "max_retries": "0", "requires_approval": "never"}
        return card_data() | usual | {"enabled": "on", "_save": "1"} | changes

    return make


def is_refused(response) -> bool:
    form = response.context["adminform"].form if response.context else None
    return response.status_code == 200 and list(form.non_field_errors()) == [SAID]


CHANGES = {
    "the draft": lambda draft, card, **_: services.save_draft(
        draft=draft, card=card(description="Carol wrote this."), by=None
    ),
    "its note": lambda draft, card, **_: services.save_draft(draft=draft, card=card(), by=None, note="x"),
    "the owner": lambda draft, card, **_: services.set_agent_fields(
        agent=draft.agent, card=card(owner="carol@example.org"), by=None
    ),
    "who reaches it": lambda draft, workshop, **_: services.update_agent(
        agent=draft.agent, by=None, groups=[workshop]
    ),
    "its secrets": lambda draft, **_: services.set_allowed_secrets(
        agent=draft.agent, refs=["AGENT_SECRET_A"], by=None
    ),
    "it is published": lambda draft, **_: services.publish(version=draft, by=None),
}


@pytest.mark.parametrize("what", CHANGES)
def test_nothing_is_saved_over_what_somebody_changed(desk, draft, card, workshop, typed, what):
    version = draft()
    page = url(version.agent)
    before = seen(desk, page)
    CHANGES[what](version, card=card, workshop=workshop)
    response = desk.post(page, typed(seen=before, description="What I typed."))
    assert is_refused(response)
    assert "What I typed." in response.content.decode()
    version.refresh_from_db()
    assert version.description != "What I typed."
    assert is_refused(desk.post(page, typed(seen=before, description="What I typed.")))


def test_after_a_reload_it_is_saved(desk, draft, card, typed):
    version = draft()
    page = url(version.agent)
    services.save_draft(draft=version, card=card(description="Carol wrote this."), by=None)
    response = desk.post(page, typed(seen=seen(desk, page), description="What I typed."))
    assert response.status_code == 302
    version.refresh_from_db()
    assert version.description == "What I typed."


def test_a_form_with_an_error_can_be_mended_and_saved(desk, draft, typed):
    page = url(draft().agent)
    before = seen(desk, page)
    wrong = desk.post(page, typed(seen=before, version="v1"))
    assert wrong.status_code == 200
    assert before in wrong.content.decode()
    assert desk.post(page, typed(seen=before)).status_code == 302


@pytest.mark.parametrize("gone", ["discarded", "renumbered"])
def test_a_draft_that_has_gone_meanwhile_is_no_404(desk, live, card, typed, gone):
    agent = live()
    draft = services.new_draft_from(version=agent.live, by=None)
    page = url(agent, "1.0.1")
    before = seen(desk, page)
    if gone == "discarded":
        services.discard_draft(draft=draft, by=None)
    else:
        services.save_draft(draft=draft, card=card(version="1.0.2"), by=None)
    response = desk.post(page, typed(seen=before, version="1.0.1", description="What I typed."))
    assert is_refused(response)
    assert "What I typed." in response.content.decode()


def test_a_probe_is_no_change(desk, draft, typed):
    version = draft()
    page = url(version.agent)
    before = seen(desk, page)
    Agent.objects.filter(pk=version.agent_id).update(health_ok=True, health_detail="well")
    assert desk.post(page, typed(seen=before)).status_code == 302


def test_it_is_said_in_chinese(desk, draft, typed):
    response = desk.post(url(draft().agent), typed(seen="1:other"), headers={"accept-language": "zh-hans"})
    assert "请重新加载页面" in response.content.decode()
