"""A card that is right, to be made wrong in one place."""

from typing import Any

CARD: dict[str, Any] = {
    "name": "diagnosis_agent",
    "display_name": "诊断助手",
    "version": "1.2.0",
    "owner": "diagnosis@example.org",
    "description": "Explains trouble codes. It rests on a table of generic codes. For workshops.",
    "capabilities": ["Explain what a trouble code means"],
    "examples": ["what does P0420 mean", "P0171 是什么故障？"],
    "transport": "http",
    "endpoint": "http://127.0.0.1:9101/invoke",
    "timeout_ms": 10_000,
    "stateful": False,
    "input_schema_ref": "contracts/v1/AgentRequest",
    "output_schema_ref": "contracts/v1/AgentResponse",
}

INPROC = {key: value for key, value in CARD.items() if key != "endpoint"} | {
    "transport": "inproc",
    "entrypoint": "sample_agents.supply_chain.agent",
}
