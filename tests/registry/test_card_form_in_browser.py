"""The form of a card in a real browser: rows by keyboard and paste, and from nothing to published."""

import re

import pytest
from playwright.sync_api import Page, ViewportSize, expect

pytestmark = pytest.mark.browser
ADD = "/admin/registry/agent/add/"
PHONE: ViewportSize = {"width": 390, "height": 844}


def rows(page: Page, name: str = "examples") -> list[str]:
    return page.locator(f"[name={name}]").evaluate_all("fields => fields.map(field => field.value)")


def paste(page: Page, text: str) -> None:
    """What the clipboard's event carries, at the focused field."""
    page.evaluate(
        """text => {
          const data = new DataTransfer();
          data.setData("text/plain", text);
          const event = new ClipboardEvent("paste", {clipboardData: data, bubbles: true, cancelable: true});
          document.activeElement.dispatchEvent(event);
        }""",
        text,
    )


def test_rows_are_written_with_the_keyboard_alone(site, open_as):
    page = open_as(site, "admin", ADD)
    page.get_by_label("Examples, row 1").focus()
    page.keyboard.type("first")
    page.keyboard.press("Enter")
    page.keyboard.type("second")
    expect(page.get_by_label("Examples, row 2")).to_be_focused()
    page.keyboard.press("Enter")
    page.keyboard.press("Enter")
    assert rows(page) == ["first", "second", ""], "Enter in an empty last row adds no more"
    expect(page.locator(".field-examples .rows-status")).to_have_text("Row 3 added.")
    page.keyboard.press("Backspace")
    expect(page.get_by_label("Examples, row 2")).to_be_focused()
    page.get_by_label("Examples, row 1").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_label("Examples, row 2")).to_be_focused()
    assert rows(page) == ["first", "second"]


def test_a_pasted_list_becomes_rows_without_its_bullets(site, open_as):
    page = open_as(site, "admin", ADD)
    page.get_by_label("Capabilities, row 1").focus()
    page.keyboard.type("Zero")
    page.keyboard.press("Enter")
    paste(page, "- Explain codes\r\n* List causes\n\n3. Suggest checks\n12V 蓄电池库存")
    assert rows(page, "capabilities") == [
        "Zero",
        "Explain codes",
        "List causes",
        "Suggest checks",
        "12V 蓄电池库存",
    ]
    page.get_by_label("Remove row 2").first.click()
    assert rows(page, "capabilities") == ["Zero", "List causes", "Suggest checks", "12V 蓄电池库存"]
    labels = page.locator("[name=capabilities]").evaluate_all("all => all.map(one => one.ariaLabel)")
    assert labels == [f"Capabilities, row {n}" for n in (1, 2, 3, 4)]
    ids = page.locator("[name=capabilities]").evaluate_all("all => all.map(one => one.id)")
    assert len(set(ids)) == 4


def test_enter_that_confirms_a_chinese_word_stays_in_its_row(site, open_as):
    page = open_as(site, "admin", ADD)
    page.get_by_label("Examples, row 1").focus()
    page.keyboard.insert_text("故障码")
    page.evaluate(
        """() => document.activeElement.dispatchEvent(
          new KeyboardEvent("keydown", {key: "Enter", isComposing: true, bubbles: true, cancelable: true}))"""
    )
    assert rows(page) == ["故障码"]


def test_only_what_the_transport_needs_is_asked(site, open_as):
    page = open_as(site, "admin", ADD)
    expect(page.get_by_label("Endpoint", exact=False).first).to_be_visible()
    expect(page.locator("[name=entrypoint]")).to_be_hidden()
    expect(page.locator("[name=secret_ref]")).to_be_hidden()
    page.locator("[name=auth_type]").select_option("bearer")
    expect(page.locator("[name=secret_ref]")).to_be_visible()
    page.locator("[name=transport]").select_option("inproc")
    expect(page.locator("[name=entrypoint]")).to_be_visible()
    expect(page.locator("[name=endpoint]")).to_be_hidden()
    page.locator("[name=entrypoint]").fill("prompt")
    expect(page.locator("[name=system_prompt]")).to_be_visible()


def test_the_first_agent_is_one_form_a_save_and_a_publish(site, open_as):
    page = open_as(site, "admin", ADD)
    page.locator("[name=name]").fill("browser_agent")
    page.locator("[name=display_name]").fill("Browser test")
    page.locator("[name=description]").fill("Only for a test.")
    page.get_by_label("Capabilities, row 1").fill("Say hello")
    page.get_by_label("Examples, row 1").fill("x" * 600)
    page.locator("[name=not_for]").fill("Fault codes")
    target = page.get_by_label("Row 1: agent that takes it")
    target.fill("diagnosis_agent")
    assert target.evaluate("field => [...field.list.options].some(one => one.value === 'diagnosis_agent')")
    page.locator("[name=endpoint]").fill("https://agents.example.org/hello")
    page.get_by_role("button", name="Save draft").click()
    wrong = page.get_by_label("Examples, row 1")
    expect(wrong).to_have_attribute("aria-invalid", "true")
    expect(wrong).to_be_focused()
    expect(wrong).to_have_accessible_description("Must have at most 500 characters.")
    wrong.fill("Say hello to me")
    page.get_by_role("button", name="Save draft").click()
    expect(page.get_by_text("Saved as draft 1.0.0.")).to_be_visible()
    expect(page.get_by_text("Not published")).to_be_visible()
    page.get_by_role("button", name="Save and publish").click()
    expect(page.get_by_text("browser_agent 1.0.0 is live.")).to_be_visible()
    expect(page.locator("[name=description]")).to_have_count(0)
    page.get_by_role("button", name="New version from this one").click()
    expect(page.locator("[name=version]")).to_have_value("1.0.1")
    # Others use this site too: nothing of this test stays in their directory.
    page.get_by_label("Enabled").uncheck()
    page.get_by_role("button", name="Save draft").click()
    expect(page.get_by_text("Disabled: nobody reaches it")).to_be_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("path", [ADD, "/admin/registry/agent/", "/agents/"])
def test_every_page_fits_a_phone(site, open_as, path, scheme):
    page = open_as(site, "admin", path)
    page.set_viewport_size(PHONE)
    page.emulate_media(color_scheme=scheme)
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]


def test_an_example_of_the_directory_leads_to_the_chat(site, open_as):
    page = open_as(site, "alice", "/agents/")
    card = page.get_by_test_id("agent-card").first
    example = card.get_by_role("list", name="Ask for example").get_by_role("link").first
    expect(example).to_have_attribute("href", re.compile(r"^/chat/\?q=.+&agent=\w+$"))
    page.get_by_role("searchbox").fill("P0171")
    page.keyboard.press("Enter")
    expect(page.get_by_test_id("agent-card")).to_have_count(1)
    expect(page.get_by_test_id("agent-card")).to_have_attribute("data-agent", "diagnosis_agent")


def test_enter_in_a_plain_field_saves_a_draft_and_publishes_nothing(site, open_as):
    page = open_as(site, "admin", ADD)
    assert page.evaluate("document.querySelector('#agent_form [type=submit]').name") == "_save"


def test_nothing_of_the_form_is_cut_off_on_a_phone(site, open_as):
    page = open_as(site, "admin", ADD)
    page.set_viewport_size(PHONE)
    rights = page.locator(".fd-input textarea, .fd-input input, .fd-field .help").evaluate_all(
        "all => all.filter(one => one.offsetParent).map(one => one.getBoundingClientRect().right)"
    )
    assert max(rights) <= PHONE["width"]
