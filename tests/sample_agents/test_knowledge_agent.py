"""Quotes from documentation, with their source, or an honest no."""

from pathlib import Path

import pytest

from sample_agents import knowledge
from sample_agents.passages import documents, passages
from tests.sample_agents.asking import Ask

README = """# Frontdesk

One front desk to every agent an organisation has.

## Quick start

```
# this is no heading
python3 manage.py demo
```

The demo prints its address and a password for `admin`.

## Register your first agent

Wrap your function with `agent_app`, write a card, then run `manage.py import_cards my_agent.yaml --publish`.
The card's `secret_ref` names a secret such as AGENT_SECRET_DIAGNOSIS; it never holds one.

## Settings

| variable | meaning |
| --- | --- |
| `LEASE_TTL_S` | how long a run's lease lasts |
"""


@pytest.fixture
def docs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "README.md").write_text(README)
    (tmp_path / "CHANGELOG.md").write_text("# Changelog\n\n## Unreleased\n\n- The chat page.\n")
    (tmp_path / "platform" / "frontdesk_agent").mkdir(parents=True)
    (tmp_path / "platform" / "frontdesk_agent" / "README.md").write_text("# frontdesk_agent\n\nA client.\n")
    (tmp_path / ".venv").mkdir()
    (tmp_path / ".venv" / "README.md").write_text("# Not ours\n\nLEASE_TTL_S\n")
    monkeypatch.setenv("KNOWLEDGE_DIR", str(tmp_path))
    monkeypatch.delenv("KNOWLEDGE_URL", raising=False)
    return tmp_path


@pytest.mark.parametrize(
    ("question", "url"),
    [
        ("How do I register my first agent?", "README.md#register-your-first-agent"),
        ("如何在 Frontdesk 注册一个智能体？", "README.md#register-your-first-agent"),
        ("What may secret_ref contain?", "README.md#register-your-first-agent"),
        ("密钥应该怎么写？", "README.md#register-your-first-agent"),
        ("有哪些设置？", "README.md#settings"),
        ("LEASE_TTL_S 是什么？", "README.md#settings"),
        ("怎么启动演示？", "README.md#quick-start"),
        ("更新日志里有什么？", "CHANGELOG.md#unreleased"),
    ],
)
async def test_the_passage_is_quoted_and_cited(ask: Ask, docs: Path, question: str, url: str) -> None:
    said = await ask(knowledge.agent, question)
    best = said.citations[0]
    assert best.url == url
    assert best.snippet
    assert f"**1. {best.title}**" in said.text
    assert "\n> " in said.text
    assert [tool.name for tool in said.tools] == ["search_documentation"]


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("Who won the world cup?", "I found nothing"),
        ("What is the capital of France?", "I found nothing"),
        ("帮我写一段关于秋天的短诗", "没有找到"),
        ("如何注册营业执照？", "没有找到"),
        ("???", "I found nothing"),
    ],
)
async def test_when_nothing_fits_it_says_so(ask: Ask, docs: Path, question: str, told: str) -> None:
    said = await ask(knowledge.agent, question)
    assert told in said.text
    assert said.citations == []


async def test_missing_documentation_is_said(
    ask: Ask, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KNOWLEDGE_DIR", str(tmp_path))
    assert "not installed here" in (await ask(knowledge.agent, "Which settings are there?")).text
    assert "没有安装项目文档" in (await ask(knowledge.agent, "有哪些设置？")).text


async def test_a_changed_document_is_read_again(ask: Ask, docs: Path) -> None:
    assert (await ask(knowledge.agent, "What is zeppelin mode?")).citations == []
    (docs / "README.md").write_text(f"{README}\n## Zeppelin mode\n\nIt floats.\n")
    assert (await ask(knowledge.agent, "What is zeppelin mode?")).citations[0].snippet == "It floats."


async def test_citations_point_to_where_the_documentation_is(
    ask: Ask, docs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KNOWLEDGE_URL", "https://git.example/frontdesk/blob/main/")
    said = await ask(knowledge.agent, "Which settings are there?")
    assert said.citations[0].url == "https://git.example/frontdesk/blob/main/README.md#settings"


def test_only_the_projects_own_documents_are_read(docs: Path) -> None:
    names = [path.relative_to(docs).as_posix() for path in documents(docs)]
    assert names == ["CHANGELOG.md", "README.md", "platform/frontdesk_agent/README.md"]


def test_code_blocks_stay_whole_and_hold_no_headings(docs: Path) -> None:
    found = list(passages(docs, [docs / "README.md"]))
    assert [passage.headings[-1] for passage in found] == [
        "Frontdesk",
        "Quick start",
        "Register your first agent",
        "Settings",
    ]
    assert "```\n# this is no heading\npython3 manage.py demo\n```" in found[1].text


def test_long_sections_are_quoted_in_pieces(tmp_path: Path) -> None:
    path = tmp_path / "README.md"
    path.write_text("# Title\n\n" + "\n\n".join(f"Paragraph {n}. " + "word " * 60 for n in range(8)))
    found = list(passages(tmp_path, [path]))
    assert len(found) > 2
    assert all(len(passage.text) < 900 for passage in found)


def test_a_long_table_is_quoted_in_parts_with_its_header(tmp_path: Path) -> None:
    path = tmp_path / "README.md"
    rows = "\n".join(f"| `SETTING_{n}` | {'meaning ' * 8}|" for n in range(40))
    path.write_text(f"# Settings\n\n| name | meaning |\n| --- | --- |\n{rows}\n")
    found = list(passages(tmp_path, [path]))
    assert len(found) > 2
    assert all(passage.text.startswith("| name | meaning |\n| --- | --- |\n") for passage in found)
    assert sum(passage.text.count("SETTING_") for passage in found) == 40


def test_wrapped_prose_is_put_back_into_one_line(tmp_path: Path) -> None:
    prose = "# T\n\nOne sentence\nover two lines.\n\n"
    text = prose + "- an item\n  that goes on\n- another\n\n```\nkept\nas it is\n```\n"
    (tmp_path / "README.md").write_text(text, encoding="utf-8")
    (found,) = passages(tmp_path, documents(tmp_path))
    assert found.text == (
        "One sentence over two lines.\n\n- an item that goes on\n- another\n\n```\nkept\nas it is\n```"
    )
