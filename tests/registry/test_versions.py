"""From a first draft to a live version, and on to the next one."""

import pytest
from django.contrib.auth.models import Permission

from frontdesk_agent.card import CardError
from frontdesk_agent.errors import ErrorCode, FrontdeskError
from registry import services
from registry.errors import RegistryError
from registry.models import Agent, AgentVersion, Tag
from registry.precedence import next_patch, sort_key
from registry.selectors import versions_of

pytestmark = pytest.mark.django_db


def test_a_draft_is_not_live_and_publishing_makes_it_so(draft, boss):
    version = draft()
    assert version.agent.live is None
    published = services.publish(version=version, by=boss, note="first").version
    agent = Agent.objects.get()
    assert agent.live == published
    assert (published.state, published.published_by, published.note) == ("published", boss, "first")
    assert published.published_at is not None


def test_a_card_survives_its_way_through_the_columns(card, draft):
    data = {
        "tags": ["vehicle"],
        "not_for": ["booking a repair (→ aftersales_agent)", {"text": "parts"}],
        "routing_keywords": ["OBD", "re:P[0-9]{4}"],
        "auth": {"type": "bearer", "secret_ref": "AGENT_SECRET_DIAGNOSIS"},
        "required_context": ["vin"],
        "max_calls_per_run": 3,
        "fallback": "general_agent",
        "requires_approval": "always",
    }
    from registry.mapping import current_card, recorded_card

    version = AgentVersion.objects.get(pk=draft(**data).pk)
    assert recorded_card(version) == current_card(version) == card(**data)


def test_a_prompt_agent_survives_too(card, draft):
    from registry.mapping import recorded_card

    data = {
        "transport": "inproc", "endpoint": None, "entrypoint": "prompt", "system_prompt": "Be kind.",
        "model": "small", "skills": ["cooking"], "tools": ["sample_agents.knowledge.search"],
        "mcp_servers": [{"url": "https://mcp.example.org/", "tools": ["search"]}],
    }  # fmt: skip
    assert recorded_card(AgentVersion.objects.get(pk=draft(**data).pk)) == card(**data)


def test_a_new_version_is_a_draft_beside_the_live_one(live, card):
    agent = live()
    copy = services.new_draft_from(version=agent.live, by=None)
    assert (copy.version, copy.state) == ("1.0.1", "draft")
    services.save_draft(draft=copy, card=card(version="1.1.0", display_name="Better"), by=None)
    agent.refresh_from_db()
    assert agent.live.version == "1.0.0"
    services.publish(version=copy, by=None)
    agent.refresh_from_db()
    assert (agent.live.version, agent.live.display_name) == ("1.1.0", "Better")


def test_copying_twice_takes_the_next_free_number(live):
    agent = live()
    services.new_draft_from(version=agent.live, by=None)
    assert services.new_draft_from(version=agent.live, by=None).version == "1.0.2"


def test_a_number_is_used_once(live, card):
    agent = live()
    with pytest.raises(RegistryError, match=r"already a version 1\.0\.0") as caught:
        services.create_draft(agent=agent, card=card(description="Something else entirely."), by=None)
    assert caught.value.field == "version"


def test_a_name_is_free_until_published_and_fixed_after(draft, card, live):
    version = draft()
    services.save_draft(draft=version, card=card(name="workshop_agent"), by=None)
    agent = Agent.objects.get()
    assert agent.name == "workshop_agent"
    services.publish(version=version, by=None)
    with pytest.raises(RegistryError, match="never changes") as caught:
        services.create_draft(agent=agent, card=card(version="1.1.0", name="other_agent"), by=None)
    assert caught.value.field == "name"


def test_two_agents_cannot_share_a_name(draft, card):
    draft()
    with pytest.raises(RegistryError, match="already an agent") as caught:
        services.create_agent(card=card(), by=None)
    assert caught.value.field == "name"


def test_code_outside_the_allowed_places_is_refused_at_draft_and_at_publish(draft, card, settings):
    inproc = {"transport": "inproc", "endpoint": None}
    with pytest.raises(CardError, match="outside"):
        services.create_agent(card=card(**inproc, entrypoint="os.system"), by=None)
    version = draft(**inproc, entrypoint="sample_agents.general.agent")
    settings.INPROC_ALLOWED = ["elsewhere."]
    with pytest.raises(CardError, match="outside"):
        services.publish(version=version, by=None)
    assert Agent.objects.get().live is None


def test_no_agent_is_its_own_ancestor(live, card):
    live("head_agent")
    child = live("child_agent", parent="head_agent")
    grandchild = live("grandchild_agent", parent="child_agent")
    head = Agent.objects.get(name="head_agent")
    with pytest.raises(RegistryError, match=r"own ancestor.*head_agent") as caught:
        services.set_agent_fields(agent=head, card=card(name="head_agent", parent=grandchild.name), by=None)
    assert caught.value.field == "parent"
    with pytest.raises(CardError, match="itself"):
        card(name="child_agent", parent=child.name)


