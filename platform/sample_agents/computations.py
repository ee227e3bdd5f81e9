"""What the calibration agent computes, in words: state of charge, open-circuit voltage, tyre pressure."""

from collections.abc import Sequence

from sample_agents.soc import Curve, curves, pressure_at
from sample_agents.speech import Bilingual, Language, bullets

_FLAT = Bilingual(
    "The curve is very flat here: 10 mV make a large difference, so this is only a rough value",
    "此处曲线很平，10 mV 就相差很多，仅供粗略参考",
)
_ABOVE = Bilingual(
    "Above the curve: being charged, just charged, or surface charge",
    "电压高于曲线上端：正在充电、刚充完或有表面电荷",
)
_BELOW = Bilingual(
    "Below the curve: deeply discharged, perhaps damaged",
    "电压低于曲线下端：深度放电，可能已损坏",
)
_TYPICAL = Bilingual(
    "Typical curves at 25 °C after a full rest; the maker's curve takes precedence.",
    "典型曲线，25 °C，充分静置后；以厂家曲线为准。",
)
_OUT_OF_RANGE = Bilingual("These values are out of range; please check.", "这些数值超出合理范围，请核对。")


def charges(volts: float, series: int | None, chosen: Sequence[Curve], language: Language) -> str:
    """The state of charge at `volts` (of `series` cells, if given) by the `chosen` or all fitting curves."""
    per_cell = volts / series if series else volts
    fitting = [curve for curve in chosen or curves() if curve.possible(per_cell)]
    if not fitting:
        return _impossible(per_cell, chosen or curves(), language)
    head = [_divided(volts, series, per_cell, language)] if series else []
    if not chosen:
        head.append(_assumed(fitting, language))
    return "\n\n".join([*head, *(_charge(curve, per_cell, language) for curve in fitting)])


def _divided(volts: float, series: int, per_cell: float, language: Language) -> str:
    if language == "zh":
        return f"{volts:g} V ÷ {series} 串 = **{per_cell:.3f} V/单体**。"
    return f"{volts:g} V ÷ {series} cells in series = **{per_cell:.3f} V per cell**."


def _assumed(fitting: Sequence[Curve], language: Language) -> str:
    names = [curve.name.in_(language) for curve in fitting]
    if language == "zh":
        return f"您没有说明电池类型，按电压可能是：{'、'.join(names)}。"
    return f"You did not say which battery; by its voltage it may be: {', '.join(names)}."


def _charge(curve: Curve, volts: float, language: Language) -> str:
    percent, unit = curve.percent(volts), curve.unit.in_(language)
    notes = [
        *([_FLAT.in_(language)] if curve.is_flat(volts) else []),
        *([_ABOVE.in_(language)] if volts > curve.points[-1][0] else []),
        *([_BELOW.in_(language)] if volts < curve.points[0][0] else []),
        f"前提：{curve.rest.zh}" if language == "zh" else f"Holds after: {curve.rest.en}",
        curve.temperature.in_(language),
    ]
    if language == "zh":
        title = f"## {curve.name.zh}：约 {percent:.0f}%"
        result = f"开路电压 **{volts:.4g} {unit}** 对应 SOC **约 {percent:.0f}%**"
        result += f"（±{curve.accuracy}%，线性插值）。"
    else:
        title = f"## {curve.name.en}: about {percent:.0f} %"
        result = (
            f"An open-circuit voltage of **{volts:.4g} {unit}** means an SOC of **about {percent:.0f} %** "
        )
        result += f"(±{curve.accuracy} points, interpolated)."
    return f"{title}\n\n{result}\n\n{bullets(notes)}"


def _impossible(volts: float, tried: Sequence[Curve], language: Language) -> str:
    ranges = [
        f"{curve.name.in_(language)}: {curve.lowest:g}–{curve.highest:g} {curve.unit.in_(language)}"
        for curve in tried
    ]
    if language == "zh":
        text = f"{volts:g} V 超出我的曲线范围，无法换算。若是电池包总压，请告诉我串数（例如 96 串）。"
    else:
        text = f"{volts:g} V lies outside my curves, so I cannot convert it. "
        text += "If it is a pack's total voltage, tell me the cells in series (such as 96s)."
    return f"{text}\n\n{bullets(ranges)}"


def voltages(percent: float, chosen: Sequence[Curve], language: Language) -> str:
    """The open-circuit voltage at `percent`, by each of the `chosen` curves."""
    if not 0 <= percent <= 100:
        return "SOC 必须在 0 到 100% 之间。" if language == "zh" else "An SOC lies between 0 and 100 %."
    title = (
        f"SOC {percent:g}% 的开路电压" if language == "zh" else f"Open-circuit voltage at {percent:g} % SOC"
    )
    colon = "：" if language == "zh" else ": "
    lines = [
        f"{curve.name.in_(language)}{colon}**{curve.volts(percent):.2f}** {curve.unit.in_(language)}"
        for curve in chosen
    ]
    return f"## {title}\n\n{bullets(lines)}\n\n{_TYPICAL.in_(language)}"


def tyre_pressure(bar: float, celsius: float, other: float, language: Language) -> str:
    """The pressure in bar of a tyre that has `bar` at `celsius`, at the `other` temperature."""
    if min(celsius, other) < -60 or max(celsius, other) > 120 or not 0 < bar < 15:
        return _OUT_OF_RANGE.in_(language)
    result = pressure_at(bar, celsius, other)
    if language == "zh":
        return (
            f"## 胎压换算\n\n{celsius:g} °C 时 {bar:.2f} bar 的轮胎，在 {other:g} °C 时约为 "
            f"**{result:.2f} bar**（{result * 100:.0f} kPa）。\n\n"
            "按理想气体定律、体积不变计算；请在冷态按标牌调整。"
        )
    return (
        f"## Tyre pressure\n\nA tyre of {bar:.2f} bar at {celsius:g} °C shows about **{result:.2f} bar** "
        f"({result * 100:.0f} kPa) at {other:g} °C.\n\n"
        "By the ideal gas law at constant volume; set the placard's pressure with cold tyres."
    )
