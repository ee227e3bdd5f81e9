"""What the admin's pages do to agents, through the services; a refusal becomes a message."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from frontdesk_agent.errors import FrontdeskError
from registry import services
from registry.models import Agent, AgentVersion
from registry.selectors import newest_draft


@contextmanager
def refusals_shown(request: HttpRequest, about: str) -> Iterator[None]:
    """Show what a service refuses instead of failing; the rest of the block is left out."""
    try:
        yield
    except FrontdeskError as error:
        messages.error(request, f"{about}: {error.message}")


def publish(request: HttpRequest, version: AgentVersion) -> bool:
    """Publish, and say what came of it; whether it is live now."""
    with refusals_shown(request, str(version)):
        result = services.publish(version=version, by=_person(request))
        text = _("%s is live. People reach it from their next question on.")
        messages.success(request, text % result.version)
        for warning in result.warnings:
            messages.warning(request, f"{result.version}: {warning}")
        return True
    return False


def probe(request: HttpRequest, agents: list[Agent]) -> None:
    """Probe side by side, and say how each is."""
    for agent in services.probe_agents(agents=agents):
        if agent.health_ok:
            took = "" if agent.health_latency_ms is None else f" ({agent.health_latency_ms} ms)"
            messages.success(request, _("%s is well.") % agent.name + took)
        else:
            messages.error(
                request,
                _("%(agent)s is not well: %(why)s") % {"agent": agent.name, "why": agent.health_detail},
            )


@admin.action(description=gettext_lazy("Publish the newest draft"), permissions=["publish"])
def publish_selected(admin_: Any, request: HttpRequest, queryset: QuerySet[Agent]) -> None:
    for agent in queryset:
        if draft := newest_draft(agent):
            admin_.publish(request, draft)
        else:
            messages.info(request, _("%s has no draft.") % agent.name)


@admin.action(description=gettext_lazy("Probe now"), permissions=["change"])
def probe_selected(_admin: Any, request: HttpRequest, queryset: QuerySet[Agent]) -> None:
    probe(request, list(queryset))


@admin.action(description=gettext_lazy("Enable"), permissions=["change"])
def enable_selected(_admin: Any, request: HttpRequest, queryset: QuerySet[Agent]) -> None:
    _set_enabled(request, queryset, enabled=True)


@admin.action(description=gettext_lazy("Disable: take out of every directory"), permissions=["change"])
def disable_selected(_admin: Any, request: HttpRequest, queryset: QuerySet[Agent]) -> None:
    _set_enabled(request, queryset, enabled=False)


@admin.action(description=gettext_lazy("Export as YAML"))
def export_selected(_admin: Any, request: HttpRequest, queryset: QuerySet[Agent]) -> HttpResponse | None:
    """All of them or, when a card is broken, none and why: a download could not say what it leaves out."""
    exported = None
    with refusals_shown(request, _("Export as YAML")):
        exported = services.export_cards(names=queryset.values_list("name", flat=True))
        for name, why in exported.broken.items():
            messages.error(request, f"{name}: {why}")
    if exported is None or exported.broken or not exported.cards:
        return None
    return yaml_file("---\n".join(exported.cards.values()), "agents.yaml")


def yaml_file(text: str, name: str) -> HttpResponse:
    """A download, shown as text by browsers that can."""
    return HttpResponse(
        text,
        content_type="text/plain; charset=utf-8",
        headers={
            "Content-Disposition": f'attachment; filename="{name}"',
            "X-Content-Type-Options": "nosniff",
        },
    )


def _set_enabled(request: HttpRequest, agents: QuerySet[Agent], *, enabled: bool) -> None:
    count = 0
    for agent in agents:
        with refusals_shown(request, agent.name):
            services.set_enabled(agent=agent, enabled=enabled, by=_person(request))
            count += 1
    enabled_text = ngettext("%s agent enabled.", "%s agents enabled.", count)
    disabled_text = ngettext("%s agent disabled.", "%s agents disabled.", count)
    messages.success(request, (enabled_text if enabled else disabled_text) % count)


def _person(request: HttpRequest) -> Any:
    return request.user


ACTIONS: list[Callable[..., Any]] = [
    publish_selected,
    probe_selected,
    enable_selected,
    disable_selected,
    export_selected,
]
