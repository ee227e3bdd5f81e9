"""What an operator reads: one JSON line per delegation and run, with figures and without what was said."""

import asyncio
import json

from frontdesk_agent.card import card_to_yaml, parse_card
from tests.conversations.conftest import card
from tests.conversations.test_interrupted import alice_at
from tests.support.agent_server import Exchange, ScriptedAgent
from tests.support.waiting import eventually

QUESTION = "ask_logged zebra-finch-47"


async def test_lines_have_ids_and_figures_and_no_message_text(make_site) -> None:

    async def script(exchange: Exchange) -> None:
        await exchange.answer("quetzal-48", usage={"input_tokens": 3, "output_tokens": 5})

    site = await asyncio.to_thread(make_site)
    async with ScriptedAgent(script).serving() as agent:
        await asyncio.to_thread(site.publish, card_to_yaml(parse_card(card("logged", agent.port))))
        async with alice_at(site) as alice:
            conversation = await alice.conversation()
            frames = await alice.ask(conversation, QUESTION)

    async def written() -> bool:
        return any("run_finished" in line for line in site.output)

    await eventually(written)
    await asyncio.to_thread(site.stop)
    lines = [json.loads(line) for line in site.output if line.startswith("{")]
    (delegation,) = [line for line in lines if line["event"] == "delegation_finished"]
    (run,) = [line for line in lines if line["event"] == "run_finished"]
    trace = next(frame["trace_id"] for frame in frames if frame["type"] == "run.started")
    assert delegation["trace_id"] == run["trace_id"] == trace
    assert delegation["session_id"] == run["session_id"] == conversation
    assert (delegation["agent_name"], delegation["status"]) == ("logged", "completed")
    assert (delegation["input_tokens"], delegation["output_tokens"]) == (3, 5)
    assert delegation["latency_ms"] >= 0
    assert (run["tier"], run["status"]) == ("keyword", "completed")
    everything = "".join(site.output)
    assert "zebra-finch-47" not in everything
    assert "quetzal-48" not in everything
