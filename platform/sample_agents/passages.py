"""Documentation as passages: Markdown split by heading into pieces that can be quoted."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

_HEADING = re.compile(r"(#{1,6})\s+(.+?)\s*#*\s*$")
_FENCE = re.compile(r"\s*(```|~~~)")
_OWN_LINE = re.compile(r"\s*(?:[-*+]|\d+[.)])\s|\s*[|>]")
_LENGTH = 700
_PATTERNS = ("README.md", "CHANGELOG.md", "*/README.md", "platform/*/README.md")


@dataclass(frozen=True, slots=True)
class Passage:
    """A piece of a section. `headings` lead to it from the document's title; `path` is relative."""

    path: str
    headings: tuple[str, ...]
    text: str

    @property
    def title(self) -> str:
        return " › ".join(self.headings) or self.path

    @property
    def url(self) -> str:
        """The file and, as GitHub makes it, the heading's anchor."""
        anchor = re.sub(r"[^\w\- ]", "", self.headings[-1].lower()).replace(" ", "-") if self.headings else ""
        return f"{self.path}#{anchor}" if anchor else self.path


def documents(root: Path) -> list[Path]:
    """The Markdown files of the project at `root` that document it; none when there are none."""
    found = {path for pattern in _PATTERNS for path in root.glob(pattern) if path.is_file()}
    hidden = {path for path in found if any(part.startswith(".") for part in path.relative_to(root).parts)}
    return sorted(found - hidden)


def passages(root: Path, paths: Iterable[Path]) -> Iterator[Passage]:
    """The passages of `paths`, in reading order."""
    for path in paths:
        name = path.relative_to(root).as_posix()
        for headings, text in _sections(path.read_text(encoding="utf-8", errors="replace")):
            for piece in _pieces(text):
                yield Passage(name, headings, piece)


def _sections(text: str) -> Iterator[tuple[tuple[str, ...], str]]:
    trail: list[tuple[int, str]] = []
    lines: list[str] = []
    fence = ""
    for line in text.splitlines():
        if marker := _FENCE.match(line):
            fence = "" if fence == marker[1] else fence or marker[1]
        heading = None if fence else _HEADING.match(line)
        if heading is None:
            lines.append(line)
            continue
        yield tuple(name for _, name in trail), "\n".join(lines)
        level = len(heading[1])
        trail = [item for item in trail if item[0] < level] + [(level, heading[2])]
        lines = []
    yield tuple(name for _, name in trail), "\n".join(lines)


def _pieces(text: str) -> Iterator[str]:
    """Whole paragraphs, tables and code blocks, put together up to a length that can be quoted."""
    piece = ""
    for block in _blocks(text):
        if piece and len(piece) + len(block) > _LENGTH:
            yield piece
            piece = ""
        piece = f"{piece}\n\n{block}" if piece else block
    if piece:
        yield piece


def _blocks(text: str) -> Iterator[str]:
    for block in _paragraphs(text):
        yield from _table_parts(block) if block.startswith("|") and len(block) > _LENGTH else [block]


def _table_parts(block: str) -> Iterator[str]:
    """A long table in parts, each with the header."""
    header, rows = block.splitlines()[:2], block.splitlines()[2:]
    part: list[str] = []
    for row in rows:
        if part and len("\n".join([*header, *part, row])) > _LENGTH:
            yield "\n".join([*header, *part])
            part = []
        part.append(row)
    yield "\n".join([*header, *part])


def _paragraphs(text: str) -> Iterator[str]:
    block: list[str] = []
    fence = ""
    for line in [*text.splitlines(), ""]:
        if marker := _FENCE.match(line):
            fence = "" if fence == marker[1] else fence or marker[1]
        if line.strip() or (fence and block):
            block.append(line)
        elif block:
            yield _unwrapped(block)
            block = []
    if block:
        yield _unwrapped(block)


def _unwrapped(block: list[str]) -> str:
    """The block with prose that was wrapped put back into one line; code and table rows stay as they are."""
    if _FENCE.match(block[0]):
        return "\n".join(block)
    lines: list[str] = []
    for line in block:
        if lines and not _OWN_LINE.match(line):
            lines[-1] = f"{lines[-1]} {line.strip()}"
        else:
            lines.append(line)
    return "\n".join(lines)
