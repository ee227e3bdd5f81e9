"""From the bytes of an agent's answer to pieces."""

import re
from typing import Final

from frontdesk_agent.contract import AgentResponse, Done, Error, Token, Tool, parse_event
from frontdesk_agent.errors import FrontdeskError
from frontdesk_agent.jsontext import loads
from frontdesk_agent.sse import SSEDecoder
from orchestration.transports.base import Piece
from orchestration.transports.faults import bad_response

_SENTENCE: Final = 500
# Where an agent's own services are is nobody's business outside: URLs, IPv4 and IPv6 addresses, host:port.
_ADDRESS: Final = re.compile(
    r"[a-z][a-z0-9+.-]*://\S+|\b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?\b"
    r"|\[[0-9a-f:.]*:[0-9a-f:.]*\](?::\d+)?|\b(?=[\d.-]*[a-z])[a-z0-9][a-z0-9.-]*:\d{2,5}\b",
    re.IGNORECASE,
)


class StreamParser:
    """Reads one agent's event stream, chunk by chunk, wherever the chunks were cut.

    After `done` (or an error) `finished` is true and whatever follows is ignored.
    """

    def __init__(self, agent: str) -> None:
        self._agent = agent
        self._decoder = SSEDecoder()
        self.finished = False

    def feed(self, chunk: bytes) -> list[Piece | FrontdeskError]:
        """What `chunk` completed. Tokens that came together are one piece; an error is the last one."""
        pieces: list[Piece | FrontdeskError] = []
        text: list[str] = []
        for name, data in self._decoder.feed(chunk):
            piece = self._read(name, data)
            if isinstance(piece, str):
                text.append(piece)
            elif piece is not None:
                _flush(text, pieces)
                pieces.append(piece)
                if isinstance(piece, Done | FrontdeskError):
                    self.finished = True
                    break
        _flush(text, pieces)
        return pieces

    def _read(self, name: str, data: str) -> Piece | FrontdeskError | None:
        try:
            event = parse_event(name, data)
        except FrontdeskError:
            return bad_response(self._agent, "sent an event that cannot be read.")
        if isinstance(event, Token):
            return event.text
        return own_error(event) if isinstance(event, Error) else event


def _flush(text: list[str], pieces: list[Piece | FrontdeskError]) -> None:
    if text:
        pieces.append("".join(text))
        text.clear()


def own_error(event: Error) -> FrontdeskError:
    """An agent's own `error`: our code if it is one; its sentence on one line, cut, without addresses."""
    error = event.as_error()
    sentence = _ADDRESS.sub("…", " ".join(error.message.split()))
    return FrontdeskError(error.code, sentence[:_SENTENCE], retryable=error.retryable)


def whole_answer(agent: str, body: bytes) -> list[Piece]:
    """The pieces of a plain JSON answer."""
    try:
        response = AgentResponse.model_validate(loads(body))
    except ValueError:
        raise bad_response(agent, "gave an answer that cannot be read.") from None
    tools = [Tool(name=call.name, arguments=call.arguments) for call in response.tool_calls]
    return [*tools, Done.model_validate(response.model_dump())]
