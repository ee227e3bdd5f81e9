"""The calibration agent: procedures and computations from its own data, and a plain no to everything else."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from functools import cache

from frontdesk_agent.contract import AgentRequest, Tool
from sample_agents import quantities
from sample_agents.files import bilingual, load
from sample_agents.soc import Curve, curves, pressure_at
from sample_agents.speech import Bilingual, Language, bullets, language_of, numbered, spoken
from sample_agents.words import longest, mentions, normal

_CHARGE = (
    "soc", "state of charge", "charge level", "how full", "charged", "open-circuit", "open circuit", "ocv", "resting voltage",
    "at rest", "电量", "荷电", "开路电压", "静置电压", "剩余电量",
)  # fmt: skip
_TYRES = ("tyre*", "tire*", "胎压", "轮胎")
_AT_MOST = 2


@dataclass(frozen=True, slots=True)
class Procedure:
    """What must be so before, what to do, and what to know afterwards."""

    name: Bilingual
    words: tuple[str, ...]
    before: tuple[Bilingual, ...]
    steps: tuple[Bilingual, ...]
    after: Bilingual


@cache
def procedures() -> tuple[Procedure, ...]:
    """Every procedure that is known here."""
    return tuple(
        Procedure(
            Bilingual(*entry["name"]),
            tuple(entry["words"]),
            bilingual(entry["before"]),
            bilingual(entry["steps"]),
            Bilingual(*entry["after"]),
        )
        for entry in load("procedures.json")
    )


async def agent(request: AgentRequest) -> AsyncIterator[str | Tool]:
    """Answer a question about calibration."""
    text, tool = answer(request.input, language_of(request))
    if tool:
        yield tool
    async for piece in spoken(text):
        yield piece


def answer(text: str, language: Language) -> tuple[str, Tool | None]:
    """The answer in Markdown, and the computation or look-up it rests on."""
    compared = normal(text)
    volts, percents = quantities.volts(text), quantities.percents(text)
    chosen = _chosen(compared)
    charge = mentions(compared, _CHARGE)
    if volts and (charge or chosen) and (measured := _without_nominal(volts)):
        return _charges(measured[-1], chosen, text, language)
    if percents and (charge or chosen):
        return _voltages(percents[0], chosen or curves(), language)
    if (pressures := quantities.bars(text)) and len(quantities.celsius(text)) == 2 and mentions(compared, _TYRES):
        return _tyre(pressures[0], *quantities.celsius(text), language)
    found = sorted(
        ((span, one) for one in procedures() if (span := longest(compared, one.words))),
        key=lambda item: item[0][0] - item[0][1],
    )
    if found:
        shown = [one for _, one in found[:_AT_MOST]]
        tool = Tool(name="look_up_procedure", arguments={"names": [one.name.en for one in shown]})
        return "\n\n".join(_procedure(one, language) for one in shown), tool
    return _lacking(language, charge=charge), None


def _chosen(text: str) -> tuple[Curve, ...]:
    return tuple(curve for curve in curves() if mentions(text, curve.words))


def _without_nominal(volts: Sequence[float]) -> list[float]:
    """`12 V battery at 12.4 V`: 12 is the battery's name, not a measurement, if there is another number."""
    measured = [value for value in volts if value not in {12.0, 24.0, 48.0}]
    return measured or ([] if len(volts) > 1 else list(volts))


def _charges(
    volts: float, chosen: Sequence[Curve], text: str, language: Language
) -> tuple[str, Tool | None]:
    series = quantities.in_series(text)
    per_cell = volts / series if series else volts
    fitting = [curve for curve in chosen or curves() if curve.possible(per_cell)]
    if not fitting:
        return _impossible(per_cell, chosen or curves(), language), None
    tool = Tool(name="soc_from_voltage", arguments={"volts": per_cell, "curves": [curve.id for curve in fitting]})
    head = []
    if series:
        head.append(
            f"{volts:g} V ÷ {series} 串 = **{per_cell:.3f} V/单体**。"
            if language == "zh"
            else f"{volts:g} V ÷ {series} cells in series = **{per_cell:.3f} V per cell**."
        )
    if not chosen:
        names = "、".join(c.name.zh for c in fitting) if language == "zh" else ", ".join(c.name.en for c in fitting)
        head.append(
            f"您没有说明电池类型，按电压可能是：{names}。"
            if language == "zh"
            else f"You did not say which battery; by its voltage it may be: {names}."
        )
    return "\n\n".join([*head, *(_charge(curve, per_cell, language) for curve in fitting)]), tool


