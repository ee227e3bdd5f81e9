"""The package needs what its own pyproject.toml says, and nothing else that lies around here."""

import ast
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[2] / "platform" / "frontdesk_agent"
MODULES = {"re2": "google-re2", "ruamel": "ruamel.yaml", "pydantic_core": "pydantic"}
OPTIONAL = {"langchain_core"}

SCRIPT = """
import asyncio

class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {"langchain_core", "langgraph", "django", "orchestration", "config"}:
            raise ModuleNotFoundError(name)

sys.meta_path.insert(0, Absent())
import frontdesk_agent.client, frontdesk_agent.serving
from frontdesk_agent import AgentRequest, adapt, agent_app

async def agent(request):
    return request.input

async def main():
    return [event.event async for event in adapt(agent)(AgentRequest(input="x"))]

agent_app(agent)
print(asyncio.run(main()))
"""


def imported(source: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield (node.module or "").partition(".")[0]


def test_every_import_is_declared() -> None:
    project = tomllib.loads((PACKAGE / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    declared = {re.split(r"[<>=~! ]", dependency)[0] for dependency in project["dependencies"]}
    names = {name for path in PACKAGE.rglob("*.py") for name in imported(path.read_text(encoding="utf-8"))}
    foreign = names - set(sys.stdlib_module_names) - {"frontdesk_agent"} - OPTIONAL
    assert {MODULES.get(name, name) for name in foreign} == declared


def test_it_works_without_langchain_and_django(tmp_path: Path) -> None:
    script = tmp_path / "alone.py"
    script.write_text(f"import sys; sys.path.append({str(PACKAGE.parent)!r})\n{SCRIPT}")
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=60, check=False)
    assert done.stdout == "['token', 'done']\n", done.stderr
