"""LangGraph graphs as agents: real graphs, with a model that streams from a script."""

import asyncio
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain_core.messages import AIMessage
from langchain_core.tools import BaseTool, tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.config import get_stream_writer
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.types import interrupt

from frontdesk_agent import (
    AgentRequest,
    CitationEvent,
    Context,
    Done,
    Error,
    HistoryItem,
    Token,
    Tool,
    Usage,
    adapt,
)
from tests.frontdesk_agent.live import WAIT_S
from tests.frontdesk_agent.scripted_model import ScriptedModel, Turn

HISTORY = (HistoryItem(role="user", content="before"), HistoryItem(role="assistant", content="old answer"))
REQUEST = AgentRequest(input="hi", session_id="s-1", context=Context(history=HISTORY))


async def told(target: Any, request: AgentRequest = REQUEST) -> list[Any]:
    return [event async for event in adapt(target)(request)]


def text_of(events: list[Any]) -> str:
    return "".join(event.text for event in events if isinstance(event, Token))


def of_one_node(node: Any, **options: Any) -> Any:
    return StateGraph(MessagesState).add_node("node", node).add_edge(START, "node").compile(**options)


@tool
async def look_up(code: str) -> str:
    """Looks up a code."""
    return f"{code}: lean"


def two_step_agent(*tools: BaseTool, **options: Any) -> Any:
    calling = Turn(words=["Let me", " look."], calls=[(tools[0].name, {"code": "P0171"})], input_tokens=3)
    final = Turn(words=["It runs", " lean."], input_tokens=5, output_tokens=2)
    return create_agent(ScriptedModel(turns=[calling, final]), list(tools), **options)


async def test_tokens_tools_and_usage_of_an_agent_with_tools() -> None:
    assert await told(two_step_agent(look_up)) == [
        Token("Let me"),
        Token(" look."),
        Tool(name="look_up", arguments={"code": "P0171"}),
        Token("\n\n"),
        Token("It runs"),
        Token(" lean."),
        Done(output="It runs lean.", usage=Usage(input_tokens=8, output_tokens=2)),
    ]


async def test_a_message_that_only_calls_a_tool_is_no_text() -> None:
    turns = [
        Turn(calls=[("look_up", {"code": "P1"})]),
        Turn(words=["Lean."]),
    ]
    events = await told(create_agent(ScriptedModel(turns=turns), [look_up]))
    assert events == [Tool(name="look_up", arguments={"code": "P1"}), Token("Lean."), Done()]


async def test_the_conversation_goes_in() -> None:
    model = ScriptedModel(turns=[Turn(words=["x"])])
    await told(create_agent(model, []))
    assert [message.text for message in model.asked[0]] == ["before", "old answer", "hi"]


async def test_what_is_said_inside_a_tool_stays_there_but_is_counted() -> None:
    inner = create_agent(
        ScriptedModel(
            turns=[
                Turn(words=["secret"], calls=[("look_up", {"code": "P2"})], output_tokens=10),
                Turn(words=["secret too"], output_tokens=10),
            ]
        ),
        [look_up],
    )

    @tool
    async def ask_expert(code: str) -> str:
        """Asks another agent."""
        result = await inner.ainvoke({"messages": [("user", code)]})
        return str(result["messages"][-1].text)

    events = await told(two_step_agent(ask_expert))
    assert text_of(events) == "Let me look.\n\nIt runs lean."
    assert [event.name for event in events if isinstance(event, Tool)] == ["ask_expert", "look_up"]
    assert events[-1].usage == Usage(input_tokens=8, output_tokens=22)


async def test_sub_graphs_that_are_nodes_speak_one_after_the_other() -> None:
    """They run at the same time; their tokens must not be mixed."""
    first_spoke, second_spoke = asyncio.Event(), asyncio.Event()

    def speaker(mine: asyncio.Event, other: asyncio.Event, name: str) -> Any:
        async def pause(state: MessagesState) -> dict[str, Any]:
            mine.set()
            await other.wait()
            return {}

        graph = StateGraph(MessagesState)
        graph.add_node("say", create_agent(ScriptedModel(turns=[Turn(words=[f"{name}1", f"{name}2"])]), []))
        graph.add_node("pause", pause)
        graph.add_node("more", create_agent(ScriptedModel(turns=[Turn(words=[f"{name}3", f"{name}4"])]), []))
        graph.add_edge(START, "say").add_edge("say", "pause").add_edge("pause", "more")
        return graph.compile()

    both = StateGraph(MessagesState)
    both.add_node("a", speaker(first_spoke, second_spoke, "a"))
    both.add_node("b", speaker(second_spoke, first_spoke, "b"))
    both.add_edge(START, "a").add_edge(START, "b")
    async with asyncio.timeout(WAIT_S):
        text = text_of(await told(both))
    assert text in {"a1a2\n\na3a4\n\nb1b2\n\nb3b4", "b1b2\n\nb3b4\n\na1a2\n\na3a4"}


