"""What a person types is sent once, to whom they want, and never lost."""

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.browser

COMPOSING = """element => element.dispatchEvent(
    new KeyboardEvent("keydown", {key: "Enter", isComposing: true, bubbles: true, cancelable: true}))"""


def test_an_empty_message_is_not_sent(chat) -> None:
    chat.send.click()
    expect(chat.page.get_by_role("alert")).to_have_text("Write a message first.")
    expect(chat.questions).to_have_count(0)


def test_a_message_of_200_kb_is_refused_and_stays(chat) -> None:
    text = "车" * 70_000
    chat.composer.fill(text)
    chat.send.click()
    expect(chat.page.get_by_role("alert")).to_contain_text("too long: 70,000 characters")
    expect(chat.composer).to_have_value(text)


def test_enter_sends_shift_enter_does_not_and_a_composition_neither(chat, diagnosis) -> None:
    chat.composer.press_sequentially("P0171")
    chat.composer.press("Shift+Enter")
    chat.composer.press_sequentially("two lines")
    chat.composer.evaluate(COMPOSING)
    expect(chat.composer).to_have_value("P0171\ntwo lines")
    chat.composer.press("Enter")
    call = diagnosis.next_call()
    assert call.request["input"] == "P0171\ntwo lines"
    expect(chat.composer).to_have_value("")
    call.answer("Yes.")


def test_while_a_run_is_under_way_typed_text_stays(chat, diagnosis) -> None:
    chat.ask("P0171 takes its time")
    call = diagnosis.next_call()
    expect(chat.send).to_be_hidden()
    chat.ask("and another thing")
    expect(chat.composer).to_have_value("and another thing")
    expect(chat.page.get_by_role("alert")).to_contain_text("Wait for the answer")
    call.answer("Done.")
    expect(chat.send).to_be_visible()
    expect(chat.composer).to_have_value("and another thing")
    expect(chat.questions).to_have_count(1)


def test_a_draft_survives_a_reload_and_a_change_of_language(chat) -> None:
    chat.composer.fill("half a thought")
    chat.page.reload()
    expect(chat.composer).to_have_value("half a thought")
    chat.page.get_by_test_id("language-switch").click()
    expect(chat.page.get_by_role("heading", name="委派日志")).to_be_visible()
    expect(chat.composer).to_have_value("half a thought")
    expect(chat.stop).to_be_hidden()
    chat.page.get_by_test_id("language-switch").click()
    expect(chat.page.get_by_role("heading", name="Delegation log")).to_be_visible()


def test_a_change_of_language_stays_in_the_conversation_that_just_began(chat, diagnosis) -> None:
    chat.ask("P0171")
    call = diagnosis.next_call()
    expect(chat.stop).to_be_visible()
    address = chat.page.url
    chat.page.get_by_test_id("language-switch").click()
    expect(chat.page.get_by_role("heading", name="委派日志")).to_be_visible()
    assert chat.page.url == address
    expect(chat.page.get_by_test_id("delegation-entry")).to_have_attribute("data-status", "running")
    call.answer("Lean.")
    expect(chat.answers.last).to_contain_text("Lean.")


def test_an_agent_is_named_by_keyboard(chat, knowledge) -> None:
    chat.composer.press_sequentially("@kn")
    option = chat.page.get_by_role("listbox").get_by_role("option")
    expect(option).to_have_count(1)
    expect(option).to_contain_text("Knowledge")
    chat.composer.press("Enter")
    expect(chat.composer).to_have_value("@knowledge_agent ")
    chat.composer.press_sequentially("about P0171")
    chat.composer.press("Enter")
    knowledge.next_call().answer("By the book.")
    expect(chat.answers).to_contain_text("By the book.")


def test_an_agent_is_chosen_for_the_conversation(chat, diagnosis, knowledge) -> None:
    select = chat.page.get_by_test_id("agent-select")
    select.select_option("knowledge_agent")
    chat.ask("P0171, but from the books")
    knowledge.next_call().answer("By the book.")
    expect(chat.send).to_be_visible()
    chat.page.reload()
    expect(select).to_have_value("knowledge_agent")
    select.select_option("")
    chat.ask("P0171 from whoever knows")
    diagnosis.next_call().answer("Lean.")
    expect(chat.answers.last).to_contain_text("Lean.")


def test_an_address_fills_the_composer_and_chooses_the_agent(desk, open_as, chat) -> None:
    linked = type(chat)(open_as(desk, "alice", "/chat/?q=P0171%3F&agent=knowledge_agent"))
    expect(linked.composer).to_have_value("P0171?")
    expect(linked.page.get_by_test_id("agent-select")).to_have_value("knowledge_agent")
    expect(linked.questions).to_have_count(0)
