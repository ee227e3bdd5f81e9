"""Whatever an agent is written as, seen as one thing: a request in, a stream of contract events out."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import aclosing
from typing import Any

from frontdesk_agent.adapters.functions import Piece, Source, function_source
from frontdesk_agent.adapters.langchain import is_runnable, runnable_source
from frontdesk_agent.adapters.langgraph import graph_source, is_graph, is_graph_builder
from frontdesk_agent.contract import (
    AgentRequest,
    AgentResponse,
    Citation,
    CitationEvent,
    Done,
    Error,
    StreamEvent,
    Token,
    Tool,
    ToolCall,
)
from frontdesk_agent.errors import ErrorCode, FrontdeskError
from frontdesk_agent.text import TextCleaner

__all__ = ["Adapter", "adapt"]

logger = logging.getLogger(__name__)

Adapter = Callable[[AgentRequest], AsyncGenerator[StreamEvent, None]]


def adapt(target: Any) -> Adapter:
    """`target` as a function from a request to its events, the last of which is one `Done` or `Error`.

    `target` is an async function (returning text or an `AgentResponse`), an async generator (yielding text or
    events), their synchronous kin (run in a thread), a LangChain Runnable, or a LangGraph graph. Its texts
    are cleaned, its exceptions become an `Error`: a `FrontdeskError` keeps its code and sentence, anything
    else is logged here and told as `AGENT_FAILED`.

    Closing the returned generator (`aclose`), or cancelling the task that reads it, stops the target.
    Raises `TypeError` for anything else.
    """
    source = _source(target)

    async def answer(request: AgentRequest) -> AsyncGenerator[StreamEvent, None]:
        teller = _Teller()
        end: StreamEvent = Done()
        try:
            async with aclosing(source(request)) as pieces:
                async for piece in pieces:
                    for event in teller.events(piece):
                        yield event
                        if isinstance(event, Done | Error):
                            return
        except FrontdeskError as error:
            end = Error.of(error)
        except asyncio.CancelledError:
            if _we_are_cancelled():
                raise
            end = _failure()  # the target awaited a task of its own that was cancelled
        except (Exception, SystemExit):  # an agent may end its answer, never the process
            logger.exception("an agent failed")
            end = _failure()
        for event in teller.last(end):
            yield event

    return answer


def _source(target: Any) -> Source:
    if is_graph_builder(target):
        target = target.compile()
    if is_graph(target):
        return graph_source(target)
    if is_runnable(target):
        return runnable_source(target)
    if callable(target) and not isinstance(target, type):
        return function_source(target)
    raise TypeError(
        "an agent is an async function, an async generator, a function, a Runnable or a graph, "
        f"not {type(target).__name__}"
    )


def _we_are_cancelled() -> bool:
    task = asyncio.current_task()
    return task is None or task.cancelling() > 0


def _failure() -> Error:
    return Error(code=str(ErrorCode.AGENT_FAILED), message="The agent failed while answering.")


class _Teller:
    """Turns what a target hands out into events, with clean text."""

    def __init__(self) -> None:
        self._cleaner = TextCleaner()
        self._spoken = False

    def events(self, piece: Piece) -> Iterator[StreamEvent]:
        match piece:
            case None:
                pass
            case str() as text:
                yield from self._tokens(self._cleaner.feed(text))
            case Token(text):
                yield from self._tokens(self._cleaner.feed(text))
            case Tool() | CitationEvent():
                yield piece
            case Done() | Error():
                yield from self.last(piece)
            case AgentResponse():
                yield from self._response(piece)
            case Citation():
                yield CitationEvent(**dict(piece))
            case ToolCall():
                yield Tool(**dict(piece))
            case _:
                raise TypeError(f"an agent answers with text or events, not {type(piece).__name__}")

    def last(self, end: StreamEvent) -> Iterator[StreamEvent]:
        yield from self._tokens(self._cleaner.flush())
        yield end

    def _tokens(self, text: str) -> Iterator[StreamEvent]:
        if text:
            self._spoken = True
            yield Token(text)

    def _response(self, response: AgentResponse) -> Iterator[StreamEvent]:
        for call in response.tool_calls:
            yield Tool(**dict(call))
        spoken = self._spoken
        if not spoken:
            yield from self._tokens(response.output)
        yield from self.last(
            Done(
                output=response.output if spoken else None,
                citations=response.citations,
                usage=response.usage,
                trace_id=response.trace_id,
                context=response.context,
                handoff=response.handoff,
            )
        )
