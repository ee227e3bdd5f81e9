"""How a field of the agent's form is shown when it cannot be edited."""

from dataclasses import dataclass
from typing import Any

from django import forms, template
from django.db.models import QuerySet
from django.forms import BoundField
from django.utils.translation import gettext as _

from frontdesk_agent.card import NotFor

register = template.Library()


@dataclass(frozen=True, slots=True)
class Shown:
    """Either a list or a text."""

    text: str = ""
    items: tuple[str, ...] = ()


@register.filter
def is_checkbox(field: BoundField) -> bool:
    return isinstance(field.field.widget, forms.CheckboxInput)


@register.filter
def own_errors(field: BoundField) -> list[str]:
    """The errors of the field as a whole: those of single rows stand at their rows."""
    at_rows = getattr(field.field.widget, "row_sentences", ())
    return [str(error) for error in field.errors if error not in at_rows]


@register.filter
def shown_value(field: BoundField) -> Shown:
    """The value in words: choices by their label, rows as a list."""
    value = field.value()
    if isinstance(value, bool):
        return Shown(_("Yes") if value else _("No"))
    if isinstance(field.field, forms.ModelChoiceField):
        return _related(field.field, value)
    if isinstance(field.field, forms.ChoiceField):
        return Shown(str(dict(field.field.widget.choices).get(value or "", value or "")))
    if isinstance(value, list | tuple):
        return Shown(items=tuple(_line(item) for item in value))
    return Shown("" if value is None else str(value))


def _related(field: Any, value: Any) -> Shown:
    if isinstance(value, list | tuple | QuerySet):
        return Shown(
            items=tuple(str(item) for item in field.queryset.filter(pk__in=[_key(v) for v in value]))
        )
    found = field.queryset.filter(pk=_key(value)).first() if value else None
    return Shown(str(found or ""))


def _key(value: Any) -> Any:
    return getattr(value, "pk", value)


def _line(item: Any) -> str:
    return str(NotFor(**item)) if isinstance(item, dict) and "text" in item else str(item)
