"""The steps of a run as a LangGraph graph: route, delegate to each agent, make the answer.

Compiled once per supervisor. All that belongs to one run comes in as runtime context; text goes through the
run's sink and never through LangChain's callbacks. There is no checkpointer.
"""

import operator
from collections.abc import Mapping
from typing import Annotated, Any, Final, TypedDict

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime
from langgraph.types import Send

from frontdesk_agent.errors import ErrorCode, FrontdeskError
from orchestration.delegation import Assignment, Result, delegate
from orchestration.phrases import phrase, what_can_be_asked
from orchestration.request import Outcome
from orchestration.run import Run

RECURSION_LIMIT: Final = 25


class State(TypedDict, total=False):
    """What the steps hand on: who is to be asked, what came of it, and how the run ended."""

    assignments: list[Assignment]
    error: Mapping[str, Any]
    results: Annotated[list[Result], operator.add]
    outcome: Outcome


Graph = CompiledStateGraph[State, Run, State, State]


def build_graph() -> Graph:
    """The compiled graph."""
    graph = StateGraph(State, context_schema=Run)
    graph.add_node("route", _route)
    graph.add_node("delegate", _delegate)
    graph.add_node("answer", _answer)
    graph.add_edge(START, "route")
    graph.add_conditional_edges("route", _fan_out, ["delegate", "answer"])
    graph.add_edge("delegate", "answer")
    graph.add_edge("answer", END)
    return graph.compile()


async def run_graph(graph: Graph, run: Run) -> Outcome:
    """Carry out one run."""
    final = await graph.ainvoke({}, context=run, config={"recursion_limit": RECURSION_LIMIT})
    outcome: Outcome = final["outcome"]
    return outcome


async def _route(state: State, *, runtime: Runtime[Run]) -> State:
    run = runtime.context
    try:
        decided = await run.router.route(run.request, run.directory)
    except FrontdeskError as error:
        return {"error": error.as_dict()}
    await run.sink.emit(decided)
    return {
        "assignments": [
            Assignment(agent=to["agent"], task=to["task"], position=at, parent=None)
            for at, to in enumerate(decided.agents)
        ]
    }


def _fan_out(state: State) -> list[Send] | str:
    """One branch per agent; none when nobody is to be asked."""
    return [Send("delegate", assignment) for assignment in state.get("assignments", ())] or "answer"


async def _delegate(state: Assignment, *, runtime: Runtime[Run]) -> State:
    """Ask one agent; while nothing was said, those that its card names for when it is down."""
    run = runtime.context
    results = [await delegate(run, state)]
    while substitute := _substitute(run, results):
        assignment: Assignment = {
            **state,
            "agent": substitute,
            "position": len(results),
            "instead_of": results[0]["agent"],
        }
        results.append(await delegate(run, assignment))
    return {"results": results}


def _substitute(run: Run, results: list[Result]) -> str | None:
    last = results[-1]
    # What the person has to add first, another agent's answer does not replace.
    if last["error"] is None or last["error"]["code"] == ErrorCode.CONTEXT_MISSING or run.answer.started:
        return None
    entry = run.directory.get(last["agent"])
    name = entry.card.fallback if entry else None
    asked = {result["agent"] for result in results}
    return name if name and name not in asked and run.directory.get(name) else None


async def _answer(state: State, *, runtime: Runtime[Run]) -> State:
    """Close the message, or say in the platform's name why there is none; and tell how the run ended."""
    run = runtime.context
    if error := state.get("error"):
        return {"outcome": Outcome(status="failed", error=error)}
    results = state.get("results", [])
    if not results:
        await run.answer.speak_for_platform(what_can_be_asked(run.request.locale, run.directory))
        return {"outcome": Outcome(status="completed")}
    last = results[-1]
    if last["error"] is not None:
        return {"outcome": await _failed(run, results)}
    await _completed(run, last)
    return {
        "outcome": Outcome(
            status="completed", usage=last["usage"], agent=last["agent"], context=last["context"]
        )
    }


async def _completed(run: Run, last: Result) -> None:
    if not last["text"].strip():
        await run.answer.start(None)
        run.answer.say(phrase(run.request.locale, "empty", agent=last["display_name"]))
    await run.answer.complete(citations=last["citations"], usage=last["usage"])


async def _failed(run: Run, results: list[Result]) -> Outcome:
    """The error of whoever spoke last; when nobody spoke, of the agent that the question was for."""
    told = results[-1] if run.answer.started else results[0]
    if run.answer.started:
        await run.answer.complete(partial=True, citations=told["citations"], usage=told["usage"])
    return Outcome(status="failed", error=told["error"], usage=told["usage"], agent=told["agent"])