def test_a_parent_that_does_not_exist_is_refused(card):
    with pytest.raises(RegistryError, match="no agent called nobody_agent"):
        services.create_agent(card=card(parent="nobody_agent"), by=None)


def test_owner_tags_and_parent_change_without_a_new_version(live, card):
    agent = live(tags=["vehicle"])
    Tag.objects.create(name="hr")
    services.set_agent_fields(agent=agent, card=card(owner="other@example.org", tags=["hr"]), by=None)
    agent.refresh_from_db()
    assert agent.owner == "other@example.org"
    assert [tag.name for tag in agent.tags.all()] == ["hr"]
    assert agent.versions.count() == 1
    assert agent.live.tags == ["vehicle"], "the version keeps its copy"


def test_a_tag_outside_the_vocabulary_is_refused(card):
    with pytest.raises(RegistryError, match="vocabulary of tags: vehicle") as caught:
        services.create_agent(card=card(tags=["vehicle"]), by=None)
    assert caught.value.field == "tags"


def test_unknown_targets_are_worth_a_warning_and_stop_nothing(draft):
    version = draft(not_for=["x (→ ghost_agent)"], fallback="phantom_agent")
    warnings = " ".join(services.publish(version=version, by=None).warnings)
    assert "ghost_agent" in warnings
    assert "phantom_agent" in warnings


def test_a_lower_number_than_the_live_one_is_worth_a_warning(live, card):
    agent = live(version="2.0.0")
    version = services.create_draft(agent=agent, card=card(version="1.9.0"), by=None)
    assert "not higher than 2.0.0" in " ".join(services.publish(version=version, by=None).warnings)


def test_an_owner_is_linked_to_their_login(card, alice):
    version = services.create_agent(card=card(owner="Alice@Example.org"), by=None)
    assert version.agent.owner_user == alice


def test_publishing_and_secrets_need_their_permissions(draft, alice):
    version = draft()
    for attempt in (
        lambda: services.publish(version=version, by=alice),
        lambda: services.set_allowed_secrets(agent=version.agent, refs=["AGENT_SECRET_X"], by=alice),
        lambda: services.set_enabled(agent=version.agent, enabled=False, by=alice),
    ):
        with pytest.raises(FrontdeskError) as caught:
            attempt()
        assert caught.value.code == ErrorCode.NOT_ALLOWED
    alice.user_permissions.add(Permission.objects.get(codename="publish_agent"))
    alice = type(alice).objects.get(pk=alice.pk)
    assert services.publish(version=version, by=alice).version.published_by == alice


@pytest.mark.parametrize("ref", ["DATABASE_URL", "sk-live-0123456789", "file:../x", ""])
def test_a_pasted_secret_is_refused_and_never_repeated(draft, ref):
    with pytest.raises(RegistryError) as caught:
        services.set_allowed_secrets(agent=draft().agent, refs=[ref], by=None)
    assert not ref or ref not in caught.value.message


def test_versions_are_sorted_by_precedence_not_by_text(live, card):
    agent = live(version="1.9.0")
    for number in ("1.10.0", "1.10.0-rc.2", "1.10.0-rc.10", "1.10.0-rc.x", "0.12.0"):
        services.create_draft(agent=agent, card=card(version=number), by=None)
    assert [version.version for version in versions_of(agent)] == [
        "1.10.0", "1.10.0-rc.x", "1.10.0-rc.10", "1.10.0-rc.2", "1.9.0", "0.12.0",
    ]  # fmt: skip


def test_precedence_follows_the_specification():
    listed = (
        "1.0.0-alpha 1.0.0-alpha.1 1.0.0-alpha.beta 1.0.0-beta 1.0.0-beta.2 1.0.0-beta.11 1.0.0-rc.1 1.0.0"
    )
    keys = [sort_key(version) for version in listed.split()]
    assert keys == sorted(keys)
    assert len(set(keys)) == len(keys)
    assert sort_key("1.0.0+a") == sort_key("1.0.0+b")
    assert sort_key("99999999999999999999.0.0") > sort_key("2.0.0")
    assert (next_patch("1.2.3"), next_patch("1.3.0-rc.1")) == ("1.2.4", "1.3.0")


def test_a_secret_that_now_goes_to_another_host_is_worth_a_warning(live, card):
    auth = {"type": "bearer", "secret_ref": "AGENT_SECRET_A"}
    agent = live(auth=auth)
    services.set_allowed_secrets(agent=agent, refs=["AGENT_SECRET_A"], by=None)
    same = services.create_draft(agent=agent, card=card(version="1.1.0", auth=auth), by=None)
    assert services.publish(version=same, by=None).warnings == []
    moved = card(version="1.2.0", auth=auth, endpoint="https://elsewhere.example.net/")
    version = services.create_draft(agent=agent, card=moved, by=None)
    assert "elsewhere.example.net" in " ".join(services.publish(version=version, by=None).warnings)
