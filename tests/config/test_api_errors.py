"""Whatever goes wrong below `/api/` is answered as `{code, message, details?}` with a fitting status."""

import pytest
from asgiref.sync import async_to_sync
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied, SuspiciousOperation
from django.core.exceptions import ValidationError as DjangoValidationError
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.test import AsyncClient, Client
from django.urls import path
from django.views.decorators.http import require_GET
from pytest_django import Settings
from rest_framework import exceptions, serializers
from rest_framework.decorators import api_view, parser_classes
from rest_framework.parsers import JSONParser
from rest_framework.request import Request
from rest_framework.response import Response

from config import urls
from config.errors import STATUS
from frontdesk_agent.errors import ErrorCode, FrontdeskError

RAISED: dict[str, Exception] = {
    "coded": FrontdeskError(ErrorCode.CONVERSATION_LOCKED, "One at a time.", details={"run": "r"}),
    "missing": Http404("secret reason"),
    "denied": PermissionDenied("secret reason"),
    "invalid": DjangoValidationError({"name": ["Too long."]}),
    "throttled": exceptions.Throttled(wait=3),
    "defect": RuntimeError("secret reason"),
    "suspicious": SuspiciousOperation("secret reason"),
}


class Card(serializers.Serializer[object]):
    name = serializers.CharField()
    tags = serializers.ListField(child=serializers.CharField(max_length=3))


@api_view(["GET", "POST"])
@parser_classes([JSONParser])
def framework_view(request: Request, kind: str) -> Response:
    if kind == "card":
        Card(data=request.data).is_valid(raise_exception=True)
    raise RAISED[kind]


async def plain_view(request: HttpRequest, kind: str) -> HttpResponse:
    raise RAISED[kind]


@require_GET
def get_only(request: HttpRequest) -> JsonResponse:
    return JsonResponse({})


handler400 = urls.handler400
handler403 = urls.handler403
handler404 = urls.handler404
handler500 = urls.handler500
urlpatterns = [
    *urls.urlpatterns,
    path("api/v1/framework/<str:kind>/", framework_view),
    path("api/v1/plain/<str:kind>/", plain_view),
    path("api/v1/get-only/", get_only),
    path("page/<str:kind>/", plain_view),
]


@pytest.fixture
def client(settings: Settings, alice: User) -> Client:
    settings.ROOT_URLCONF = __name__
    client = Client(raise_request_exception=False)
    client.force_login(alice)
    return client


def test_every_code_has_a_status() -> None:
    assert set(STATUS) == set(ErrorCode)


@pytest.mark.parametrize("view", ["framework", "plain"])
def test_a_coded_error_keeps_its_code_message_and_details(client: Client, view: str) -> None:
    answer = client.get(f"/api/v1/{view}/coded/")
    assert answer.status_code == 409
    assert answer.json() == {
        "code": "CONVERSATION_LOCKED",
        "message": "One at a time.",
        "details": {"run": "r"},
    }


@pytest.mark.parametrize("view", ["framework", "plain"])
@pytest.mark.parametrize(
    ("kind", "status", "code"),
    [
        ("missing", 404, "NOT_ALLOWED"),
        ("denied", 403, "NOT_ALLOWED"),
        ("suspicious", 400, "INVALID_INPUT"),
        ("defect", 500, "INTERNAL"),
    ],
)
def test_what_django_refuses(client: Client, view: str, kind: str, status: int, code: str) -> None:
    answer = client.get(f"/api/v1/{view}/{kind}/")
    assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert set(answer.json()) == {"code", "message"}
    assert "secret" not in answer.text
    assert "Content-Security-Policy" in answer.headers


def test_an_async_server_answers_the_same(client: Client) -> None:
    async def ask(kind: str) -> tuple[int, str]:
        answer = await AsyncClient(raise_request_exception=False).get(f"/api/v1/plain/{kind}/")
        return answer.status_code, answer.json()["code"]

    assert async_to_sync(ask)("coded") == (409, "CONVERSATION_LOCKED")
    assert async_to_sync(ask)("defect") == (500, "INTERNAL")


def test_invalid_fields_are_listed_one_by_one(client: Client) -> None:
    answer = client.post("/api/v1/framework/card/", {"tags": ["ok", "long"]}, "application/json")
    assert answer.status_code == 400
    assert answer.json()["code"] == "INVALID_INPUT"
    assert answer.json()["details"] == [
        {"field": "name", "message": "This field is required."},
        {"field": "tags.1", "message": "Ensure this field has no more than 3 characters."},
    ]


def test_a_model_that_does_not_validate(client: Client) -> None:
    answer = client.get("/api/v1/framework/invalid/")
    assert (answer.status_code, answer.json()["details"]) == (
        400,
        [{"field": "name", "message": "Too long."}],
    )


def test_an_unreadable_body(client: Client) -> None:
    answer = client.post("/api/v1/framework/card/", "{", "application/json")
    assert (answer.status_code, answer.json()["code"]) == (400, "INVALID_INPUT")


def test_an_unknown_media_type(client: Client) -> None:
    answer = client.post("/api/v1/framework/card/", "a: b", "text/yaml")
    assert (answer.status_code, answer.json()["code"]) == (415, "INVALID_INPUT")


def test_a_format_that_is_not_served(client: Client) -> None:
    answer = client.get("/api/v1/framework/coded/", headers={"accept": "text/html"})
    assert (answer.status_code, answer.json()["code"]) == (406, "INVALID_INPUT")


@pytest.mark.parametrize("view", ["framework/coded/", "get-only/"])
def test_a_method_that_is_not_served(client: Client, view: str) -> None:
    answer = client.delete(f"/api/v1/{view}")
    assert (answer.status_code, answer.json()["code"]) == (405, "INVALID_INPUT")
    assert "GET" in answer.headers["Allow"]


def test_too_many_requests(client: Client) -> None:
    answer = client.get("/api/v1/framework/throttled/")
    assert (answer.status_code, answer.json()["code"]) == (429, "RATE_LIMITED")
    assert answer.headers["Retry-After"] == "3"


def test_an_unknown_path(client: Client) -> None:
    answer = client.get("/api/v1/nothing/here/")
    assert (answer.status_code, answer.json()["code"]) == (404, "NOT_ALLOWED")
    assert answer.headers["Content-Length"] == str(len(answer.content))


def test_nobody_is_asked_to_log_in(client: Client) -> None:
    client.logout()
    answer = client.get("/api/v1/framework/coded/")
    assert (answer.status_code, answer.json()["code"]) == (401, "NOT_ALLOWED")
    assert answer.headers["WWW-Authenticate"] == "Session"


def test_a_missing_csrf_token(client: Client, alice: User) -> None:
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(alice)
    for view in ("framework/card/", "plain/coded/"):
        answer = strict.post(f"/api/v1/{view}", {}, "application/json")
        assert (answer.status_code, answer.json()["code"]) == (403, "NOT_ALLOWED")


def test_pages_keep_their_error_pages(client: Client) -> None:
    answer = client.get("/page/missing/")
    assert answer.status_code == 404
    assert answer.headers["Content-Type"].startswith("text/html")
