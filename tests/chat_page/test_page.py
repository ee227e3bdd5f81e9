"""The chat page as the server renders it."""

import json
import re
import uuid
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.template.loader import render_to_string
from django.test import Client
from django.utils import translation

from conversations.models import Conversation, Message, Run

pytestmark = pytest.mark.django_db


@pytest.fixture
def conversation(alice: User) -> Conversation:
    conversation = Conversation.objects.create(user=alice, title="P0171 是什么故障？")
    for position, (role, content) in enumerate(
        [("user", "P0171 <是什么>"), ("assistant", "**Too lean** <script>alert(1)</script>")], start=1
    ):
        Message.objects.create(conversation=conversation, position=position, role=role, content=content)
    return conversation


@pytest.fixture
def as_alice(client: Client, alice: User) -> Client:
    client.force_login(alice)
    return client


def text_of(client: Client, path: str, **headers: Any) -> str:
    answer = client.get(path, **headers)
    assert answer.status_code == 200
    return str(answer.content.decode())


def test_who_is_not_logged_in_is_sent_to_the_login(client: Client) -> None:
    answer = client.get("/chat/?q=hello")
    assert (answer.status_code, answer["Location"]) == (302, "/accounts/login/?next=/chat/%3Fq%3Dhello")


def test_the_history_reads_without_javascript(as_alice: Client, conversation: Conversation) -> None:
    page = text_of(as_alice, f"/chat/{conversation.id}/")
    assert page.count('data-testid="message-user"') == 1
    assert page.count('data-testid="message-assistant"') == 1
    assert "P0171 &lt;是什么&gt;" in page
    assert "<script>alert" not in page


@pytest.mark.usefixtures("alice")
def test_somebody_elses_conversation_does_not_exist(
    client: Client, bob: User, conversation: Conversation
) -> None:
    client.force_login(bob)
    for id_ in (conversation.id, uuid.uuid4()):
        answer = client.get(f"/chat/{id_}/")
        assert answer.status_code == 404
        assert "P0171" not in answer.content.decode()
    assert str(conversation.id) not in text_of(client, "/chat/")


def test_the_list_shows_ones_own_newest_first_and_the_current_marked(
    as_alice: Client, alice: User, bob: User, conversation: Conversation
) -> None:
    Conversation.objects.create(user=bob, title="bob's")
    newer = Conversation.objects.create(user=alice, title="newer")
    page = text_of(as_alice, f"/chat/{conversation.id}/")
    assert re.findall(r'data-conversation="([^"]+)"', page) == [str(newer.id), str(conversation.id)]
    assert re.findall(r'data-conversation="([^"]+)"[^>]*aria-current', page) == [str(conversation.id)]
    assert "bob&#x27;s" not in page


def test_a_conversation_that_is_being_answered_is_marked(
    as_alice: Client, conversation: Conversation
) -> None:
    Run.objects.create(
        conversation=conversation, message=conversation.messages.get(position=1), status="running"
    )
    assert re.findall(r'data-busy="(\w+)"', text_of(as_alice, "/chat/")) == ["true"]


def test_queries_do_not_grow_with_what_is_listed(
    as_alice: Client,
    alice: User,
    conversation: Conversation,
    django_assert_max_num_queries: Callable[..., Any],
) -> None:
    as_alice.get("/chat/")
    with django_assert_max_num_queries(9) as few:
        as_alice.get(f"/chat/{conversation.id}/")
    Conversation.objects.bulk_create(Conversation(user=alice, title=str(n)) for n in range(60))
    Message.objects.bulk_create(
        Message(conversation=conversation, position=n, role="user", content="x") for n in range(10, 60)
    )
    with django_assert_max_num_queries(len(few)):
        page = text_of(as_alice, f"/chat/{conversation.id}/")
    assert page.count("data-conversation=") == 50
    assert 'data-part="older"' in page


@pytest.mark.parametrize("path", ["/chat/", "/accounts/login/", "/chat/{id}/"])
def test_nothing_inline_that_the_policy_refuses(
    client: Client, alice: User, conversation: Conversation, path: str
) -> None:
    if "login" not in path:
        client.force_login(alice)
    answer = client.get(path.format(id=conversation.id))
    page = answer.content.decode()
    for attributes, body in re.findall(r"<script\b([^>]*)>(.*?)</script>", page, re.DOTALL):
        assert "src=" in attributes or 'type="application/json"' in attributes, body
    assert not re.search(r"<[^>]+\s(?:style|on[a-z]+)=", page)
    assert "<style" not in page
    assert "unsafe" not in answer["Content-Security-Policy"]


def test_a_question_in_the_address_cannot_break_out(as_alice: Client) -> None:
    page = text_of(as_alice, "/chat/?q=</script><script>alert(1)</script>&agent=nobody")
    assert "<script>alert" not in page
    assert re.findall(r"<option[^>]*selected", page) == []


def test_the_page_speaks_chinese(as_alice: Client) -> None:
    page = text_of(as_alice, "/chat/", headers={"Accept-Language": "zh-CN"})
    assert '<html lang="zh-hans">' in page
    assert "委派日志" in page
    catalogue = text_of(as_alice, "/jsi18n/", headers={"Accept-Language": "zh-CN"})
    assert json.dumps("已停止") in catalogue


def test_switching_the_language_comes_back_here(as_alice: Client) -> None:
    answer = as_alice.post("/i18n/setlang/", {"language": "zh-hans", "next": "/chat/?agent=x"})
    assert answer["Location"] == "/chat/?agent=x"
    assert "委派日志" in text_of(as_alice, "/chat/")


@pytest.mark.parametrize("template", ["403.html", "404.html", "500.html"])
def test_error_pages_need_nothing(template: str, django_assert_num_queries: Callable[..., Any]) -> None:
    with translation.override("en"), django_assert_num_queries(0):
        assert "Frontdesk" in render_to_string(template)


def test_only_staff_see_the_way_to_the_admin(as_alice: Client, alice: User) -> None:
    assert "/admin/" not in text_of(as_alice, "/chat/")
    alice.is_staff = True
    alice.save()
    assert 'href="/admin/"' in text_of(as_alice, "/chat/")
