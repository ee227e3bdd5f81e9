"""A scripted OpenAI-compatible server: real HTTP on loopback, in a thread of its own, saying what it is told.

with OpenAIServer() as server:
    server.script(says("Hel", "lo"), Reply(status=429, error="slow down"))
    ... # ask a client with base_url=server.base_url
    assert server.requests[0].body["model"] == "some-model"
"""

import asyncio
import json
import queue
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Self

from aiohttp import web

WAIT_S = 10.0


@dataclass(frozen=True, kw_only=True)
class Reply:
    """What the server answers to one request; `says` makes the ordinary one.

    `chunks` is the text, one streamed chunk each; `tool_calls` are `(name, arguments)`, sent after the text;
    `usage` is (prompt tokens, completion tokens). With another `status` than 200, `error` is the answer.
    `hold_before` is the number of the chunk (0: also the headers) before which the server waits for
    `release`; `break_after` the number of chunks after which it drops the connection; `fail_after` the number
    after which it streams an error object; `body` replaces the whole answer as it is. `delay_s` comes first.
    """

    chunks: tuple[str, ...] = ()
    tool_calls: Sequence[tuple[str, Mapping[str, Any]]] = ()
    usage: tuple[int, int] | None = (11, 7)
    status: int = 200
    error: str = "scripted error"
    hold_before: int | None = None
    break_after: int | None = None
    fail_after: int | None = None
    body: bytes | None = None
    delay_s: float = 0.0


def says(*chunks: str, **options: Any) -> Reply:
    """A reply with this text; `options` are the other fields of `Reply`."""
    return Reply(chunks=chunks, **options)


@dataclass
class Completion:
    """One request as it came in. The events: the server waits in it; the client hung up."""

    body: dict[str, Any]
    headers: Mapping[str, str]
    held: threading.Event = field(default_factory=threading.Event)
    disconnected: threading.Event = field(default_factory=threading.Event)

    @property
    def messages(self) -> list[dict[str, Any]]:
        return list(self.body["messages"])

    def wait_held(self) -> None:
        assert self.held.wait(WAIT_S), "the server never came to the held chunk"

    def wait_disconnected(self) -> None:
        assert self.disconnected.wait(WAIT_S), "the client never hung up"


