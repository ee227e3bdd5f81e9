"""The two ways to ask an agent: for a whole answer, and for its stream."""

from contextlib import aclosing

from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from frontdesk_agent.adapters import Adapter
from frontdesk_agent.contract import (
    AgentRequest,
    AgentResponse,
    Citation,
    CitationEvent,
    Done,
    Error,
    Token,
    Tool,
    ToolCall,
)
from frontdesk_agent.server.answers import coded, json_response
from frontdesk_agent.server.guard import TooLargeError, read_request, refusal, trace_id_of
from frontdesk_agent.server.streaming import EventStream, unless_gone


class Endpoints:
    """The contract's endpoints for one agent."""

    def __init__(self, answer: Adapter, secret_ref: str | None, keepalive_seconds: float) -> None:
        self._answer = answer
        self._keepalive_seconds = keepalive_seconds
        self._secret_ref = secret_ref

    async def invoke(self, request: Request) -> Response:
        """The whole answer as JSON."""
        asked = await self._asked(request)
        if isinstance(asked, Response):
            return asked
        response = await unless_gone(request.receive, whole_answer(self._answer, asked))
        if response is None:
            return _nobody()
        if not response.trace_id:
            response = response.model_copy(update={"trace_id": trace_id_of(request)})
        return json_response(response.model_dump(mode="json", exclude_none=True))

    async def stream(self, request: Request) -> Response:
        """The answer as server-sent events, as it grows."""
        asked = await self._asked(request)
        if isinstance(asked, Response):
            return asked
        return EventStream(
            self._answer(asked), trace_id=trace_id_of(request), keepalive_seconds=self._keepalive_seconds
        )

    async def _asked(self, request: Request) -> AgentRequest | Response:
        refused = refusal(request, self._secret_ref)
        if refused is not None:
            return refused
        try:
            return await read_request(request)
        except TooLargeError as error:
            return coded(error, 413, {"Connection": "close"})
        except ClientDisconnect:
            return _nobody()


def _nobody() -> Response:
    """The answer that nobody is there to read."""
    return Response(status_code=499)


async def whole_answer(answer: Adapter, request: AgentRequest) -> AgentResponse:
    """The events of `answer` put together. Raises `FrontdeskError` when it ends in an error."""
    text: list[str] = []
    tools: list[ToolCall] = []
    citations: list[Citation] = []
    done = Done()
    async with aclosing(answer(request)) as events:
        async for event in events:
            match event:
                case Token():
                    text.append(event.text)
                case Tool():
                    tools.append(event)
                case CitationEvent():
                    citations.append(event)
                case Error():
                    raise event.as_error()
                case Done():
                    done = event
    return AgentResponse(
        output=done.output if done.output is not None else "".join(text),
        tool_calls=tuple(tools),
        citations=(*citations, *done.citations),
        usage=done.usage,
        trace_id=done.trace_id,
        context=done.context,
        handoff=done.handoff,
    )
