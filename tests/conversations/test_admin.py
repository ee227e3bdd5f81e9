"""What an admin can read of conversations, runs and delegations, and that nothing there can be changed."""

import uuid
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.contrib.auth import get_user_model
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from conversations.models import Conversation, Delegation, Run
from tests.conversations.conftest import card
from tests.support.agent_server import Exchange, ScriptedAgent

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def admin_client(people: Any) -> Client:
    client = Client()
    client.force_login(get_user_model().objects.create_superuser("root"))
    return client


async def script(exchange: Exchange) -> None:
    if b"fail" in exchange.request.body:
        await exchange.body(b"", status="503 Down", content_type="text/plain")
    else:
        await exchange.answer("the answer")


async def test_rows_can_be_found_filtered_and_opened(product, publish, admin_client) -> None:
    async with ScriptedAgent(script).serving() as agent, product.person("alice") as alice:
        await sync_to_async(publish)(card("diagnosis", agent.port))
        conversation = await alice.conversation()
        await alice.ask(conversation, "ask_diagnosis well")
        await alice.ask(conversation, "ask_diagnosis fail")
    await sync_to_async(look)(admin_client)


def look(client: Client) -> None:
    def page(path: str) -> str:
        response = client.get(f"/admin/conversations/{path}")
        assert response.status_code == 200, (path, response.status_code)
        return str(response.content.decode())

    for name in ("conversation", "run", "delegation"):
        assert "ask_diagnosis" in page(f"{name}/")
        assert client.get(f"/admin/conversations/{name}/add/").status_code == 403
    assert "the answer" in page(f"conversation/{Conversation.objects.get().pk}/change/")
    failed = Run.objects.get(status="failed")
    for path in (
        "run/?status__exact=failed",
        "run/?tier__exact=keyword&error_code__exact=AGENT_UNAVAILABLE",
        "run/?delegations__agent=diagnosis&status__exact=failed",
    ):
        listed = page(path)
        assert "ask_diagnosis fail" in listed, path
        assert "ask_diagnosis well" not in listed, path
    assert "AGENT_UNAVAILABLE" in page(f"run/{failed.pk}/change/")
    for path in (
        "delegation/?agent__exact=diagnosis&status__exact=failed",
        "delegation/?error_code__exact=AGENT_UNAVAILABLE&run__tier__exact=keyword",
    ):
        assert "ask_diagnosis fail" in page(path)
    delegation = Delegation.objects.get(status="completed")
    page(f"delegation/{delegation.pk}/change/")
    changed = client.post(f"/admin/conversations/delegation/{delegation.pk}/change/", {"result": "forged"})
    assert changed.status_code == 403


@pytest.mark.parametrize("name", ["conversation", "run", "delegation"])
def test_a_list_costs_the_same_however_long_it_is(admin_client, people, name) -> None:
    def queries() -> int:
        with CaptureQueriesContext(connection) as captured:
            assert admin_client.get(f"/admin/conversations/{name}/").status_code == 200
        return len(captured)

    rows(people["alice"], 1)
    one = queries()
    rows(people["alice"], 12)
    assert queries() == one


def rows(user: Any, count: int) -> None:
    for _ in range(count):
        conversation = Conversation.objects.create(user=user, title="t")
        message = conversation.messages.create(position=1, role="user", content="hi")
        run = Run.objects.create(conversation=conversation, message=message, trace_id="t")
        Delegation.objects.create(
            id=uuid.uuid4(),
            run=run,
            position=0,
            agent="a",
            version="1.0.0",
            task="hi",
            started_at=timezone.now(),
        )
