"""Narrow and wide, light and dark: usable, and without faults that axe can find."""

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.browser

PHONE = {"width": 390, "height": 844}


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1440, 1000, 390])
def test_no_accessibility_faults(chat, diagnosis, scheme, width) -> None:
    chat.page.set_viewport_size({"width": width, "height": 844})
    chat.page.emulate_media(color_scheme=scheme)
    assert chat.accessibility_faults() == []
    chat.ask("P0171 looked at closely")
    call = diagnosis.next_call()
    call.say("# Heading\n\n| a | b |\n|--|--|\n| 1 | 2 |\n\n```python\nx = 1\n```\n\nmore")
    expect(chat.answers).to_contain_text("more")
    assert chat.accessibility_faults() == []
    call.fail()
    expect(chat.error).to_be_visible()
    assert chat.accessibility_faults() == []
    assert chat.overflow() == 0


def test_on_a_phone_chat_and_log_are_tabs(chat, diagnosis) -> None:
    chat.page.set_viewport_size(PHONE)
    log = chat.page.get_by_test_id("delegation-log")
    expect(log).to_be_hidden()
    chat.ask("P0171 on the road")
    diagnosis.next_call().answer("Lean.")
    expect(chat.answers).to_contain_text("Lean.")
    tab = chat.page.get_by_role("tab", name="Log")
    expect(tab).to_contain_text("1")
    tab.click()
    expect(log).to_be_visible()
    expect(chat.composer).to_be_hidden()
    assert chat.overflow() == 0


def test_on_a_phone_the_conversations_are_in_a_drawer(chat, diagnosis) -> None:
    chat.page.set_viewport_size(PHONE)
    chat.ask("P0171 in a drawer")
    diagnosis.next_call().answer("Lean.")
    expect(chat.answers).to_contain_text("Lean.")
    listed = chat.page.get_by_test_id("conversation-list")
    expect(listed).to_be_hidden()
    opener = chat.page.get_by_role("button", name="Conversations")
    opener.click()
    expect(listed).to_be_visible()
    chat.page.keyboard.press("Escape")
    expect(listed).to_be_hidden()
    expect(opener).to_be_focused()
    opener.click()
    chat.page.get_by_role("link", name="New conversation").first.click()
    expect(listed).to_be_hidden()
    expect(chat.questions).to_have_count(0)


def test_the_theme_is_kept(chat) -> None:
    button = chat.page.get_by_role("button", name="Theme: automatic")
    button.click()
    chat.page.get_by_role("button", name="Theme: light").click()
    expect(chat.page.locator("html")).to_have_attribute("data-theme", "dark")
    chat.page.reload()
    expect(chat.page.locator("html")).to_have_attribute("data-theme", "dark")
    expect(chat.page.get_by_role("button", name="Theme: dark")).to_be_visible()


def test_nothing_moves_for_who_wants_no_motion(chat, diagnosis) -> None:
    chat.page.emulate_media(reduced_motion="reduce")
    chat.ask("P0171 at rest")
    call = diagnosis.next_call()
    expect(chat.banner).to_be_visible()
    names = "[...document.querySelectorAll('.pulse')].map(one => getComputedStyle(one).animationName)"
    assert set(chat.page.evaluate(names)) == {"none"}
    call.answer("Still.")
