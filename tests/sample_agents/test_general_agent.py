"""The fallback without a language model."""

from typing import Any

import pytest

from sample_agents import general
from tests.sample_agents.asking import Ask

DIRECTORY = [
    {
        "name": "diagnosis_agent",
        "display_name": "故障诊断",
        "capabilities": ["Explains trouble codes", "解释故障码"],
        "examples": ["P0171 是什么故障？", "what does p0420 mean"],
    },
    {"name": "bare_agent", "display_name": "Bare", "capabilities": [], "examples": []},
    {"name": "general_agent", "display_name": "前台", "capabilities": ["…"], "examples": ["Hello"]},
]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("帮我写一段关于秋天的短诗", "这里没有智能体能处理这个请求"),
        ("Write a short poem about autumn", "Nobody here does that"),
    ],
)
async def test_what_nobody_does_is_said_honestly(ask: Ask, text: str, told: str) -> None:
    said = await ask(general.agent, text, directory=DIRECTORY)
    assert said.text.startswith(told)
    assert "故障诊断" in said.text
    assert "前台" not in said.text.split("\n\n", 1)[1]


@pytest.mark.parametrize(
    ("text", "told"), [("P0171 是什么故障？", "暂时无法访问"), ("P0171?", "cannot be reached")]
)
async def test_whoever_stands_in_for_an_agent_that_is_down_says_so(ask: Ask, text: str, told: str) -> None:
    absent = {"name": "diagnosis_agent", "display_name": "故障诊断"}
    said = await ask(general.agent, text, directory=DIRECTORY, instead_of=absent)
    assert told in said.text
    assert "故障诊断" in said.text


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("hello", "- **故障诊断**: Explains trouble codes. For example “what does p0420 mean”"),
        ("你好", "- **故障诊断**：解释故障码。例如“P0171 是什么故障？”"),
        ("What can you do?", "- **Bare**"),
        ("你能做什么？", "- **Bare**"),
    ],
)
async def test_small_talk_says_what_can_be_asked(ask: Ask, text: str, line: str) -> None:
    said = await ask(general.agent, text, directory=DIRECTORY)
    assert line in said.text.splitlines()
    assert "Nobody" not in said.text
    assert "没有智能体" not in said.text


@pytest.mark.parametrize(("text", "told"), [("谢谢", "不客气。"), ("thanks!", "You are welcome.")])
async def test_thanks_and_farewells(ask: Ask, text: str, told: str) -> None:
    assert (await ask(general.agent, text, directory=DIRECTORY)).text == told


@pytest.mark.parametrize("directory", [None, [], "nonsense", [None, 3, {}], [{"name": "general_agent"}]])
async def test_a_directory_with_nobody_in_it(ask: Ask, directory: Any) -> None:
    said = await ask(general.agent, "Write a poem", directory=directory)
    assert "No other agent is registered for you yet." in said.text


async def test_a_greeting_inside_a_request_is_no_small_talk(ask: Ask) -> None:
    said = await ask(general.agent, "Hello, please write me a long poem about the colours of autumn leaves")
    assert said.text.startswith("Nobody here does that")
