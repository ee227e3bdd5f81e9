"""Stop means stop; a failure says what happened, and can be tried again."""

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.browser


def test_stop_before_the_first_word(chat, diagnosis) -> None:
    chat.ask("P0171, no, wait")
    call = diagnosis.next_call()
    expect(chat.rows).to_have_attribute("data-status", "running")
    chat.stop.click()
    call.wait_until_hung_up()
    expect(chat.rows).to_have_attribute("data-status", "cancelled")
    expect(chat.card("diagnosis_agent")).to_have_attribute("data-status", "cancelled")
    expect(chat.send).to_be_visible()
    expect(chat.running).to_be_hidden()
    chat.ask("P0171 again")
    diagnosis.next_call().answer("Lean.")
    expect(chat.answers.last).to_contain_text("Lean.")


def test_stop_in_the_middle_keeps_what_was_said(chat, diagnosis) -> None:
    chat.ask("P0171 at length")
    call = diagnosis.next_call()
    call.say("So far")
    expect(chat.answers).to_contain_text("So far")
    chat.stop.click()
    call.wait_until_hung_up()
    expect(chat.answers).to_have_attribute("data-status", "partial")
    expect(chat.answers).to_contain_text("So far")
    expect(chat.page.get_by_text("You stopped this.")).to_be_visible()
    expect(chat.retry).to_be_visible()


def test_a_failure_says_what_happened_and_can_be_tried_again(chat, diagnosis) -> None:
    chat.ask("P0171 that fails")
    diagnosis.next_call().fail()
    expect(chat.rows).to_have_attribute("data-status", "failed")
    expect(chat.error).to_have_attribute("data-code", "AGENT_FAILED")
    expect(chat.error).to_contain_text("The agent said that it could not do this.")
    chat.retry.click()
    diagnosis.next_call().answer("Now it works.")
    expect(chat.answers.last).to_contain_text("Now it works.")
    expect(chat.questions).to_have_count(1)
    expect(chat.rows).to_have_count(2)
    expect(chat.retry).to_have_count(0)


def test_half_an_answer_is_kept_and_marked(chat, diagnosis) -> None:
    chat.ask("P0171 that breaks off")
    call = diagnosis.next_call()
    call.say("Half of")
    expect(chat.answers).to_contain_text("Half of")
    call.break_off()
    expect(chat.error).to_have_attribute("data-code", "STREAM_INTERRUPTED")
    expect(chat.answers).to_contain_text("Half of")
    expect(chat.answers).to_contain_text("This answer is incomplete.")


def test_an_unknown_agent_by_name_is_said_to_be_unknown(chat) -> None:
    chat.ask("@nobody_here what is this")
    expect(chat.error).to_have_attribute("data-code", "AGENT_NOT_FOUND")
    expect(chat.rows).to_have_count(0)
    expect(chat.send).to_be_visible()
