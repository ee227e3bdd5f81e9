"""Reading and making LangChain messages. LangChain is looked for only when a target brings it along."""

import uuid
from collections.abc import Mapping
from typing import Any, Final

from frontdesk_agent.contract import AgentRequest, HistoryItem, Tool, Usage

_RECURSION_LIMIT: Final = 50
_TEXT_BLOCKS: Final = frozenset({"text", "output_text"})


def messages_of(request: AgentRequest, *, with_history: bool = True) -> list[Any]:
    """The conversation as LangChain messages, the question last; each has an id of its own."""
    from langchain_core.messages import convert_to_messages

    history = request.context.history if with_history else ()
    items = [*history, HistoryItem(role="user", content=request.input)]
    return convert_to_messages(
        [{"role": item.role, "content": item.content, "id": str(uuid.uuid4())} for item in items]
    )


def config_of(target: Any, request: AgentRequest) -> dict[str, Any]:
    """The run's `RunnableConfig`. The conversation is its thread; the request's metadata is `frontdesk`."""
    configurable = {
        "thread_id": request.session_id or str(uuid.uuid4()),
        "session_id": request.session_id,
        "user_id": request.user_id,
        "frontdesk": request.context.metadata,
    }
    own = getattr(target, "config", None)
    limit = own.get("recursion_limit") if isinstance(own, Mapping) else None
    return {"configurable": configurable, "recursion_limit": limit or _RECURSION_LIMIT}


def text_of(message: Any) -> str:
    """The text of a message; of content in blocks, the text blocks joined."""
    content = message.content
    if isinstance(content, str):
        return content
    return "".join(_block_text(block) for block in content)


def _block_text(block: Any) -> str:
    if isinstance(block, str):
        return block
    if isinstance(block, Mapping) and block.get("type") in _TEXT_BLOCKS:
        return str(block.get("text") or "")
    return ""


def usage_of(message: Any) -> Usage:
    """What the model said it used for this message or chunk; zero when it said nothing."""
    counted = getattr(message, "usage_metadata", None) or {}
    return Usage(
        input_tokens=counted.get("input_tokens") or 0, output_tokens=counted.get("output_tokens") or 0
    )


def tools_of(message: Any) -> list[Tool]:
    """The tool calls that a whole message asks for."""
    return [
        Tool(name=call["name"], arguments=call.get("args") or {})
        for call in getattr(message, "tool_calls", None) or ()
        if call.get("name")
    ]


def is_ai(value: Any) -> bool:
    """Whether `value` is a message, or a chunk of one, that a model said."""
    return getattr(value, "type", None) in {"ai", "AIMessageChunk"} and hasattr(value, "content")


def is_ai_chunk(value: Any) -> bool:
    """Whether `value` is a streamed piece; whole messages repeat what was streamed before."""
    return getattr(value, "type", None) == "AIMessageChunk"
