"""Symptoms in both languages."""

import pytest

from sample_agents import diagnosis
from sample_agents.symptoms import all_symptoms, observed
from tests.sample_agents.asking import Ask


def test_there_are_a_dozen_symptoms_in_both_languages() -> None:
    assert len(all_symptoms()) >= 12
    for symptom in all_symptoms():
        assert symptom.causes
        assert symptom.checks
        assert any(word.isascii() for word in symptom.words)
        assert any(not word.isascii() for word in symptom.words)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("My car stalls at traffic lights", "Engine stalls"),
        ("等红灯的时候熄火", "Engine stalls"),
        ("the idle is rough", "Rough idle or shaking engine"),
        ("发动机抖动很厉害", "Rough idle or shaking engine"),
        ("It cranks but won’t start", "Cranks but starts hard or not at all"),
        ("早上启动困难", "Cranks but starts hard or not at all"),
        ("the engine OVERHEATS uphill", "Engine overheats"),
        ("水温太高了", "Engine overheats"),
        ("white smoke from the exhaust", "White smoke from the exhaust"),
        ("排气管冒白烟", "White smoke from the exhaust"),
        ("squealing brakes", "Brakes squeal or grind"),
        ("刹车有吱吱的异响", "Brakes squeal or grind"),
        ("方向盘抖动", "Steering wheel shakes"),
        ("加速无力", "Lack of power"),
        ("the battery is drained every morning", "Battery goes flat"),
        ("空调不制冷", "Air conditioning does not cool"),
        ("check engine light is on", "Engine warning lamp on"),
        ("a clunk over bumps", "Knock over bumps"),
    ],
)
def test_a_symptom_is_recognised(text: str, name: str) -> None:
    assert [symptom.name.en for symptom in observed(text)][:1] == [name]


def test_a_shaking_steering_wheel_is_no_shaking_engine() -> None:
    assert [symptom.name.en for symptom in observed("高速时方向盘抖动")] == ["Steering wheel shakes"]


def test_words_inside_other_words_do_not_count() -> None:
    assert observed("I installed a new radio") == ()


async def test_a_dangerous_symptom_begins_with_a_warning(ask: Ask) -> None:
    answer = await ask(diagnosis.agent, "the brake pedal sinks to the floor")
    assert "> **Brakes may fail: do not drive until this is repaired.**" in answer.text
    assert [tool.name for tool in answer.tools] == ["look_up_symptom"]


async def test_codes_and_symptoms_in_one_message(ask: Ask) -> None:
    answer = await ask(diagnosis.agent, "发动机抖动，读到 P0301")
    assert "## P0301：检测到 1 缸失火" in answer.text
    assert "## 怠速抖动" in answer.text


@pytest.mark.parametrize(
    ("text", "told"), [("tell me a joke", "I could not find"), ("讲个笑话", "没有我认识的故障码")]
)
async def test_anything_else_is_told_what_it_can_do(ask: Ask, text: str, told: str) -> None:
    answer = await ask(diagnosis.agent, text)
    assert told in answer.text
    assert "`P0171`" in answer.text
    assert answer.tools == []
