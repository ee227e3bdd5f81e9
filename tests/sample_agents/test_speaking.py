"""The language of an answer, and its pieces."""

import pytest

from frontdesk_agent.contract import AgentRequest
from sample_agents.speech import language_of, spoken, table

TEXTS = [
    "",
    " ",
    "## 标题\n\n- one  two\n\n| a | b |\n",
    "字" * 50,
    "x" * 500,
    "\n\n混合 mixed 文本。\n",
    "🙂 e\u0301",
]


@pytest.mark.parametrize("text", TEXTS)
async def test_the_pieces_joined_are_the_text(text: str) -> None:
    pieces = [piece async for piece in spoken(text)]
    assert "".join(pieces) == text
    assert all(pieces)
    assert max(map(len, pieces), default=0) <= 44


@pytest.mark.parametrize(
    ("text", "locale", "language"),
    [
        ("P0171 是什么", "en", "zh"),
        ("what is P0171", "zh-hans", "en"),
        ("P0171", "zh-hans", "zh"),
        ("p0171", "en", "en"),
        ("as-1001", "zh-hans", "zh"),
        ("16:00", "en", "en"),
        ("???", "", "en"),
    ],
)
def test_the_question_decides_the_language(text: str, locale: str, language: str) -> None:
    request = AgentRequest.model_validate({"input": text, "context": {"metadata": {"locale": locale}}})
    assert language_of(request) == language


def test_a_cell_cannot_break_its_table() -> None:
    assert table(["a"], [["x|y"]]).splitlines()[-1] == r"| x\|y |"
