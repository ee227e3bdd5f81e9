"""The diagnosis agent: from trouble codes and symptoms to causes and checks. An HTTP process of its own.

Run it with `python -m frontdesk_agent serve sample_agents.diagnosis:app --port 9101`.
"""

from collections.abc import AsyncIterator, Iterable, Sequence

from frontdesk_agent.contract import AgentRequest, Tool
from frontdesk_agent.server import agent_app
from sample_agents.speech import Bilingual, Language, bullets, language_of, numbered, spoken, table
from sample_agents.symptoms import Symptom, observed
from sample_agents.trouble_codes import (
    SYSTEMS,
    TroubleCode,
    Written,
    area,
    book,
    defined_by_maker,
    is_standard,
    read,
    together,
)
from sample_agents.words import mentions, normal, word_lists

_IN_DETAIL = 4
_IN_TABLE = 40
_FOLLOW_UPS = word_lists("diagnosis")["follow_ups"]

_CAPABILITIES = Bilingual(
    """I could not find a trouble code or a symptom I know in your message. I can

- explain generic OBD-II trouble codes, several at once, such as `P0171` or `U0100`
- name likely causes and checks for symptoms, such as a rough idle, overheating or squealing brakes

Please send the code from the scan tool, or say what the car does and when.""",
    """您的消息里没有我认识的故障码或症状。我可以：

- 解释通用 OBD-II 故障码，可一次多个，例如 `P0171`、`U0100`
- 根据症状给出可能原因和检查步骤，例如怠速抖动、水温高、刹车异响

请发送诊断仪读到的故障码，或描述故障现象和出现的时机。""",
)
_CAUTION = Bilingual(
    "*Generic meanings after SAE J2012. The maker's repair manual takes precedence.*",
    "*以上为 SAE J2012 通用含义，具体车型以厂家维修手册为准。*",
)


async def agent(request: AgentRequest) -> AsyncIterator[str | Tool]:
    """Answer a question about a vehicle's faults."""
    language = language_of(request)
    written, symptoms = _asked(request)
    for code in _to_explain(written)[:_IN_TABLE]:
        yield Tool(name="look_up_code", arguments={"code": code})
    for symptom in symptoms:
        yield Tool(name="look_up_symptom", arguments={"symptom": symptom.name.en})
    async for piece in spoken(answer(written, symptoms, language)):
        yield piece


def _asked(request: AgentRequest) -> tuple[Written, tuple[Symptom, ...]]:
    """What the message is about; a short follow-up is about what the person asked before."""
    written, symptoms = read(request.input), observed(request.input)
    if written.codes or written.malformed or symptoms:
        return written, symptoms
    if len(request.input) <= 60 and mentions(normal(request.input), _FOLLOW_UPS):
        for item in reversed(request.context.history):
            if item.role == "user" and (read(item.content).codes or observed(item.content)):
                return read(item.content), observed(item.content)
    return written, symptoms


def _to_explain(written: Written) -> list[str]:
    meant = [code for code in written.malformed.values() if code]
    return list(dict.fromkeys([*written.codes, *meant]))


def answer(written: Written, symptoms: Sequence[Symptom], language: Language) -> str:
    """The whole answer in Markdown."""
    codes = _to_explain(written)
    known = [book()[code] for code in codes if code in book()]
    parts = [
        *(_malformed(word, meant, language) for word, meant in list(written.malformed.items())[:_IN_TABLE]),
        *_known(known, language),
        *(_unknown(code, language) for code in [code for code in codes if code not in book()][:_IN_TABLE]),
        *_notes(together(codes), language),
        *(_symptom(symptom, language) for symptom in symptoms),
    ]
    if not parts:
        return _CAPABILITIES.in_(language)
    if known:
        parts.append(_CAUTION.in_(language))
    return "\n\n".join(parts)


def _known(codes: Sequence[TroubleCode], language: Language) -> list[str]:
    if len(codes) <= _IN_DETAIL:
        return [_detail(code, language) for code in codes]
    header = (
        ["故障码", "含义", "最可能的原因", "首先检查"]
        if language == "zh"
        else ["Code", "Meaning", "Most likely cause", "Check first"]
    )
    rows = [
        [code.code, *(text.in_(language) for text in (code.meaning, code.causes[0], code.checks[0]))]
        for code in codes[:_IN_TABLE]
    ]
    parts = [table(header, rows)]
    if (rest := len(codes) - _IN_TABLE) > 0:
        parts.append(f"还有 {rest} 个故障码未列出。" if language == "zh" else f"{rest} more are not shown.")
    return parts


