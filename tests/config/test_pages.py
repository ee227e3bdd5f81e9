"""What every page has: headers that keep strangers out, and nothing a browser would complain about."""

from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.test import Client
from playwright.sync_api import Response, expect
from pytest_django import Settings
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from tests.conftest import OpenAs, Site


@pytest.mark.django_db
def test_the_root_leads_to_the_chat(client: Client, alice: User) -> None:
    assert client.get("/").headers["Location"] == "/chat/"
    assert client.get("/chat/").headers["Location"] == "/accounts/login/?next=/chat/"
    client.force_login(alice)
    assert client.get("/accounts/login/").headers["Location"] == "/chat/"


@pytest.mark.django_db
@pytest.mark.parametrize(
    "path", ["/accounts/login/", "/admin/login/", "/nothing/", "/static/admin/css/base.css"]
)
def test_headers(client: Client, path: str) -> None:
    headers = client.get(path).headers
    policy = dict(part.strip().split(" ", 1) for part in headers["Content-Security-Policy"].split(";"))
    assert policy["script-src"] == policy["style-src"] == policy["connect-src"] == "'self'"
    assert policy["frame-ancestors"] == policy["object-src"] == "'none'"
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "same-origin"
    assert headers["Cross-Origin-Opener-Policy"] == "same-origin"


@pytest.mark.django_db
def test_logging_out_needs_a_post(client: Client, alice: User) -> None:
    client.force_login(alice)
    assert client.get("/accounts/logout/").status_code == 405
    assert client.post("/accounts/logout/").headers["Location"] == "/accounts/login/"


@pytest.mark.django_db
def test_the_language_is_chosen_and_kept(client: Client) -> None:
    client.post("/i18n/setlang/", {"language": "zh-hans", "next": "/accounts/login/"})
    assert 'lang="zh-hans"' in client.get("/accounts/login/").text


@pytest.mark.django_db
def test_an_unknown_host_is_refused(client: Client, settings: Settings) -> None:
    settings.ALLOWED_HOSTS = ["desk.example.org"]
    assert client.get("/livez", headers={"host": "evil.example.org"}).status_code == 400


def test_static_files_are_asked_for_again_unless_their_name_has_a_hash(client: Client) -> None:
    assert client.get("/static/admin/css/base.css").headers["Cache-Control"] == "max-age=0, public"


def test_a_socket_that_does_not_exist(site: Site) -> None:
    url = site.url.replace("http", "ws") + "ws/nothing/"
    with pytest.raises(InvalidStatus) as refused, connect(url, proxy=None):
        pass
    assert refused.value.response.status_code == 403


@pytest.mark.browser
def test_the_admin_works_under_the_content_security_policy(site: Site, open_as: OpenAs) -> None:
    page = open_as(site, "admin", "/admin/")
    page.get_by_role("link", name="Users", exact=True).first.click()
    page.get_by_role("link", name="alice").click()
    page.get_by_label("First name").fill("Alice")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text("was changed successfully")).to_be_visible()
    for path in ("registry/agent/", "registry/agent/add/", "conversations/run/", "auth/group/add/"):
        page.goto(f"/admin/{path}")
        expect(page.locator("#content")).to_be_visible()


@pytest.mark.browser
def test_collected_files_have_hashed_names_and_are_kept(open_as: OpenAs, tmp_path: Path) -> None:
    site = Site(tmp_path, ("--no-agents",), {"STATIC_COLLECTED": "true"})
    site.manage("collectstatic", "--noinput")
    try:
        site.start()
        asked: list[Response] = []
        page = open_as(site, "alice", "/agents/")
        page.on("response", lambda response: asked.append(response))
        page.goto("/chat/")
        expect(page.get_by_test_id("composer")).to_be_visible()
        page.context.close()
    finally:
        site.stop()
    files = [answer for answer in asked if "/static/" in answer.url]
    assert [answer.url for answer in files if "immutable" not in answer.headers["cache-control"]] == []
    assert any(answer.url.endswith(".js") for answer in files)
