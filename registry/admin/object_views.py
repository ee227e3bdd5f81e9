"""What an agent's page can do beside saving: probe, copy, discard, publish, export."""

from typing import TYPE_CHECKING, Any, cast
from urllib.parse import urlencode

from django.contrib import admin, messages
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import URLPattern, path, reverse
from django.utils.translation import gettext as _

from frontdesk_agent.card import card_to_yaml
from registry import services
from registry.admin import actions
from registry.mapping import current_card
from registry.models import Agent, AgentVersion
from registry.selectors import newest_draft, versions_of, with_live

if TYPE_CHECKING:  # Django's own class cannot be subscripted at run time
    AgentPages = admin.ModelAdmin[Agent]
else:
    AgentPages = object


def person(request: HttpRequest) -> User:
    """Who is at the admin's pages is always logged in."""
    return cast("User", request.user)


def page_url(agent: Agent, version: str = "") -> str:
    """The agent's page, with `version` shown."""
    url = reverse("admin:registry_agent_change", args=[agent.pk])
    return f"{url}?{urlencode({'version': version})}" if version else url


def shown_version(request: HttpRequest, agent: Agent) -> AgentVersion | None:
    """The version that `?version=` names, else the newest draft, else the live one.

    A form that was filled in over a version which has gone since is shown the latter: it says so.
    """
    if wanted := request.GET.get("version"):
        versions = versions_of(agent).select_related("agent__live", "agent__parent")
        if found := versions.filter(version=wanted).first():
            return found
        if not request.POST.get("seen"):
            raise Http404
    shown = newest_draft(agent) or agent.live
    if shown is not None:
        shown.agent = agent
    return shown


class ObjectViews(AgentPages):
    """Mixed into the admin of agents. Everything that changes something is a POST."""

    def get_urls(self) -> list[URLPattern]:
        wrap = self.admin_site.admin_view
        return [
            path("<int:pk>/probe", wrap(self.probe_view), name="registry_agent_probe"),
            path("<int:pk>/new-version", wrap(self.new_version_view), name="registry_agent_new_version"),
            path("<int:pk>/discard", wrap(self.discard_view), name="registry_agent_discard"),
            path("<int:pk>/card.yaml", wrap(self.yaml_view), name="registry_agent_card"),
            *super().get_urls(),
        ]

    def publish(self, request: HttpRequest, version: AgentVersion) -> None:
        """Publish, say what came of it, and note it in the agent's history."""
        if actions.publish(request, version):
            self.log_change(request, version.agent, _("Published %s.") % version.version)

    def probe_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        agent, version = self._agent_to_change(request, pk)
        if not self.has_change_permission(request, agent):
            raise PermissionDenied
        actions.probe(request, list(with_live(Agent.objects.filter(pk=agent.pk))))
        return _back(agent, version)

    def new_version_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        agent, version = self._agent_to_change(request, pk)
        with actions.refusals_shown(request, agent.name):
            version = services.new_draft_from(version=version, by=person(request))
            text = _("Draft %s holds a copy; change what you like, then publish it.")
            messages.success(request, text % version.version)
        return _back(agent, version)

    def discard_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        agent, version = self._agent_to_change(request, pk)
        with actions.refusals_shown(request, agent.name):
            services.discard_draft(draft=version, by=person(request))
            messages.success(request, _("Draft %s is gone.") % version.version)
        return _back(agent)

    def yaml_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        agent, version = self._agent_and_version(request, pk)
        with actions.refusals_shown(request, str(version)):
            return actions.yaml_file(card_to_yaml(current_card(version)), f"{agent.name}.yaml")
        return _back(agent, version)

    def _agent_to_change(self, request: HttpRequest, pk: int) -> tuple[Agent, AgentVersion]:
        if request.method != "POST":
            raise Http404
        return self._agent_and_version(request, pk)

    def _agent_and_version(self, request: HttpRequest, pk: int) -> tuple[Agent, AgentVersion]:
        agent: Any = self.get_object(request, str(pk))
        if agent is None or not self.has_view_permission(request, agent):
            raise Http404
        version = shown_version(request, agent)
        if version is None:
            raise Http404
        return agent, version


def _back(agent: Agent, version: AgentVersion | None = None) -> HttpResponseRedirect:
    return HttpResponseRedirect(page_url(agent, version.version if version else ""))