def _charge(curve: Curve, volts: float, language: Language) -> str:
    percent = curve.percent(volts)
    zh = language == "zh"
    lines = [
        (f"前提：{curve.rest.zh}" if zh else f"Holds after: {curve.rest.en}"),
        curve.temperature.in_(language),
    ]
    if curve.is_flat(volts):
        lines.insert(
            0,
            "此处曲线很平，10 mV 就相差很多，仅供粗略参考" if zh else "The curve is very flat here: 10 mV make a "
            "large difference, so this is only a rough value",
        )
    if volts > curve.points[-1][0]:
        lines.insert(
            0, "电压高于曲线上端：正在充电、刚充完或有表面电荷" if zh else "Above the curve: being charged, just "
            "charged, or surface charge"
        )
    if volts < curve.points[0][0]:
        lines.insert(
            0, "电压低于曲线下端：深度放电，可能已损坏" if zh else "Below the curve: deeply discharged, perhaps damaged"
        )
    title = (
        f"## {curve.name.zh}：约 {percent:.0f}%" if zh else f"## {curve.name.en}: about {percent:.0f} %"
    )
    result = (
        f"开路电压 **{volts:.4g} {curve.unit.zh}** 对应 SOC **约 {percent:.0f}%**（±{curve.accuracy}%，线性插值）。"
        if zh
        else f"An open-circuit voltage of **{volts:.4g} {curve.unit.en}** means an SOC of **about {percent:.0f} %** "
        f"(±{curve.accuracy} points, interpolated)."
    )
    return f"{title}\n\n{result}\n\n{bullets(lines)}"


def _voltages(percent: float, chosen: Sequence[Curve], language: Language) -> tuple[str, Tool | None]:
    if not 0 <= percent <= 100:
        return ("SOC 必须在 0 到 100% 之间。" if language == "zh" else "An SOC lies between 0 and 100 %."), None
    lines = [
        f"{curve.name.zh}：**{curve.volts(percent):.2f}** {curve.unit.zh}"
        if language == "zh"
        else f"{curve.name.en}: **{curve.volts(percent):.2f}** {curve.unit.en}"
        for curve in chosen
    ]
    title = f"## SOC {percent:g}% 的开路电压" if language == "zh" else f"## Open-circuit voltage at {percent:g} % SOC"
    note = (
        "典型曲线，25 °C，充分静置后；以厂家曲线为准。"
        if language == "zh"
        else "Typical curves at 25 °C after a full rest; the maker's curve takes precedence."
    )
    tool = Tool(
        name="voltage_from_soc", arguments={"percent": percent, "curves": [curve.id for curve in chosen]}
    )
    return f"{title}\n\n{bullets(lines)}\n\n{note}", tool


def _impossible(volts: float, tried: Sequence[Curve], language: Language) -> str:
    ranges = [
        f"{curve.name.in_(language)}: {curve.lowest:g}–{curve.highest:g} {curve.unit.in_(language)}"
        for curve in tried
    ]
    if language == "zh":
        return f"{volts:g} V 超出我的曲线范围，无法换算。若是电池包总压，请告诉我串数（例如 96 串）。\n\n{bullets(ranges)}"
    return (
        f"{volts:g} V lies outside my curves, so I cannot convert it. If it is a pack's total voltage, tell me the "
        f"cells in series (such as 96s).\n\n{bullets(ranges)}"
    )


def _tyre(bar: float, celsius: float, other: float, language: Language) -> tuple[str, Tool | None]:
    if min(celsius, other) < -60 or max(celsius, other) > 120 or not 0 < bar < 15:
        text = "这些数值超出合理范围，请核对。" if language == "zh" else "These values are out of range; please check."
        return text, None
    result = pressure_at(bar, celsius, other)
    tool = Tool(name="tyre_pressure", arguments={"bar": round(bar, 3), "from": celsius, "to": other})
    if language == "zh":
        return (
            f"## 胎压换算\n\n{celsius:g} °C 时 {bar:.2f} bar 的轮胎，在 {other:g} °C 时约为 **{result:.2f} bar**"
            f"（{result * 100:.0f} kPa）。\n\n按理想气体定律、体积不变计算；请在冷态按标牌调整。"
        ), tool
    return (
        f"## Tyre pressure\n\nA tyre of {bar:.2f} bar at {celsius:g} °C shows about **{result:.2f} bar** "
        f"({result * 100:.0f} kPa) at {other:g} °C.\n\nBy the ideal gas law at constant volume; set the placard's "
        "pressure with cold tyres."
    ), tool


def _procedure(one: Procedure, language: Language) -> str:
    before, steps = ("前提条件", "步骤") if language == "zh" else ("Before you begin", "Steps")
    return "\n\n".join(
        [
            f"## {one.name.in_(language)}",
            f"**{before}**",
            bullets([text.in_(language) for text in one.before]),
            f"**{steps}**",
            numbered([text.in_(language) for text in one.steps]),
            f"> {one.after.in_(language)}",
        ]
    )


def _lacking(language: Language, *, charge: bool) -> str:
    names = bullets([one.name.in_(language) for one in procedures()])
    if charge:
        return (
            "请告诉我静置后的开路电压和电池类型（12V 铅酸、磷酸铁锂或三元），例如“12V 铅酸蓄电池开路电压 12.4V，SOC 多少？”"
            if language == "zh"
            else "Please tell me the open-circuit voltage after a rest and the battery type (12 V lead-acid, LFP or NMC), "
            "such as “SOC of a lead-acid battery at 12.4 V?”"
        )
    if language == "zh":
        return (
            "我的资料里没有这项标定，不会凭猜测给出步骤，请查该车型的维修手册。我有的是：\n\n"
            f"{names}\n- 由开路电压计算 SOC（及反算）\n- 胎压的温度换算"
        )
    return (
        "That calibration is not in my data, and I will not guess steps: please look into the vehicle's repair manual. "
        f"What I have:\n\n{names}\n- SOC from open-circuit voltage, and back\n- tyre pressure at another temperature"
    )
