"""Two people, two groups, and cards to register."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.contrib.auth.models import Group, User
from django.utils import translation

from frontdesk_agent.card import AgentCard, parse_card
from registry.models import Agent, AgentVersion
from registry.services import create_agent, publish

MINIMAL: dict[str, Any] = {
    "name": "diagnosis_agent",
    "display_name": "Vehicle diagnosis",
    "version": "1.0.0",
    "owner": "workshop@example.org",
    "description": "Explains fault codes. It rests on the OBD-II list. For drivers and workshops.",
    "capabilities": ["Explain what a fault code means", "List likely causes", "Suggest what to check first"],
    "examples": ["What does P0171 mean?", "P0420 是什么意思", "Why is the engine light on?"],
    "transport": "http",
    "endpoint": "https://agents.example.org/diagnosis/invoke",
    "timeout_ms": 10_000,
    "stateful": False,
    "input_schema_ref": "contracts/v1/AgentRequest",
    "output_schema_ref": "contracts/v1/AgentResponse",
}


@pytest.fixture(autouse=True)
def english() -> Iterator[None]:
    """A request in Chinese leaves its language active in the thread of the tests."""
    with translation.override("en"):
        yield


@pytest.fixture
def card_data() -> Callable[..., dict[str, Any]]:
    """`card_data(version="1.1.0", …)`: a valid card as data, with changes; None leaves a field out."""

    def make(**changes: Any) -> dict[str, Any]:
        return {k: v for k, v in (MINIMAL | changes).items() if v is not None}

    return make


@pytest.fixture
def card(card_data: Callable[..., dict[str, Any]]) -> Callable[..., AgentCard]:
    return lambda **changes: parse_card(card_data(**changes))


@pytest.fixture
def live(card: Callable[..., AgentCard], db: None) -> Callable[..., Agent]:
    """`live("billing_agent", groups=[…])`: a registered and published agent."""

    def make(name: str = "diagnosis_agent", *, groups: Any = (), **changes: Any) -> Agent:
        version = create_agent(card=card(name=name, **changes), by=None, groups=groups, create_tags=True)
        publish(version=version, by=None)
        return Agent.objects.get(name=name)

    return make


@pytest.fixture
def draft(card: Callable[..., AgentCard], db: None) -> Callable[..., AgentVersion]:
    return lambda **changes: create_agent(card=card(**changes), by=None, create_tags=True)


@pytest.fixture
def workshop(db: None) -> Group:
    return Group.objects.create(name="workshop")


@pytest.fixture
def alice(workshop: Group) -> User:
    """In the workshop group."""
    person = User.objects.create_user("alice", "alice@example.org")
    person.groups.add(workshop)
    return person


@pytest.fixture
def bob(db: None) -> User:
    """In no group."""
    return User.objects.create_user("bob", "bob@example.org")


@pytest.fixture
def boss(db: None) -> User:
    return User.objects.create_superuser("boss", "boss@example.org")
