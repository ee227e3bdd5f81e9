"""The knowledge agent: quotes this project's own documentation, and says so when nothing there fits.

It reads README.md, CHANGELOG.md and the packages' README files below `KNOWLEDGE_DIR` (default: the project's
folder).
`KNOWLEDGE_URL` is put before the files' paths in citations, such as a repository's `https://…/blob/main/`.
"""

import asyncio
import os
import threading
from collections.abc import AsyncIterator
from pathlib import Path

from frontdesk_agent.contract import AgentRequest, CitationEvent, Tool
from sample_agents.passages import Passage, documents, passages
from sample_agents.retrieval import PassageIndex
from sample_agents.speech import Language, language_of, spoken

_PROJECT = Path(__file__).resolve().parents[2]
_SNIPPET = 240
_QUESTION = 500  # longer ones are about everything, and so about nothing
_LOCK = threading.Lock()
_INDEXES: dict[Path, tuple[tuple[tuple[Path, int], ...], PassageIndex]] = {}


async def agent(request: AgentRequest) -> AsyncIterator[str | Tool | CitationEvent]:
    """Answer a question about Frontdesk from its documentation."""
    language = language_of(request)
    yield Tool(name="search_documentation", arguments={"query": request.input[:200]})
    found = await asyncio.to_thread(find, request.input, folder())
    if found is None:
        text = _no_documents(language)
    elif not found:
        text = _nothing(language)
    else:
        text = _quoted(found, language)
    async for piece in spoken(text):
        yield piece
    for passage in found or ():
        yield CitationEvent(title=passage.title, url=_url(passage), snippet=_snippet(passage))


def folder() -> Path:
    """Where the documentation is."""
    return Path(os.environ.get("KNOWLEDGE_DIR") or _PROJECT)


def find(question: str, root: Path) -> list[Passage] | None:
    """The passages that answer `question`, best first; None when there is no documentation. Blocks."""
    index = _index(root)
    return index.search(question[:_QUESTION]) if index else None


def _index(root: Path) -> PassageIndex | None:
    """Built at the first question, and again when a file has changed."""
    paths = documents(root)
    if not paths:
        return None
    state = tuple((path, path.stat().st_mtime_ns) for path in paths)
    with _LOCK:
        known = _INDEXES.get(root)
        if known is None or known[0] != state:
            known = (state, PassageIndex(list(passages(root, paths))))
            _INDEXES[root] = known
        return known[1]


def _quoted(found: list[Passage], language: Language) -> str:
    lead = "文档中是这样写的（原文引用）：" if language == "zh" else "The documentation says:"
    quotes = [
        f"**{number}. {passage.title}** (`{passage.path}`)\n\n" + _quote(passage.text)
        for number, passage in enumerate(found, 1)
    ]
    return "\n\n".join([lead, *quotes])


def _quote(text: str) -> str:
    return "\n".join(f"> {line}".rstrip() for line in text.splitlines())


def _snippet(passage: Passage) -> str:
    text = " ".join(passage.text.split())
    return text if len(text) <= _SNIPPET else text[: _SNIPPET - 1] + "…"


def _url(passage: Passage) -> str:
    base = os.environ.get("KNOWLEDGE_URL", "")
    return f"{base.rstrip('/')}/{passage.url}" if base else passage.url


def _nothing(language: Language) -> str:
    if language == "zh":
        return (
            "项目文档里没有找到与这个问题相符的内容，我不会猜测。"
            "可以换个说法，或问：如何注册智能体、有哪些设置、如何接入自己的模型。"
        )
    return (
        "I found nothing in the project's documentation that fits this question, and I will not guess. "
        "Try other words, or ask how to register an agent, which settings there are, or how to use a model."
    )


def _no_documents(language: Language) -> str:
    if language == "zh":
        return "这里没有安装项目文档，我无法查找。"
    return "The project's documentation is not installed here, so I have nothing to search in."
