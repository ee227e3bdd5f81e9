"""From a valid form to the services."""

from typing import Any

from django.contrib.auth.models import User
from django.db import transaction

from registry import services
from registry.admin.forms import AgentForm
from registry.models import Agent, AgentVersion


@transaction.atomic
def save(form: AgentForm, by: User) -> AgentVersion | None:
    """Create the agent, or write its draft and what lives on it. Returns the draft, if there is one."""
    given, changed = form.cleaned_data, set(form.changed_data)
    version = _save_card(form, by)
    agent = Agent.objects.get(name=form.card.name)
    access: dict[str, Any] = {name: given[name] for name in ("team", "groups", "enabled") if name in changed}
    if "owner_user" in changed:
        access["owner_user"] = given["owner_user"]
    if access:
        services.update_agent(agent=agent, by=by, **access)
    if "allowed_secrets" in changed:
        services.set_allowed_secrets(agent=agent, refs=given["allowed_secrets"], by=by)
    return version


def _save_card(form: AgentForm, by: User) -> AgentVersion | None:
    note = form.cleaned_data.get("note") or ""
    if form.shown is None:
        return services.create_agent(card=form.card, by=by, note=note)
    if form.shown.is_draft:
        return services.save_draft(draft=form.shown, card=form.card, by=by, note=note)
    services.set_agent_fields(agent=form.shown.agent, card=form.card, by=by)
    return None
