"""The connection goes and comes back: nothing is lost, nothing is said twice."""

import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page, WebSocketRoute, expect

pytestmark = pytest.mark.browser


@pytest.fixture
def page_of_alice(new_context: Callable[..., BrowserContext]) -> Callable[[Any], Page]:
    """A page that may complain: a server that is gone is an error in the console."""

    def open_page(site: Any) -> Page:
        context = new_context(base_url=site.url)
        with site.client("alice") as client:
            context.add_cookies(
                [{"name": one.name, "value": one.value or "", "url": site.url} for one in client.cookies.jar]
            )
        return context.new_page()

    return open_page


def test_a_message_lost_on_its_way_is_sent_again_as_the_same_one(
    page_of_alice, desk, chat, diagnosis
) -> None:
    starts: list[dict[str, Any]] = []

    def relay(browser_side: WebSocketRoute) -> None:
        server_side = browser_side.connect_to_server()

        def from_page(text: str | bytes) -> None:
            frame = json.loads(text)
            if frame["type"] == "run.start":
                starts.append(frame)
                if len(starts) == 1:
                    browser_side.close(code=1011)
                    return
            server_side.send(text)

        browser_side.on_message(from_page)

    page = page_of_alice(desk)
    page.route_web_socket(re.compile("/ws/chat/"), relay)
    page.goto("/chat/")
    mine = type(chat)(page)
    mine.ask("P0171 that gets lost")
    expect(mine.rows).to_have_attribute(
        "data-status", "running"
    )  # the relay works only while the page is looked at
    diagnosis.next_call().answer("Here.")
    expect(mine.answers).to_contain_text("Here.")
    expect(mine.questions).to_have_count(1)
    assert len(starts) == 2
    assert starts[0]["client_id"] == starts[1]["client_id"]


def test_after_the_server_was_killed_the_page_comes_back_and_says_so(
    page_of_alice, make_site, cards, chat, diagnosis
) -> None:
    site = make_site(LEASE_TTL_S="2", LEASE_HEARTBEAT_S="0.5")
    site.publish(*cards)
    page = page_of_alice(site)
    page.goto("/chat/")
    mine = type(chat)(page)
    mine.ask("P0171 with a crash")
    call = diagnosis.next_call()
    call.say("Before the crash")
    expect(mine.answers).to_contain_text("Before the crash")
    site.kill()
    call.break_off()
    expect(page.get_by_text("Connection lost. Trying again…")).to_be_visible()
    mine.composer.fill("typed meanwhile")
    site.start()
    expect(mine.error).to_have_attribute("data-code", "RUN_INTERRUPTED", timeout=30_000)
    expect(page.get_by_text("Connection lost. Trying again…")).to_be_hidden()
    expect(mine.composer).to_have_value("typed meanwhile")
    mine.retry.click()
    expect(mine.rows).to_have_count(2)
    diagnosis.next_call().answer("After the crash.")
    expect(mine.answers.last).to_contain_text("After the crash.")


def test_a_session_that_ended_says_so(page_of_alice, desk, chat, diagnosis) -> None:
    page = page_of_alice(desk)
    page.goto("/chat/")
    mine = type(chat)(page)
    mine.ask("P0171 before the end")
    diagnosis.next_call().answer("Yes.")
    expect(mine.send).to_be_visible()
    token = page.locator("input[name=csrfmiddlewaretoken]").first.input_value()
    answer = page.request.post(
        "/accounts/logout/", form={"csrfmiddlewaretoken": token}, headers={"Referer": page.url}
    )
    assert answer.ok
    mine.ask("P0171 after it")
    expect(page.get_by_text("You are not logged in any more.")).to_be_visible()
    expect(page.get_by_role("link", name="Log in")).to_be_visible()
    expect(mine.composer).to_have_value("P0171 after it")
