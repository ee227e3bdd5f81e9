"""LangGraph graphs as agents: tokens, tools and usage out of a running graph."""

from collections.abc import AsyncGenerator, Iterable, Iterator, Mapping
from contextlib import aclosing
from typing import Any, Final

from frontdesk_agent.adapters.functions import Source
from frontdesk_agent.adapters.messages import (
    config_of,
    is_ai,
    is_ai_chunk,
    messages_of,
    text_of,
    usage_of,
)
from frontdesk_agent.adapters.turns import Turns
from frontdesk_agent.contract import (
    AgentRequest,
    Citation,
    Done,
    Token,
    Tool,
    ToolCall,
    Usage,
)
from frontdesk_agent.errors import ErrorCode, FrontdeskError

_MODES: Final = ["messages", "updates", "values", "custom"]
_INTERRUPT: Final = "__interrupt__"


def is_graph(target: Any) -> bool:
    """Whether `target` is a compiled (or remote) graph."""
    return not isinstance(target, type) and hasattr(target, "astream") and hasattr(target, "aget_state")


def is_graph_builder(target: Any) -> bool:
    """Whether `target` is a graph that still has to be compiled."""
    return not isinstance(target, type) and hasattr(target, "compile") and hasattr(target, "add_node")


def graph_source(graph: Any) -> Source:
    """The answer of a graph whose state has `messages`.

    A graph with a checkpointer remembers its conversation by `session_id`: it is given the history only the
    first time. What a sub-graph says inside a tool is the tool's business and is not told.
    """

    async def pieces(request: AgentRequest) -> AsyncGenerator[Any, None]:
        config = config_of(graph, request)
        messages, known = await _input(graph, request, config)
        reader = _Reader(known)
        stream = graph.astream({"messages": messages}, config, stream_mode=_MODES, subgraphs=True)
        try:
            async with aclosing(stream) as parts:
                async for namespace, mode, data in parts:
                    for piece in reader.take(namespace, mode, data):
                        yield piece
        except RecursionError as error:  # LangGraph's own is one
            raise FrontdeskError(ErrorCode.LIMIT_EXCEEDED, "The agent took too many steps.") from error
        for piece in reader.finish():
            yield piece

    return pieces


async def _input(graph: Any, request: AgentRequest, config: dict[str, Any]) -> tuple[list[Any], set[str]]:
    """The messages to give to the graph, and the ids of all messages that are not its answer."""
    remembered: list[Any] = []
    if getattr(graph, "checkpointer", None) and request.session_id:
        state = await graph.aget_state(config)
        remembered = list(_messages(state.values))
    messages = [*_unanswered(remembered), *messages_of(request, with_history=not remembered)]
    return messages, {str(message.id) for message in [*remembered, *messages]}


def _unanswered(messages: list[Any]) -> list[Any]:
    """Answers for tool calls that a cancelled run left open: models refuse a history that has them."""
    from langchain_core.messages import ToolMessage

    answered = {message.tool_call_id for message in messages if message.type == "tool"}
    last = next((message for message in reversed(messages) if is_ai(message)), None)
    return [
        ToolMessage("The call was cancelled.", tool_call_id=call["id"], name=call["name"])
        for call in getattr(last, "tool_calls", ())
        if call["id"] not in answered
    ]


def _messages(state: Any) -> Iterable[Any]:
    found = state.get("messages") if isinstance(state, Mapping) else None
    return found if isinstance(found, list | tuple) else [] if found is None else [found]


class _Reader:
    """What one run of a graph has said so far."""

    def __init__(self, known: set[str]) -> None:
        self._known = known
        self._turns = Turns()
        self._usage = Usage()
        self._counted: set[str] = set()
        self._called: set[str] = set()
        self._state: Any = None

    def take(self, namespace: tuple[str, ...], mode: str, data: Any) -> Iterator[Any]:
        """The pieces of the answer in one part of the graph's stream."""
        if mode == "messages":
            yield from self._message(*data)
        elif mode == "updates":
            yield from self._update(namespace, data)
        elif mode == "values" and not namespace:
            self._state = data
        elif mode == "custom":
            yield from self._custom(data)

    def finish(self) -> Iterator[Any]:
        """The rest of the answer, once the graph has ended."""
        yield from self._turns.finish()
        final = self._final()
        if final is None:
            yield Done(usage=self._usage)
            return
        text = text_of(final)
        if str(final.id) not in self._turns.messages and not self._turns.text.endswith(text):
            yield from self._turns.add("", str(final.id), text)
            yield from self._turns.finish()
        yield Done(output=None if text == self._turns.text else text, usage=self._usage)

    def _message(self, message: Any, metadata: Mapping[str, Any]) -> Iterator[str]:
        if not is_ai(message):
            return
        self._count(message)
        speaker = str(metadata.get("langgraph_checkpoint_ns", ""))
        text = text_of(message) if is_ai_chunk(message) else ""
        if text and not _in_tool(speaker.split("|")):
            yield from self._turns.add(speaker.partition(":")[0], str(message.id), text)

    def _update(self, namespace: tuple[str, ...], data: Mapping[str, Any]) -> Iterator[Any]:
        if _INTERRUPT in data:
            raise FrontdeskError(
                ErrorCode.AGENT_FAILED, "The agent stopped to wait for a decision that cannot be given here."
            )
        for node, update in data.items():
            for message in _messages(update):
                if is_ai(message) and str(message.id) not in self._known:
                    self._count(message)
                    yield from self._tools(message)
            if not namespace:
                yield from self._turns.end(node)

    def _custom(self, data: Any) -> Iterator[Any]:
        if isinstance(data, Token):
            yield from self._turns.add("", "", data.text)
        elif isinstance(data, ToolCall | Citation):
            yield data

    def _tools(self, message: Any) -> Iterator[Tool]:
        for call in message.tool_calls:
            key = str(call.get("id") or f"{message.id} {call['name']}")
            if key not in self._called:  # a sub-graph's messages come again in its parent's update
                self._called.add(key)
                yield Tool(name=call["name"], arguments=call.get("args") or {})

    def _count(self, message: Any) -> None:
        """Add up usage once: by chunks where a message is streamed, else by the whole message."""
        if not message.usage_metadata:
            return
        if is_ai_chunk(message) or str(message.id) not in self._counted:
            self._usage += usage_of(message)
            self._counted.add(str(message.id))

    def _final(self) -> Any:
        """The last AI message of the final state that says something; None when there is none."""
        candidates = (
            message
            for message in reversed(list(_messages(self._state)))
            if is_ai(message) and str(message.id) not in self._known and text_of(message).strip()
        )
        return next(candidates, None)


def _in_tool(path: Iterable[str]) -> bool:
    """Whether a place in a graph is inside a tool call; LangGraph's tool nodes are called so."""
    return any(step.partition(":")[0] == "tools" for step in path)
