"""Widgets for lists that are edited as rows. They work without JavaScript too: one row, one line."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from django import forms
from django.utils.datastructures import MultiValueDict
from django.utils.translation import gettext as _

Errors = Mapping[int, Sequence[str]]


class Rows(forms.Widget):
    """One text a row. `label` is for screen readers; the form fills `row_errors`, `{row: [sentence]}`."""

    template_name = "registry/widgets/rows.html"
    label: Any = ""
    placeholder: Any = ""
    row_errors: Errors = {}
    row_sentences: Collection[str] = ()

    class Media:
        css = {"all": ["registry/admin.css"]}
        js = ["registry/rows.js"]

    def get_context(self, name: str, value: Any, attrs: dict[str, Any] | None) -> dict[str, Any]:
        context = super().get_context(name, value, attrs)
        texts = list(value or []) or [self.empty()]
        base = context["widget"]["attrs"].get("id") or name
        context["widget"] |= {
            "rows": [self._row(name, base, i, item) for i, item in enumerate(texts)],
            "blank": self._row(name, base, "__i__", self.empty()),
            "label": self.label,
            "described_by": f"{base}_helptext",
            "texts": {
                "row": _("%(label)s, row {n}") % {"label": self.label},
                "remove": _("Remove row {n}"),
                "added": _("Row {n} added."),
                "removed": _("Row removed; {n} left."),
                "pasted": _("{n} rows added."),
                "target": _("Row {n}: agent that takes it"),
            },
        }
        return context

    def _row(self, name: str, base: str, i: int | str, item: Any) -> dict[str, Any]:
        number = i + 1 if isinstance(i, int) else i
        errors = self.row_errors.get(i, ()) if isinstance(i, int) else ()
        return {
            "name": name,
            "id": f"{base}_{i}" if i else base,
            "number": number,
            "value": item,
            "label": _("%(label)s, row %(n)s") % {"label": self.label, "n": number},
            "remove": _("Remove row %s") % number,
            "target_label": _("Row %s: agent that takes it") % number,
            "placeholder": self.placeholder,
            "errors": errors,
        }

    def empty(self) -> Any:
        return ""

    def value_from_datadict(self, data: Any, files: Any, name: str) -> list[Any]:
        return [line for text in _values(data, name) for line in _lines(text)]

    def value_omitted_from_data(self, data: Any, files: Any, name: str) -> bool:
        return name not in data


class NotForRows(Rows):
    """A text and the agent that takes it instead, a row; values are `{text, agent}`."""

    template_name = "registry/widgets/not_for_rows.html"

    def empty(self) -> Any:
        return {"text": "", "agent": ""}

    def value_from_datadict(self, data: Any, files: Any, name: str) -> list[Any]:
        pairs = zip(_values(data, name), _values(data, f"{name}_agent"), strict=False)
        rows = [(_lines(text) or [""], agent.strip()) for text, agent in pairs]
        return [{"text": line, "agent": agent} for lines, agent in rows for line in lines if line or agent]


def _values(data: Any, name: str) -> list[str]:
    if isinstance(data, MultiValueDict):
        return [str(item) for item in data.getlist(name)]
    found = data.get(name, [])
    return [found] if isinstance(found, str) else list(found)


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]
