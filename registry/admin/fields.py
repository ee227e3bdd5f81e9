"""Form fields for the parts of a card. What is right is decided by the card, not here."""

from collections.abc import Sequence
from typing import Any

from django import forms

from registry.admin.widgets import NotForRows, Rows


class RowsField(forms.Field):
    """A list of texts."""

    widget = Rows

    def to_python(self, value: Any) -> list[Any]:
        return list(value or [])

    def has_changed(self, initial: Any, data: Any) -> bool:
        return not self.disabled and list(initial or []) != list(data or [])


class NotForField(RowsField):
    """A list of `{text, agent}`; `agent` is left out when there is none."""

    widget = NotForRows

    def to_python(self, value: Any) -> list[Any]:
        return [{k: v for k, v in item.items() if v} for item in value or []]

    def has_changed(self, initial: Any, data: Any) -> bool:
        return super().has_changed(self.to_python(initial), self.to_python(data))


def choice(choices: Sequence[tuple[Any, Any]], **kwargs: Any) -> forms.TypedChoiceField:
    """A choice that may be left open; the card says when it may not."""
    return forms.TypedChoiceField(choices=choices, required=False, empty_value=None, **kwargs)


class JsonField(forms.JSONField):
    """Nothing is shown as nothing, not as `null`."""

    def prepare_value(self, value: Any) -> Any:
        return "" if value in (None, "", []) else super().prepare_value(value)
