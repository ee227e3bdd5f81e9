"""The directory that people read."""

import pytest
from django.utils import timezone

from registry import services

pytestmark = pytest.mark.django_db


def names(response) -> list[str]:
    return [one.card.name for one in response.context["listed"]]


def test_one_must_log_in(client, live):
    live()
    for path in ("/agents/", "/agents/diagnosis_agent/"):
        response = client.get(path)
        assert response.status_code == 302
        assert "/accounts/login/" in response["Location"]


def test_one_sees_what_one_may_reach(client, live, alice, bob, workshop):
    live("open_agent")
    live("workshop_agent", groups=[workshop])
    client.force_login(alice)
    assert names(client.get("/agents/")) == ["open_agent", "workshop_agent"]
    assert client.get("/agents/workshop_agent/").status_code == 200
    client.force_login(bob)
    assert names(client.get("/agents/")) == ["open_agent"]
    assert client.get("/agents/workshop_agent/").status_code == 404


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("diagnosis", ["a_agent"]),
        ("蓄电池", ["b_agent"]),
        ("AGENT", ["a_agent", "b_agent"]),
        ("vehicle fault", ["a_agent"]),
        ("nothing", []),
    ],
)
def test_the_search_reads_names_and_examples_in_any_script(client, live, bob, query, found):
    live("a_agent", tags=["vehicle"])
    live(
        "b_agent",
        display_name="Stock",
        description="Counts.",
        examples=["还剩多少个蓄电池"],
        capabilities=["Count"],
    )
    client.force_login(bob)
    assert names(client.get("/agents/", {"q": query})) == found


def test_a_tag_keeps_its_agents(client, live, bob):
    live("a_agent", tags=["vehicle"])
    live("b_agent")
    client.force_login(bob)
    assert names(client.get("/agents/", {"tag": "vehicle"})) == ["a_agent"]


def test_an_example_leads_to_the_chat_with_it(client, live, bob):
    live(examples=["P0171 & P0420 是什么?"])
    client.force_login(bob)
    for path in ("/agents/", "/agents/diagnosis_agent/"):
        text = client.get(path).content.decode()
        assert (
            'href="/chat/?q=P0171+%26+P0420+%E6%98%AF%E4%BB%80%E4%B9%88%3F&amp;agent=diagnosis_agent"' in text
        )


def test_pages_show_no_address_and_no_secret(client, live, bob):
    live(auth={"type": "bearer", "secret_ref": "AGENT_SECRET_A"})
    client.force_login(bob)
    for path in ("/agents/", "/agents/diagnosis_agent/"):
        text = client.get(path).content.decode()
        assert "AGENT_SECRET" not in text
        assert "agents.example.org" not in text


def test_health_is_a_word(client, live, bob):
    agent = live()
    client.force_login(bob)
    assert "not probed" in client.get("/agents/").content.decode()
    for ok, word in ((True, "healthy"), (False, "not answering")):
        agent.health_ok, agent.health_checked_at = ok, timezone.now()
        agent.save()
        assert word in client.get("/agents/").content.decode()


def test_only_reachable_agents_are_linked_as_taking_it_instead(client, live, bob, workshop):
    live("open_agent")
    live("hidden_agent", groups=[workshop])
    live("a_agent", not_for=["x (→ open_agent)", "y (→ hidden_agent)"])
    client.force_login(bob)
    text = client.get("/agents/a_agent/").content.decode()
    assert 'href="/agents/open_agent/"' in text
    assert "hidden_agent" not in text


def test_the_list_costs_the_same_however_long(client, live, bob, django_assert_max_num_queries):
    for number in range(6):
        live(f"agent_{number}", tags=["vehicle"], parent="agent_0" if number else None)
    client.force_login(bob)
    with django_assert_max_num_queries(5):  # session, person, groups, agents, tags
        assert len(names(client.get("/agents/"))) == 6


def test_an_empty_directory_says_so(client, bob, boss):
    client.force_login(bob)
    assert "no agent you can reach yet" in client.get("/agents/").content.decode()
    client.force_login(boss)
    assert "Register the first one" in client.get("/agents/").content.decode()


def test_the_directory_speaks_chinese(client, live, bob):
    live()
    services.set_enabled(agent=live("off_agent"), enabled=False, by=None)
    client.force_login(bob)
    text = client.get("/agents/", headers={"accept-language": "zh-hans"}).content.decode()
    assert "尚未探测" in text
    assert "搜索" in text
