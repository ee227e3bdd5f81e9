"""A person asks: the log fills while the agent works, its words stream in, and all of it is there later."""

import re

import pytest
from playwright.sync_api import Browser, expect

pytestmark = pytest.mark.browser

MARKDOWN = """## 结论 🔧

**“偏稀”**表示混合气偏稀，见 https://example.com/p0171，然后继续。

| 步骤 | 值 |
|---|--:|
| 1 | 12 % |

```python
def trim(stft): return abs(stft) < 12
```

![stolen](https://evil.example/p.png) [click](javascript:alert(1)) <img src=x onerror="window.hurt = 1">
"""


def test_the_row_is_there_while_the_agent_still_works(chat, diagnosis) -> None:
    expect(chat.count).to_contain_text("0")
    expect(chat.indicator("diagnosis_agent")).to_have_attribute("data-fired", "false")
    expect(chat.running).to_be_hidden()
    chat.ask("What does P0171 mean?")
    call = diagnosis.next_call()
    expect(chat.rows).to_have_attribute("data-status", "running")
    expect(chat.rows).to_have_attribute("data-agent", "diagnosis_agent")
    expect(chat.rows).to_contain_text("What does P0171 mean?")
    expect(chat.rows).to_contain_text("1.2.0")
    expect(chat.rows).to_contain_text("Keyword")
    expect(chat.card("diagnosis_agent")).to_have_attribute("data-status", "running")
    expect(chat.indicator("diagnosis_agent")).to_have_attribute("data-fired", "true")
    expect(chat.indicator("knowledge_agent")).to_have_attribute("data-fired", "false")
    expect(chat.banner).to_contain_text("车辆诊断 Diagnosis")
    expect(chat.running).to_be_visible()
    expect(chat.count).to_contain_text("1")
    call.say("Too ")
    expect(chat.answers).to_contain_text("Too")
    call.answer("lean.")
    expect(chat.rows).to_have_attribute("data-status", "completed")
    expect(chat.answers).to_contain_text("Too lean.")
    expect(chat.running).to_be_hidden()
    expect(chat.banner).to_be_hidden()
    expect(chat.page.get_by_role("status")).to_have_text("The answer is complete.")


def test_the_first_message_gives_the_conversation_its_address_and_title(chat, diagnosis) -> None:
    chat.ask("P0171, once more")
    diagnosis.next_call().answer("Lean.")
    expect(chat.page).to_have_url(re.compile(r"/chat/[0-9a-f-]{36}/$"))
    current = chat.page.get_by_test_id("conversation-list").locator("[aria-current=page]")
    expect(current).to_have_text("P0171, once more")
    expect(chat.page).to_have_title("P0171, once more · Frontdesk")
    chat.page.go_back()
    expect(chat.questions).to_have_count(0)
    expect(chat.page.get_by_role("heading", name="What can we help you with?")).to_be_visible()
    chat.page.go_forward()
    expect(chat.answers).to_contain_text("Lean.")


def test_a_reload_in_mid_run_goes_on_where_it_was(chat, diagnosis) -> None:
    chat.ask("P0171 and reload")
    call = diagnosis.next_call()
    call.say("混合气🔧")
    expect(chat.answers).to_contain_text("混合气🔧")
    chat.page.reload()
    expect(chat.answers).to_contain_text("混合气🔧")
    expect(chat.rows).to_have_attribute("data-status", "running")
    expect(chat.stop).to_be_visible()
    call.answer("偏稀")
    expect(chat.answers.locator(".markdown")).to_have_text("混合气🔧偏稀")
    expect(chat.rows).to_have_count(1)
    chat.page.reload()
    expect(chat.answers.locator(".markdown")).to_have_text("混合气🔧偏稀")
    expect(chat.rows).to_have_attribute("data-status", "completed")


def test_a_second_turn_keeps_the_log_of_the_first(chat, diagnosis, knowledge) -> None:
    chat.page.set_viewport_size({"width": 1280, "height": 430})
    chat.ask("P0171 first")
    diagnosis.next_call().answer("One.")
    expect(chat.send).to_be_visible()
    chat.ask("the manual, second")
    knowledge.next_call().answer("Two.")
    expect(chat.rows).to_have_count(2)
    expect(chat.send).to_be_visible()
    assert [row.get_attribute("data-agent") for row in chat.rows.all()] == [
        "diagnosis_agent",
        "knowledge_agent",
    ]
    expect(chat.page.get_by_role("heading", name=re.compile(r"^Run \d$"))).to_have_text(["Run 1", "Run 2"])
    expect(chat.count).to_contain_text("2")
    expect(chat.rows.last).to_be_in_viewport()
    expect(chat.answers.last).to_be_in_viewport()


def test_another_tab_sees_the_same(chat, diagnosis, desk, open_as) -> None:
    chat.ask("P0171 in two tabs")
    call = diagnosis.next_call()
    expect(chat.page).to_have_url(re.compile(r"/chat/[0-9a-f-]{36}/$"))
    other = type(chat)(open_as(desk, "alice", chat.page.url.removeprefix(desk.url)))
    expect(other.rows).to_have_attribute("data-status", "running")
    expect(other.stop).to_be_visible()
    call.answer("Both.")
    for tab in (chat, other):
        expect(tab.answers).to_contain_text("Both.")
        expect(tab.send).to_be_visible()
    other.ask("P0171 from the other")
    diagnosis.next_call().answer("Here too.")
    expect(chat.questions).to_have_count(2)
    expect(chat.answers.last).to_contain_text("Here too.")


def test_markdown_is_shown_and_harmless(chat, diagnosis) -> None:
    chat.ask("P0171 in Markdown")
    call = diagnosis.next_call()
    for at in range(0, len(MARKDOWN), 7):
        call.say(MARKDOWN[at : at + 7])
    citations = [{"title": "Codes", "url": "https://example.com/codes", "snippet": "P0171 too lean"}]
    call.done(citations=citations)
    answer = chat.answers
    expect(answer.locator("h2").last).to_have_text("结论 🔧")
    expect(answer.locator("strong")).to_have_text("“偏稀”")
    expect(answer.locator("td.align-right")).to_have_text("12 %")
    expect(answer.locator("pre code .hljs-keyword").first).to_have_text("def")
    expect(answer.locator("a", has_text="https://example.com/p0171")).to_have_attribute(
        "href", "https://example.com/p0171"
    )
    expect(answer.locator("a.image-link")).to_have_text("stolen")
    expect(answer.locator("img")).to_have_count(0)
    expect(answer.locator("a[href^=javascript]")).to_have_count(0)
    expect(answer.get_by_role("link", name="Codes")).to_have_attribute("rel", re.compile("noopener"))
    assert chat.page.evaluate("window.hurt") is None


def test_suggestions_come_from_the_cards_and_are_asked_by_a_click(chat, diagnosis) -> None:
    chat.page.get_by_role("button", name="P0171 please").click()
    assert diagnosis.next_call().request["input"] == "P0171 please"


def test_what_was_said_reads_without_javascript(chat, diagnosis, desk, browser: Browser) -> None:
    chat.ask("P0171 without scripts")
    diagnosis.next_call().answer("**Lean.**")
    expect(chat.send).to_be_visible()
    state = chat.page.context.storage_state()
    context = browser.new_context(java_script_enabled=False, storage_state=state)
    page = context.new_page()
    page.goto(chat.page.url)
    expect(page.get_by_test_id("message-user")).to_contain_text("P0171 without scripts")
    expect(page.get_by_test_id("message-assistant")).to_contain_text("**Lean.**")
    context.close()
