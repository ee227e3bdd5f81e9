"""Long and strange messages are answered, in a time that grows with their length and not with its square."""

from pathlib import Path

import pytest

from sample_agents import aftersales, calibration, diagnosis, general, knowledge, supply_chain
from tests.sample_agents.asking import Ask

AGENTS = {
    "diagnosis": diagnosis.agent,
    "aftersales": aftersales.agent,
    "supply_chain": supply_chain.agent,
    "calibration": calibration.agent,
    "general": general.agent,
    "knowledge": knowledge.agent,
}
MESSAGES = {
    "blanks": " " * 32_000 + "x",
    "digits": "1" * 32_000,
    "words": "how many oil filter brake x " * 1_100,
    "chinese": "苏州仓还有多少刹车片发动机抖动" * 2_000,
    "numbers": "12月3号 10:00 3.2V 25度 " * 1_300,
    "markdown": "`|**<script>[x](javascript:1)" * 900,
    "strange": "\u202e\u0007🙂\U0001f468\u200d\U0001f469 ⁰¹ \ud7a3",
}


@pytest.mark.timeout(10)
@pytest.mark.parametrize("message", MESSAGES)
@pytest.mark.parametrize("agent", AGENTS)
async def test_answered_in_time(
    ask: Ask, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, agent: str, message: str
) -> None:
    monkeypatch.setenv("AFTERSALES_DB", str(tmp_path / "book.sqlite3"))
    answer = await ask(AGENTS[agent], MESSAGES[message])
    assert answer.end is not None
    assert answer.end.event == "done"
    assert 0 < len(answer.text) < 40_000
