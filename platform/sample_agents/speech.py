"""What all sample agents share: the language of an answer, and saying it piece by piece."""

import asyncio
import re
from collections.abc import AsyncIterator
from typing import Literal, NamedTuple

from frontdesk_agent.contract import AgentRequest

Language = Literal["en", "zh"]

_CJK = re.compile(r"[\u3400-\u9fff\uf900-\ufaff]")
_ENGLISH_WORD = re.compile(r"(?<![\w-])[A-Z]?[a-z]{2,}(?![\w-])")
_PIECE = re.compile(r"\s*(?:[\u2e80-\uffef]{1,4}|[^\s\u2e80-\uffef]{1,40})|\s+")


class Bilingual(NamedTuple):
    """One text in both languages; data files hold it as `["English", "中文"]`."""

    en: str
    zh: str

    def in_(self, language: Language) -> str:
        return self.zh if language == "zh" else self.en


def language_of(request: AgentRequest) -> Language:
    """The language of the question; of the person's locale when the question is only a code or a number."""
    if _CJK.search(request.input):
        return "zh"
    if _ENGLISH_WORD.search(request.input):
        return "en"
    return "zh" if str(request.context.metadata.get("locale", "")).lower().startswith("zh") else "en"


async def spoken(text: str) -> AsyncIterator[str]:
    """`text` in pieces of a word or a few characters. The pieces joined are exactly `text`."""
    for piece in _PIECE.findall(text):
        yield piece
        await asyncio.sleep(0)


def bullets(items: list[str]) -> str:
    """A Markdown list."""
    return "\n".join(f"- {item}" for item in items)


def numbered(items: list[str]) -> str:
    """A numbered Markdown list."""
    return "\n".join(f"{number}. {item}" for number, item in enumerate(items, 1))


def table(header: list[str], rows: list[list[str]]) -> str:
    """A Markdown table; `|` in a cell is escaped."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", r"\|") for cell in line) + " |" for line in lines)
