"""The main job as a person does it: log in, ask, watch, reload, stop, try again, read it in Chinese."""

import pytest
from playwright.sync_api import expect

from tests.conftest import PASSWORD

pytestmark = pytest.mark.browser


def test_from_the_login_to_the_answer(chat, desk, diagnosis) -> None:
    page = chat.page
    page.get_by_test_id("logout").click()
    page.get_by_label("User name").fill("alice")
    page.get_by_label("Password").fill("wrong")
    page.get_by_role("button", name="Log in").click()
    expect(page.get_by_role("alert")).to_be_visible()
    page.get_by_label("User name").fill("alice")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Log in").click()

    chat.ask("P0171, the whole way")
    call = diagnosis.next_call()
    expect(chat.rows).to_have_attribute("data-status", "running")
    expect(chat.rows).to_have_attribute("data-agent", "diagnosis_agent")
    expect(chat.running).to_be_visible()
    expect(chat.banner).to_contain_text("P0171, the whole way")
    expect(chat.indicator("diagnosis_agent")).to_have_attribute("data-fired", "true")
    expect(chat.card("diagnosis_agent")).to_have_attribute("data-status", "running")

    call.say("So ", "far")
    page.reload()
    expect(chat.answers).to_contain_text("So far")
    expect(chat.rows).to_have_attribute("data-status", "running")
    expect(chat.count).to_contain_text("1")

    chat.stop.click()
    call.wait_until_hung_up()
    expect(chat.rows).to_have_attribute("data-status", "cancelled")
    expect(chat.running).to_be_hidden()

    chat.retry.click()
    diagnosis.next_call().answer("**Lean** mixture.")
    expect(chat.answers.last.get_by_text("Lean", exact=True)).to_be_visible()
    expect(chat.rows.last).to_have_attribute("data-status", "completed")
    expect(chat.questions).to_have_count(1)

    page.get_by_test_id("language-switch").click()
    expect(page.get_by_role("heading", name="委派日志")).to_be_visible()
    expect(chat.answers.last).to_contain_text("Lean mixture.")
    expect(chat.rows).to_have_count(2)
