"""Server-sent events as bytes, in and out (https://html.spec.whatwg.org/multipage/server-sent-events.html)."""

import re
from collections.abc import Mapping
from typing import Any, Final

from frontdesk_agent.errors import ErrorCode, FrontdeskError
from frontdesk_agent.jsontext import dumps

MAX_EVENT_BYTES: Final = 2 * 1024 * 1024
"""How much of one unfinished event a decoder keeps by default."""

KEEPALIVE: Final = b": keepalive\n\n"
HEADERS: Final[Mapping[str, str]] = {
    "Content-Type": "text/event-stream; charset=utf-8",
    "Cache-Control": "no-cache",
    "X-Accel-Buffering": "no",
}

_BOM = b"\xef\xbb\xbf"
_LINE_END = re.compile(rb"\r\n|\n|\r")


def encode(event: str, data: bytes | Mapping[str, Any]) -> bytes:
    """One event in wire form. `data` is a JSON-able mapping, or bytes that are sent line by line."""
    body = data if isinstance(data, bytes) else dumps(data)
    if b"\n" in body or b"\r" in body:
        body = b"\ndata: ".join(_LINE_END.split(body))
    return b"event: %b\ndata: %b\n\n" % (event.encode(), body)


class SSEDecoder:
    """Bytes in, as they come from the wire; whole events out, as soon as they are whole.

    Lines are cut at the level of bytes and decoded one by one, so a chunk may end inside a character or
    between CR and LF. What is not UTF-8 becomes U+FFFD.
    """

    __slots__ = ("_data", "_event", "_full", "_limit", "_line", "_size", "_skip_lf", "_started")

    def __init__(self, limit: int = MAX_EVENT_BYTES) -> None:
        """`limit` is in bytes and bounds what is kept of an unfinished event."""
        self._limit = limit
        self._line = bytearray()
        self._data: list[bytes] = []
        self._size = 0
        self._event = b""
        self._skip_lf = False
        self._started = False
        self._full = False

    def feed(self, chunk: bytes) -> list[tuple[str, str]]:
        """The `(event, data)` pairs that `chunk` completes.

        Raises `FrontdeskError` `LIMIT_EXCEEDED` when an unfinished event outgrows the limit; events that
        were complete before are returned first, and the error is raised by the next call.
        """
        if self._full:
            raise _too_large()
        if self._skip_lf and chunk:
            self._skip_lf = False
            if chunk[0] == 0x0A:
                chunk = chunk[1:]
        events = self._cut(chunk)
        if len(self._line) + self._size > self._limit:
            self._full = True
            if not events:
                raise _too_large()
        return events

    def close(self) -> bool:
        """End of the stream: whether an unfinished event was left behind."""
        return bool(self._line.strip(_BOM) or self._data)

    def _cut(self, chunk: bytes) -> list[tuple[str, str]]:
        has_cr = b"\r" in chunk
        if not has_cr and b"\n" not in chunk:
            self._line += chunk
            return []
        if self._line:
            chunk = bytes(self._line) + chunk
            self._line.clear()
        if not self._started:
            self._started = True
            chunk = chunk.removeprefix(_BOM)
        if has_cr:
            self._skip_lf = chunk.endswith(b"\r")
            lines = _LINE_END.split(chunk)
        else:
            lines = chunk.split(b"\n")
        self._line += lines.pop()
        return self._read(lines)

    def _read(self, lines: list[bytes]) -> list[tuple[str, str]]:
        events = []
        for line in lines:
            if line.startswith(b"data:"):
                self._add(line[6:] if line[5:6] == b" " else line[5:])
            elif line.startswith(b"event:"):
                self._event = line[7:] if line[6:7] == b" " else line[6:]
            elif not line:
                if self._data:
                    events.append(self._take())
                self._event = b""
            elif line == b"data":
                self._add(b"")
            elif line == b"event":
                self._event = b""
        return events

    def _add(self, value: bytes) -> None:
        self._data.append(value)
        self._size += len(value) + 1

    def _take(self) -> tuple[str, str]:
        data = self._data[0] if len(self._data) == 1 else b"\n".join(self._data)
        self._data = []
        self._size = 0
        return self._event.decode("utf-8", "replace") or "message", data.decode("utf-8", "replace")


def _too_large() -> FrontdeskError:
    return FrontdeskError(ErrorCode.LIMIT_EXCEEDED, "The agent sent an event that is too large.")