class OpenAIServer:
    """Replies in the order of the script; after its end what `answer` makes, if there is one, else 503."""

    def __init__(self, answer: Callable[[Completion], Reply] | None = None) -> None:
        self.requests: list[Completion] = []
        self._arrivals: queue.Queue[Completion] = queue.Queue()
        self._replies: queue.Queue[Reply] = queue.Queue()
        self._answer = answer
        self._loop = asyncio.new_event_loop()
        self._released = asyncio.Event()
        self._thread = threading.Thread(target=self._loop.run_forever, name="openai-server", daemon=True)
        self._runner: web.AppRunner | None = None
        self.base_url = ""

    def script(self, *replies: Reply) -> None:
        """Answer the next requests with these."""
        for reply in replies:
            self._replies.put(reply)

    def release(self) -> None:
        """Let everything that is held go on, now and from now on."""
        self._loop.call_soon_threadsafe(self._released.set)

    def next_request(self) -> Completion:
        """The next request that has not been taken yet; waits for it."""
        return self._arrivals.get(timeout=WAIT_S)

    async def arrived(self) -> Completion:
        """`next_request` without blocking the caller's event loop."""
        return await asyncio.to_thread(self.next_request)

    def __enter__(self) -> Self:
        self._thread.start()
        self.base_url = asyncio.run_coroutine_threadsafe(self._start(), self._loop).result(WAIT_S)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()
        asyncio.run_coroutine_threadsafe(self._stop(), self._loop).result(WAIT_S)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(WAIT_S)
        self._loop.close()

    async def _start(self) -> str:
        app = web.Application(client_max_size=16 * 1024 * 1024)
        app.router.add_post("/v1/chat/completions", self._complete)
        app.router.add_get("/v1/models", _models)
        self._runner = web.AppRunner(app, handler_cancellation=True, shutdown_timeout=0.1)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        return f"http://127.0.0.1:{self._runner.addresses[0][1]}/v1"

    async def _stop(self) -> None:
        if self._runner is not None:
            await self._runner.cleanup()

    async def _complete(self, request: web.Request) -> web.StreamResponse:
        completion = Completion(await request.json(), dict(request.headers))
        self.requests.append(completion)
        self._arrivals.put(completion)
        try:
            return await self._reply(request, completion)
        except (asyncio.CancelledError, ConnectionError):
            completion.disconnected.set()
            raise

    async def _reply(self, request: web.Request, completion: Completion) -> web.StreamResponse:
        reply = self._next_reply(completion)
        if reply.delay_s:
            await asyncio.sleep(reply.delay_s)
        if reply.hold_before == 0:
            await self._hold(completion)
        if reply.status != 200:
            error = {"error": {"message": reply.error, "type": "scripted", "code": None}}
            return web.json_response(error, status=reply.status)
        if reply.body is not None:
            return web.Response(body=reply.body)
        if completion.body.get("stream"):
            return await self._stream(request, completion, reply)
        return web.json_response(_whole(completion, reply))

    def _next_reply(self, completion: Completion) -> Reply:
        try:
            return self._replies.get_nowait()
        except queue.Empty:
            if self._answer is not None:
                return self._answer(completion)
            return Reply(status=503, error="nothing is scripted for this request")

    async def _stream(self, request: web.Request, completion: Completion, reply: Reply) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        for position, delta in enumerate(_deltas(reply)):
            if position and position == reply.hold_before:
                await self._hold(completion)
            if position == reply.break_after:
                return _drop(request, response)
            if position == reply.fail_after:
                await _send(response, {"error": {"message": reply.error, "type": "scripted"}})
                return response
            await _send(response, _chunk(completion, [{"index": 0, "delta": delta, "finish_reason": None}]))
        finish = "tool_calls" if reply.tool_calls else "stop"
        await _send(response, _chunk(completion, [{"index": 0, "delta": {}, "finish_reason": finish}]))
        if reply.usage and (completion.body.get("stream_options") or {}).get("include_usage"):
            await _send(response, {**_chunk(completion, []), "usage": _usage(reply.usage)})
        await response.write(b"data: [DONE]\n\n")
        return response

    async def _hold(self, completion: Completion) -> None:
        completion.held.set()
        await self._released.wait()


def _deltas(reply: Reply) -> list[dict[str, Any]]:
    texts: list[dict[str, Any]] = [{"role": "assistant", "content": chunk} for chunk in reply.chunks]
    calls: list[dict[str, Any]] = [
        {"tool_calls": [{"index": index, **call}]} for index, call in enumerate(_tool_calls(reply))
    ]
    return texts + calls


def _tool_calls(reply: Reply) -> list[dict[str, Any]]:
    return [
        {
            "id": f"call_{number}",
            "type": "function",
            "function": {"name": name, "arguments": json.dumps(arguments)},
        }
        for number, (name, arguments) in enumerate(reply.tool_calls, 1)
    ]


def _drop(request: web.Request, response: web.StreamResponse) -> web.StreamResponse:
    """End the connection in the middle of the answer."""
    if request.transport is not None:
        request.transport.close()
    return response


async def _send(response: web.StreamResponse, data: Mapping[str, Any]) -> None:
    await response.write(b"data: " + json.dumps(data).encode() + b"\n\n")


def _chunk(completion: Completion, choices: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "id": "chatcmpl-scripted",
        "object": "chat.completion.chunk",
        "created": 1,
        "model": completion.body.get("model"),
        "choices": choices,
    }


def _whole(completion: Completion, reply: Reply) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": "".join(reply.chunks)}
    if reply.tool_calls:
        message["tool_calls"] = _tool_calls(reply)
    finish = "tool_calls" if reply.tool_calls else "stop"
    return {
        "id": "chatcmpl-scripted",
        "object": "chat.completion",
        "created": 1,
        "model": completion.body.get("model"),
        "choices": [{"index": 0, "message": message, "finish_reason": finish}],
        "usage": _usage(reply.usage or (0, 0)),
    }


def _usage(usage: tuple[int, int]) -> dict[str, int]:
    return {"prompt_tokens": usage[0], "completion_tokens": usage[1], "total_tokens": sum(usage)}


async def _models(_: web.Request) -> web.Response:
    return web.json_response({"object": "list", "data": [{"id": "scripted", "object": "model"}]})