def _detail(code: TroubleCode, language: Language) -> str:
    causes, checks = ("可能原因", "检查步骤") if language == "zh" else ("Likely causes", "What to check")
    return "\n\n".join(
        [
            f"## {code.code}：{code.meaning.zh}"
            if language == "zh"
            else f"## {code.code}: {code.meaning.en}",
            f"**{causes}**",
            bullets(_in(code.causes, language)),
            f"**{checks}**",
            numbered(_in(code.checks, language)),
        ]
    )


def _in(texts: Iterable[Bilingual], language: Language) -> list[str]:
    return [text.in_(language) for text in texts]


def _unknown(code: str, language: Language) -> str:
    """What the characters alone tell: no meaning is guessed."""
    lines = [_origin(code, language)]
    if is_standard(code) and not defined_by_maker(code) and (of := area(code)):
        lines.append(f"第三位表示：{of.zh}。" if language == "zh" else f"Its third character says: {of.en}.")
    if language == "zh":
        return f"## {code}：未知\n\n我的资料里没有 {code}，因此不猜测它的含义。\n\n{bullets(lines)}"
    return f"## {code}: unknown\n\nI do not know {code} and will not guess its meaning.\n\n{bullets(lines)}"


def _origin(code: str, language: Language) -> str:
    system = SYSTEMS[code[0]].in_(language)
    if language == "zh":
        if not is_standard(code):
            return (
                f"{code[0]} 表示{system}，但第二位 {code[1]} 在标准（SAE J2012）中不存在，"
                "只能是 0 到 3，请再核对一次读数。"
            )
        if defined_by_maker(code):
            return f"{code[0]} 表示{system}；{code[:2]} 开头的这一段由厂家自定义，请查该车型的维修手册。"
        return f"{code[0]} 表示{system}；这一段由标准统一定义，但不在我的资料里，请查 SAE J2012 或维修手册。"
    if not is_standard(code):
        return (
            f"{code[0]} stands for {system}, but the standard (SAE J2012) has no second digit {code[1]}, "
            "only 0 to 3: please read the code again."
        )
    if defined_by_maker(code):
        return (
            f"{code[0]} stands for {system}; this range is defined by the vehicle's maker: its repair manual "
            "says what the code means."
        )
    return (
        f"{code[0]} stands for {system}; this range is generic, but the code is not among those I know: "
        "please look into SAE J2012 or the repair manual."
    )


def _malformed(word: str, meant: str | None, language: Language) -> str:
    if language == "zh":
        if meant:
            return f"`{word}` 不是正确的故障码写法，您可能是指 **{meant}**。"
        return f"`{word}` 不是正确的故障码：应为 P、C、B 或 U 加一位数字，再加三位 0-9 或 A-F，例如 P0171。"
    if meant:
        return f"`{word}` is not how a trouble code is written; you probably mean **{meant}**."
    return (
        f"`{word}` is not a trouble code: one is P, C, B or U, a digit, and three characters 0-9 or A-F, "
        "such as P0171."
    )


def _notes(notes: Sequence[Bilingual], language: Language) -> list[str]:
    if not notes:
        return []
    title = "**放在一起看**" if language == "zh" else "**Seen together**"
    return [f"{title}\n\n{bullets(_in(notes, language))}"]


def _symptom(symptom: Symptom, language: Language) -> str:
    causes, checks = ("可能原因", "检查步骤") if language == "zh" else ("Likely causes", "What to check")
    parts = [f"## {symptom.name.in_(language)}"]
    if symptom.stop:
        parts.append(f"> **{symptom.stop.in_(language)}**")
    parts += [
        f"**{causes}**",
        bullets(_in(symptom.causes, language)),
        f"**{checks}**",
        numbered(_in(symptom.checks, language)),
    ]
    return "\n\n".join(parts)


app = agent_app(agent, name="diagnosis_agent", secret_ref="AGENT_SECRET_DIAGNOSIS")  # noqa: S106 - a name
