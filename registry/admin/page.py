"""What the agent's page shows around its form."""

from dataclasses import dataclass
from typing import Any

from django.forms import BoundField

from registry.admin.display import health_badge
from registry.admin.forms import BLOCK_FIELDS, MORE, AgentForm, required_names
from registry.admin.texts import BLOCK_TITLES, Text
from registry.models import Agent
from registry.selectors import versions_of


@dataclass(frozen=True, slots=True)
class Block:
    """One part of the form; `more` is what most cards leave alone, `open` if one of it is used."""

    name: str
    text: Text
    fields: list[BoundField]
    more: list[BoundField]
    open: bool


def page_context(form: AgentForm, agent: Agent | None, *, may_publish: bool) -> dict[str, Any]:
    """The blocks of the form, and all versions of the agent."""
    shown = form.shown
    return {
        "blocks": [_block(form, name) for name in BLOCK_FIELDS],
        "required_names": required_names(),
        "shown": shown,
        "is_draft": shown is None or shown.is_draft,
        "health": health_badge(agent) if agent else "",
        "versions": list(versions_of(agent)) if agent else [],
        "agent_names": Agent.objects.values_list("name", "live__display_name"),
        "may_publish": may_publish,
        "may_change": form.may_change,
    }


def _block(form: AgentForm, name: str) -> Block:
    fields = [form[field] for field in BLOCK_FIELDS[name] if field in form.fields]
    fields = [field for field in fields if not (field.field.disabled and _empty(field.value()))]
    more = [field for field in fields if field.name in MORE]
    used = any(field.errors or _differs(form, field) for field in more)
    return Block(name, BLOCK_TITLES[name], [f for f in fields if f.name not in MORE], more, used)


def _differs(form: AgentForm, field: BoundField) -> bool:
    usual = form.fields[field.name].initial
    value = field.value()
    if field.name.endswith("_schema_ref"):
        return bool(value != field.field.widget.attrs["placeholder"])
    return value not in (usual, str(usual), None, "", [])


def _empty(value: Any) -> bool:
    return value is None or value == "" or value == []
