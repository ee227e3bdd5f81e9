"""Narrow and wide, light and dark: usable, and without faults that axe can find."""

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.browser

PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True}


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1440, 1000, 390])
def test_no_accessibility_faults(desk, open_as, chat, diagnosis, scheme, width) -> None:
    options = {"viewport": {"width": width, "height": 844}, "color_scheme": scheme, "bypass_csp": True}
    mine = type(chat)(open_as(desk, "alice", **options))
    assert mine.accessibility_faults() == []
    mine.ask("P0171 looked at closely")
    call = diagnosis.next_call()
    call.say("# Heading\n\n| a | b |\n|--|--|\n| 1 | 2 |\n\n```python\nx = 1\n```\n\nmore")
    expect(mine.answers).to_contain_text("more")
    assert mine.accessibility_faults() == []
    call.fail()
    expect(mine.error).to_be_visible()
    assert mine.accessibility_faults() == []
    assert mine.overflow() == 0


def test_on_a_phone_chat_and_log_are_tabs(desk, open_as, chat, diagnosis) -> None:
    mine = type(chat)(open_as(desk, "alice", **PHONE))
    log = mine.page.get_by_test_id("delegation-log")
    expect(log).to_be_hidden()
    mine.ask("P0171 on the road")
    diagnosis.next_call().answer("Lean.")
    expect(mine.answers).to_contain_text("Lean.")
    tab = mine.page.get_by_role("tab", name="Log")
    expect(tab).to_contain_text("1")
    tab.click()
    expect(log).to_be_visible()
    expect(mine.composer).to_be_hidden()
    assert mine.overflow() == 0


def test_on_a_phone_the_conversations_are_in_a_drawer(desk, open_as, chat, diagnosis) -> None:
    mine = type(chat)(open_as(desk, "alice", **PHONE))
    mine.ask("P0171 in a drawer")
    diagnosis.next_call().answer("Lean.")
    expect(mine.answers).to_contain_text("Lean.")
    listed = mine.page.get_by_test_id("conversation-list")
    expect(listed).to_be_hidden()
    opener = mine.page.get_by_role("button", name="Conversations")
    opener.click()
    expect(listed).to_be_visible()
    mine.page.keyboard.press("Escape")
    expect(listed).to_be_hidden()
    expect(opener).to_be_focused()
    opener.click()
    mine.page.get_by_role("link", name="New conversation").first.click()
    expect(listed).to_be_hidden()
    expect(mine.questions).to_have_count(0)


def test_the_theme_is_kept(chat) -> None:
    button = chat.page.get_by_role("button", name="Theme: automatic")
    button.click()
    chat.page.get_by_role("button", name="Theme: light").click()
    expect(chat.page.locator("html")).to_have_attribute("data-theme", "dark")
    chat.page.reload()
    expect(chat.page.locator("html")).to_have_attribute("data-theme", "dark")
    expect(chat.page.get_by_role("button", name="Theme: dark")).to_be_visible()


def test_nothing_moves_for_who_wants_no_motion(desk, open_as, chat, diagnosis) -> None:
    mine = type(chat)(open_as(desk, "alice", reduced_motion="reduce"))
    mine.ask("P0171 at rest")
    call = diagnosis.next_call()
    expect(mine.banner).to_be_visible()
    names = "[...document.querySelectorAll('.pulse')].map(one => getComputedStyle(one).animationName)"
    assert set(mine.page.evaluate(names)) == {"none"}
    call.answer("Still.")
