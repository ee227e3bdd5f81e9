"""Computations and procedures, and a no to everything else."""

import pytest

from sample_agents import calibration
from sample_agents.calibration import answer
from sample_agents.procedures import Procedure, procedures
from sample_agents.soc import Curve, curves, pressure_at
from tests.sample_agents.asking import Ask


@pytest.mark.parametrize("curve", curves(), ids=lambda curve: str(curve.id))
def test_curves_rise_from_empty_to_full(curve: Curve) -> None:
    volts = [point[0] for point in curve.points]
    percents = [point[1] for point in curve.points]
    assert volts == sorted(set(volts))
    assert percents == sorted(set(percents))
    assert (percents[0], percents[-1]) == (0, 100)
    for at, percent in curve.points:
        assert curve.percent(at) == pytest.approx(percent)
        assert curve.volts(percent) == pytest.approx(at)
    assert (curve.percent(0), curve.percent(99)) == (0, 100)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("12V 铅酸蓄电池开路电压 12.24V，SOC 是多少？", "约 50%"),
        ("12V 蓄电池静置电压12.45V", "约 75%"),
        ("三元电池开路电压 3.68 V", "约 50%"),
        ("磷酸铁锂 3300mV 的电量", "约 70%"),
    ],
)
def test_state_of_charge_in_chinese(text: str, told: str) -> None:
    said, tool = answer(text, "zh")
    assert told in said
    assert tool is not None
    assert tool.name == "soc_from_voltage"


def test_interpolated_between_points() -> None:
    assert "about 69 %" in answer("SOC of a lead-acid battery at 12.4 V?", "en")[0]


def test_a_flat_curve_is_said_to_be_rough() -> None:
    assert "very flat here" in answer("SOC of an LFP cell at 3.28 V", "en")[0]
    assert "very flat" not in answer("SOC of an LFP cell at 3.05 V", "en")[0]


def test_a_pack_is_divided_by_its_cells() -> None:
    said, _ = answer("NMC pack, 96s, 353.3 V at rest: state of charge?", "en")
    assert "353.3 V ÷ 96 cells in series = **3.680 V per cell**" in said
    assert "about 50 %" in said


def test_without_a_chemistry_all_that_fit_are_given() -> None:
    said, _ = answer("SOC at 3.3 V", "en")
    assert "You did not say which battery" in said
    assert "LFP" in said
    assert "NMC" in said
    assert "lead-acid" not in said


def test_beyond_the_curve() -> None:
    assert "surface charge" in answer("lead-acid battery at 13.1 V, SOC?", "en")[0]
    assert "deeply discharged" in answer("lead-acid battery at 11 V, SOC?", "en")[0]
    assert "350 V lies outside my curves" in answer("pack voltage 350V, SOC?", "en")[0]


def test_voltage_from_charge() -> None:
    said, tool = answer("Open-circuit voltage of an NMC cell at 50 % SOC", "en")
    assert "**3.68** V per cell" in said
    assert tool is not None
    assert tool.name == "voltage_from_soc"
    assert "between 0 and 100" in answer("NMC voltage at 150 % SOC", "en")[0]


def test_tyre_pressure_by_the_gas_law() -> None:
    assert pressure_at(2.5, 20, 20) == pytest.approx(2.5)
    assert pressure_at(2.5, 20, -10) == pytest.approx(2.14, abs=0.005)
    assert "**2.14 bar**" in answer("tyre of 2.5 bar at 20 °C, what at -10 °C?", "en")[0]
    assert "**2.14 bar**" in answer("胎压 250kPa，20度，零下10度时是多少？", "zh")[0]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("BMS 校准的步骤", "BMS 容量与 SOC 校准"),
        ("How do I calibrate the ADAS front camera?", "ADAS front camera, static calibration"),
        ("转向角传感器怎么标定？", "转向角传感器零点标定"),
        ("更换节气门后怎么做匹配？", "电子节气门匹配"),
        ("Steps for a TPMS relearn", "TPMS sensor relearn"),
    ],
)
async def test_a_procedure_has_preconditions_and_steps(ask: Ask, text: str, name: str) -> None:
    said = await ask(calibration.agent, text)
    assert f"## {name}" in said.text
    assert "\n\n1. " in said.text
    assert [tool.name for tool in said.tools] == ["look_up_procedure"]


@pytest.mark.parametrize("procedure", procedures(), ids=lambda one: str(one.name.en))
def test_every_procedure_is_found_by_its_name(procedure: Procedure) -> None:
    assert f"## {procedure.name.en}" in answer(procedure.name.en, "en")[0]
    assert f"## {procedure.name.zh}" in answer(procedure.name.zh, "zh")[0]


@pytest.mark.parametrize(
    ("text", "told"),
    [("How do I calibrate the airbag?", "not in my data"), ("怎么校准安全气囊？", "我的资料里没有这项标定")],
)
async def test_what_it_lacks_it_refuses(ask: Ask, text: str, told: str) -> None:
    said = await ask(calibration.agent, text)
    assert told in said.text
    assert said.tools == []


def test_a_missing_voltage_is_asked_for() -> None:
    assert "Please tell me the open-circuit voltage" in answer("What is the state of charge?", "en")[0]