@pytest.mark.parametrize(
    "said",
    [
        AIMessage("plain"),
        AIMessage([{"type": "text", "text": "pl"}, {"type": "reasoning", "text": "hm"}, "ain"]),
        ("ai", "plain"),
        {"role": "assistant", "content": "plain"},
    ],
)
async def test_text_that_was_never_streamed_is_told_at_the_end(said: Any) -> None:
    assert await told(of_one_node(lambda state: {"messages": [said]})) == [Token("plain"), Done()]


async def test_the_last_text_that_is_not_empty() -> None:
    messages = [AIMessage("first"), AIMessage("second"), AIMessage("")]
    assert await told(of_one_node(lambda state: {"messages": messages})) == [Token("second"), Done()]


async def test_a_graph_that_says_nothing_does_not_repeat_the_history() -> None:
    assert await told(of_one_node(lambda state: {})) == [Done()]


async def test_usage_of_a_whole_message() -> None:
    usage = {"input_tokens": 1, "output_tokens": 2, "total_tokens": 3}
    message = AIMessage("x", id="m", usage_metadata=usage)  # type: ignore[arg-type]
    events = await told(of_one_node(lambda state: {"messages": [message]}))
    assert events[-1] == Done(usage=Usage(input_tokens=1, output_tokens=2))


async def test_custom_events() -> None:
    def node(state: MessagesState) -> dict[str, Any]:
        write = get_stream_writer()
        write(Token("thinking "))
        write(CitationEvent(title="Manual"))
        write({"progress": 3})
        return {}

    assert await told(of_one_node(node)) == [Token("thinking "), CitationEvent(title="Manual"), Done()]


async def test_a_graph_need_not_be_compiled() -> None:
    builder = StateGraph(MessagesState).add_node("n", lambda state: {"messages": [("ai", "x")]})
    assert await told(builder.add_edge(START, "n")) == [Token("x"), Done()]


async def test_a_graph_with_a_memory_gets_the_history_once() -> None:
    model = ScriptedModel(turns=[Turn(words=["one"]), Turn(words=["two"])])
    graph = create_agent(model, [], checkpointer=InMemorySaver())
    await told(graph)
    second = REQUEST.model_copy(update={"input": "again"})
    assert await told(graph, second) == [Token("two"), Done()]
    assert [message.text for message in model.asked[1]] == ["before", "old answer", "hi", "one", "again"]


async def test_a_memory_with_a_cancelled_call_still_works() -> None:
    entered = asyncio.Event()

    @tool
    async def hang(code: str) -> str:
        """Never returns."""
        entered.set()
        await asyncio.Event().wait()
        return "never"

    calls = Turn(calls=[("hang", {"code": "P1"})])
    model = ScriptedModel(turns=[calls, Turn(words=["fine"])])
    graph = create_agent(model, [hang], checkpointer=InMemorySaver())
    task = asyncio.create_task(told(graph))
    await asyncio.wait_for(entered.wait(), WAIT_S)
    task.cancel()
    await asyncio.wait([task])
    assert await told(graph) == [Token("fine"), Done()]
    kinds = [message.type for message in model.asked[1]]
    assert kinds == ["human", "ai", "human", "ai", "tool", "human"]


async def test_a_fault_in_a_node() -> None:
    def node(state: MessagesState) -> dict[str, Any]:
        raise ValueError("secret")

    assert await told(of_one_node(node)) == [
        Error(code="AGENT_FAILED", message="The agent failed while answering.")
    ]


async def test_too_many_steps() -> None:
    graph = StateGraph(MessagesState).add_node("loop", lambda state: {}).add_edge(START, "loop")
    graph.add_edge("loop", "loop")
    (error,) = await told(graph)
    assert (error.code, error.message) == ("LIMIT_EXCEEDED", "The agent took too many steps.")


async def test_an_interrupt_is_never_silent() -> None:
    def node(state: MessagesState) -> dict[str, Any]:
        return {"messages": [("ai", interrupt("May I?"))]}

    (error,) = await told(of_one_node(node, checkpointer=InMemorySaver()))
    assert error.code == "AGENT_FAILED"
    assert "wait for a decision" in error.message


async def test_hanging_up_cancels_the_node() -> None:
    entered, left = asyncio.Event(), asyncio.Event()

    async def node(state: MessagesState) -> dict[str, Any]:
        entered.set()
        try:
            await asyncio.Event().wait()
        finally:
            left.set()
        return {}

    task = asyncio.create_task(told(of_one_node(node)))
    await asyncio.wait_for(entered.wait(), WAIT_S)
    task.cancel()
    await asyncio.wait_for(left.wait(), WAIT_S)
    await asyncio.wait([task])
    assert task.cancelled()
