"""YAML documents as plain data that remembers its lines; what a card never needs is refused."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from ruamel.yaml import YAML
from ruamel.yaml.composer import Composer, MaxDepthExceededError
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.events import AliasEvent
from ruamel.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from frontdesk_agent.card.errors import FieldError

_MAX_DEPTH: Final = 16
_TAG: Final = "tag:yaml.org,2002:"
_TEXT_TAGS: Final = frozenset({f"{_TAG}str", f"{_TAG}timestamp"})
_VALUE_TAGS: Final = frozenset(f"{_TAG}{kind}" for kind in ("int", "float", "bool", "null"))


@dataclass(slots=True)
class Document:
    """One YAML document: its data, the line (from 1) of every field, and keys that are wrong as keys."""

    line: int
    data: Any = None
    lines: dict[str, int] = field(default_factory=dict)
    faults: list[FieldError] = field(default_factory=list)

    def line_of(self, path: str) -> int | None:
        """The line of the dotted `path`, or of the nearest field around it."""
        if not path:
            return self.line
        while path:
            if path in self.lines:
                return self.lines[path]
            path = path.rpartition(".")[0]
        return None


class _RefusedError(MarkedYAMLError):
    """Valid YAML that no card may use."""


class _TreeComposer(Composer):
    """Aliases let a short text grow without bound when it is read, so there are none.

    Nesting is bounded too: reading is recursive.
    """

    def compose_node(self, parent: Any, index: Any) -> Any:
        if self.parser.check_event(AliasEvent):
            mark = self.parser.peek_event().start_mark
            raise _RefusedError(None, None, "aliases (*name) are not allowed in cards", mark)
        try:
            return super().compose_node(parent, index)
        except MaxDepthExceededError as error:
            raise _RefusedError(None, None, "it is nested too deeply", error.problem_mark) from None


def read_documents(text: str) -> Iterator[Document]:
    """The documents in `text`, in order. Raises `YAMLError`."""
    yaml = YAML(typ="safe", pure=True)
    yaml.Composer = _TreeComposer
    yaml.max_depth = _MAX_DEPTH
    for node in yaml.compose_all(text):
        document = Document(line=_line(node))
        document.data = _Reader(yaml, document).value(node, "")
        yield document


def syntax_fault(error: YAMLError) -> FieldError:
    """What the YAML reader complains about, as a fault of the whole text."""
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    problem = getattr(error, "problem", None) or "a character that YAML does not allow"
    return FieldError("", f"The YAML cannot be read: {problem}", mark.line + 1 if mark else None)


class _Reader:
    def __init__(self, yaml: YAML, document: Document) -> None:
        self._yaml = yaml
        self._document = document

    def value(self, node: Node, path: str) -> Any:
        if isinstance(node, MappingNode) and node.tag == f"{_TAG}map":
            return self._mapping(node, path)
        if isinstance(node, SequenceNode) and node.tag == f"{_TAG}seq":
            return [
                self.value(item, self._place(item, path, str(position)))
                for position, item in enumerate(node.value)
            ]
        if isinstance(node, ScalarNode):
            return self._scalar(node)
        raise _unknown_tag(node)

    def _mapping(self, node: MappingNode, path: str) -> dict[str, Any]:
        result: dict[str, Any] = {}
        for key_node, value_node in node.value:
            key = key_node.value if isinstance(key_node, ScalarNode) else None
            if not isinstance(key, str) or key_node.tag != f"{_TAG}str":
                self._fault(path, "A field name must be text", key_node)
                continue
            if key in result:
                self._fault(path, f"{_join(path, key)} is given twice", key_node, key)
                continue
            result[key] = self.value(value_node, self._place(key_node, path, key))
        return result

    def _scalar(self, node: ScalarNode) -> Any:
        if node.tag in _TEXT_TAGS:
            return node.value
        if node.tag not in _VALUE_TAGS:
            raise _unknown_tag(node)
        try:
            return self._yaml.constructor.construct_object(node)
        except (ValueError, LookupError):  # such as more digits than Python reads, or `!!bool maybe`
            raise _RefusedError(None, None, "a value that does not fit its type", node.start_mark) from None

    def _place(self, node: Node, path: str, key: str) -> str:
        place = _join(path, key)
        self._document.lines[place] = _line(node)
        return place

    def _fault(self, path: str, message: str, node: Node, key: str = "") -> None:
        self._document.faults.append(FieldError(_join(path, key) if key else path, message, _line(node)))


def _join(path: str, key: str) -> str:
    return f"{path}.{key}" if path else key


def _line(node: Node) -> int:
    return int(node.start_mark.line) + 1


def _unknown_tag(node: Node) -> _RefusedError:
    return _RefusedError(None, None, "tags (!name) are not allowed in cards", node.start_mark)
