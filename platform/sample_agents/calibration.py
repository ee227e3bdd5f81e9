"""The calibration agent: procedures and computations from its own data, and a plain no to everything else."""

import asyncio
from collections.abc import AsyncIterator, Sequence

from frontdesk_agent.contract import AgentRequest, Tool
from sample_agents import quantities
from sample_agents.computations import charges, tyre_pressure, voltages
from sample_agents.procedures import described, named_procedures, procedures
from sample_agents.soc import Curve, curves
from sample_agents.speech import Bilingual, Language, bullets, language_of, spoken
from sample_agents.words import mentions, normal, word_lists

_CHARGE = word_lists("calibration")["charge"]
_TYRES = word_lists("calibration")["tyres"]
_NOMINAL_VOLTS = frozenset({12.0, 24.0, 48.0})

_WHICH_VOLTAGE = Bilingual(
    "Please tell me the open-circuit voltage after a rest and the battery type (12 V lead-acid, LFP or NMC), "
    "such as “SOC of a lead-acid battery at 12.4 V?”",
    "请告诉我静置后的开路电压和电池类型（12V 铅酸、磷酸铁锂或三元），"
    "例如“12V 铅酸蓄电池开路电压 12.4V，SOC 多少？”",
)
_LACKING = Bilingual(
    "That calibration is not in my data, and I will not guess steps: please look into the vehicle's repair "
    "manual. What I have:",
    "我的资料里没有这项标定，不会凭猜测给出步骤，请查该车型的维修手册。我有的是：",
)
_ALSO = (
    Bilingual("SOC from open-circuit voltage, and back", "由开路电压计算 SOC（及反算）"),
    Bilingual("tyre pressure at another temperature", "胎压的温度换算"),
)


async def agent(request: AgentRequest) -> AsyncIterator[str | Tool]:
    """Answer a question about calibration."""
    text, tool = await asyncio.to_thread(answer, request.input, language_of(request))
    if tool:
        yield tool
    async for piece in spoken(text):
        yield piece


def answer(text: str, language: Language) -> tuple[str, Tool | None]:
    """The answer in Markdown, and the computation or look-up it rests on."""
    return _computed(text, language) or _looked_up(text, language) or (_lacking(text, language), None)


def _computed(text: str, language: Language) -> tuple[str, Tool] | None:
    compared = normal(text)
    chosen = tuple(curve for curve in curves() if mentions(compared, curve.words))
    charge = mentions(compared, _CHARGE)
    about_charge = bool(chosen) or charge
    if about_charge and (volts := _measured(quantities.volts(text), only_nominal=charge)):
        series = quantities.in_series(text)
        tool = Tool(name="soc_from_voltage", arguments={"volts": volts, "series": series, **_names(chosen)})
        return charges(volts, series, chosen, language), tool
    if about_charge and (percents := quantities.percents(text)):
        tool = Tool(name="voltage_from_soc", arguments={"percent": percents[0], **_names(chosen)})
        return voltages(percents[0], chosen or curves(), language), tool
    pressures, celsius = quantities.bars(text), quantities.celsius(text)
    if pressures and len(celsius) == 2 and mentions(compared, _TYRES):
        arguments = {"bar": round(pressures[0], 3), "celsius": celsius[0], "other_celsius": celsius[1]}
        text = tyre_pressure(pressures[0], celsius[0], celsius[1], language)
        return text, Tool(name="tyre_pressure", arguments=arguments)
    return None


def _names(chosen: Sequence[Curve]) -> dict[str, list[str]]:
    return {"curves": [curve.id for curve in chosen or curves()]}


def _measured(volts: Sequence[float], *, only_nominal: bool) -> float | None:
    """`12 V battery at 12.4 V`: 12 is what the battery is called, unless it is the `only_nominal` number."""
    if only_nominal and len(volts) == 1:
        return volts[0]
    return next((value for value in reversed(volts) if value not in _NOMINAL_VOLTS), None)


def _looked_up(text: str, language: Language) -> tuple[str, Tool] | None:
    found = named_procedures(text)
    if not found:
        return None
    tool = Tool(name="look_up_procedure", arguments={"names": [one.name.en for one in found]})
    return "\n\n".join(described(one, language) for one in found), tool


def _lacking(text: str, language: Language) -> str:
    if mentions(normal(text), _CHARGE):
        return _WHICH_VOLTAGE.in_(language)
    names = [one.name.in_(language) for one in procedures()] + [one.in_(language) for one in _ALSO]
    return f"{_LACKING.in_(language)}\n\n{bullets(names)}"
