"""Agents in process that tests point `entrypoint` at."""

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from os import getcwd
from pathlib import Path

from frontdesk_agent.contract import AgentRequest, AgentResponse, Citation, Token, Tool, ToolCall

closed = asyncio.Event()


async def echo(request: AgentRequest) -> str:
    return f"echo: {request.input}"


async def streaming(request: AgentRequest) -> AsyncIterator[object]:
    yield Tool(name="look_up", arguments={"q": request.input})
    yield "one "
    yield Token("two")


async def whole(request: AgentRequest) -> AgentResponse:
    return AgentResponse(
        output="whole",
        citations=(Citation(title="A page", url="https://example.org/", snippet="…"),),
        tool_calls=(ToolCall(name="look_up", arguments={}),),
    )


async def silent(request: AgentRequest) -> str:
    return ""


async def failing(request: AgentRequest) -> str:
    raise RuntimeError("password=hunter2 in a traceback")


async def failing_midway(request: AgentRequest) -> AsyncIterator[str]:
    yield "half "
    raise RuntimeError("password=hunter2 in a traceback")


async def endless(request: AgentRequest) -> AsyncIterator[str]:
    closed.clear()
    try:
        yield "tick "
        await asyncio.Event().wait()
    finally:
        closed.set()


async def substitute(request: AgentRequest) -> str:
    return f"instead of {request.context.metadata['instead_of']['display_name']}"


async def metadata(request: AgentRequest) -> str:
    listed = [entry["name"] for entry in request.context.metadata.get("directory", [])]
    return f"{request.context.metadata['locale']} {listed}"


not_callable = 42


async def exiting(request: AgentRequest) -> str:
    sys.exit("password=hunter2")


def exiting_in_a_thread(request: AgentRequest) -> str:
    sys.exit(1)


async def counting(request: AgentRequest) -> AsyncIterator[object]:
    yield Tool(name="count", arguments={"n": float("inf"), "i": 10**30, "j": 10**400})
    yield "counted"


async def not_json(request: AgentRequest) -> AsyncIterator[object]:
    yield Tool(name="connect", arguments={"connection": object()})


class Greeter:
    async def __call__(self, request: AgentRequest) -> str:
        return "hello from an object"


greeter = Greeter()

here = Path(__file__).parent
found_elsewhere = (os, getcwd)
