"""The general agent: the fallback. It says what can be asked here; with a model configured it simply answers.

`MODEL` names the model, `OPENAI_API_KEY` and `OPENAI_BASE_URL` say where it is. Without `MODEL`, or without
both of the others, it works without a model, and says so.
"""

from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any

from frontdesk_agent.contract import AgentRequest, Done
from sample_agents.general_model import ModelSettings, answer_with_model
from sample_agents.speech import Bilingual, Language, language_of, spoken
from sample_agents.words import mentions, normal, word_lists

_GREETINGS = word_lists("general")["greetings"]
_THANKS = word_lists("general")["thanks"]
_FAREWELLS = word_lists("general")["farewells"]
_WHAT = word_lists("general")["what"]
_SMALL_TALK_LENGTH = 40

_GREETING = Bilingual(
    "Hello! I am the front desk: tell me what you need and I will find who answers.",
    "您好！这里是前台：告诉我您的需求，我来找能回答的智能体。",
)
_WELCOME = Bilingual("You are welcome.", "不客气。")
_FAREWELL = Bilingual("Goodbye!", "再见！")
_NOBODY = Bilingual(
    "Nobody here does that: no agent at this front desk takes this question, and no language model is set up "
    "with which I could answer it myself.",
    "这里没有智能体能处理这个请求，也没有配置语言模型，所以我自己也无法回答。",
)
_DOWN = Bilingual(
    "**{agent}**, who takes this question, cannot be reached right now. Please try again in a moment.",
    "负责这个问题的**{agent}**暂时无法访问，请稍后再试。",
)
_HERE = Bilingual("**What you can ask here**", "**在这里可以问**")
_EMPTY = Bilingual("No other agent is registered for you yet.", "目前还没有为您登记其他智能体。")


async def agent(request: AgentRequest) -> AsyncIterator[str | Done]:
    """Answer what no other agent takes. With a model configured, raises what `answer_with_model` raises."""
    if settings := ModelSettings.from_environment():
        async for piece in answer_with_model(request, settings):
            yield piece
        return
    async for text in spoken(answer(request)):
        yield text


def answer(request: AgentRequest) -> str:
    """What can be said without a model, in Markdown."""
    language = language_of(request)
    said = normal(request.input)
    directory = request.context.metadata.get("directory")
    absent = request.context.metadata.get("instead_of")
    if isinstance(absent, Mapping):
        return _DOWN.in_(language).format(agent=absent.get("display_name", ""))
    offers = _offers(directory if isinstance(directory, list) else [], language)
    if len(said) <= _SMALL_TALK_LENGTH:
        if mentions(said, _THANKS):
            return _WELCOME.in_(language)
        if mentions(said, _FAREWELLS):
            return _FAREWELL.in_(language)
        if mentions(said, _GREETINGS) or mentions(said, _WHAT):
            return f"{_GREETING.in_(language)}\n\n{offers}"
    return f"{_NOBODY.in_(language)}\n\n{offers}"


def _offers(directory: Sequence[Any], language: Language) -> str:
    lines = [line for entry in directory if isinstance(entry, Mapping) and (line := _offer(entry, language))]
    return f"{_HERE.in_(language)}\n\n" + "\n".join(lines) if lines else _EMPTY.in_(language)


def _offer(entry: Mapping[str, Any], language: Language) -> str:
    name = str(entry.get("display_name") or entry.get("name") or "")
    if not name or entry.get("name") == "general_agent":
        return ""
    capability = _in_language(entry.get("capabilities"), language).rstrip(".。")
    example = _in_language(entry.get("examples"), language)
    if language == "zh":
        told, says = f"：{capability}。", f"例如“{example}”"
    else:
        told, says = f": {capability}.", f" For example “{example}”"
    return f"- **{name}**{told if capability else ''}{says if example else ''}"


def _in_language(texts: Any, language: Language) -> str:
    """The first text in the wanted language, else the first."""
    candidates = [text for text in texts if isinstance(text, str)] if isinstance(texts, list | tuple) else []
    for text in candidates:
        if any("\u3400" <= character <= "\u9fff" for character in text) == (language == "zh"):
            return text
    return candidates[0] if candidates else ""
