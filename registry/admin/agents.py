"""Agents: a list that shows how they are, and one page a card where its owner writes, publishes and probes."""

from functools import partial
from typing import Any, ClassVar

from django import forms
from django.contrib import admin, messages
from django.contrib.admin.widgets import AutocompleteSelectMultiple
from django.contrib.auth.models import Group
from django.db.models import OuterRef, QuerySet, Subquery
from django.forms.models import modelform_factory
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import URLPattern, path, reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from frontdesk_agent.card import card_to_yaml
from frontdesk_agent.errors import FrontdeskError
from registry import services
from registry.admin import actions, saving
from registry.admin.display import Columns
from registry.admin.filters import HealthFilter, PublicationFilter
from registry.admin.forms import AgentForm
from registry.admin.page import page_context
from registry.mapping import current_card
from registry.models import Agent, AgentVersion
from registry.selectors import newest_draft, versions_of, with_live


@admin.register(Agent)
class AgentAdmin(Columns, admin.ModelAdmin):  # type: ignore[type-arg]  # no parameter at run time
    """One page an agent: `?version=` shows another of its versions than the newest draft or the live one."""

    change_form_template = "admin/registry/agent/change_form.html"
    list_display: ClassVar = [
        "title_column",
        "health_column",
        "live_column",
        "enabled",
        "owner_column",
        "tags_column",
    ]
    list_display_links: ClassVar = ["title_column"]
    list_filter: ClassVar = [
        "enabled", HealthFilter, PublicationFilter, "team", "tags", ("live__transport", admin.AllValuesFieldListFilter),
    ]  # fmt: skip
    search_fields: ClassVar = [
        "name",
        "owner",
        "owner_user__username",
        "versions__display_name",
        "tags__name",
    ]
    search_help_text = gettext_lazy("Search by name, display name, owner or tag")
    list_per_page = 50
    actions: ClassVar = actions.ACTIONS
    autocomplete_fields: ClassVar = ["owner_user", "team", "tags", "parent"]

    class Media:
        css: ClassVar = {"all": ["registry/admin.css"]}

    def get_queryset(self, request: HttpRequest) -> QuerySet[Agent]:
        drafts = AgentVersion.objects.drafts().filter(agent=OuterRef("pk")).order_by("-precedence")
        return with_live(super().get_queryset(request)).annotate(
            newest_draft=Subquery(drafts.values("version")[:1]),
            draft_title=Subquery(drafts.values("display_name")[:1]),
        )

    def has_publish_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("registry.publish_agent")  # type: ignore[union-attr]

    def has_delete_permission(self, request: HttpRequest, obj: Agent | None = None) -> bool:
        # What was published once stays on record: such an agent is disabled, not deleted.
        return super().has_delete_permission(request, obj) and not (obj and obj.live_id)

    def shown_version(self, request: HttpRequest, agent: Agent | None) -> AgentVersion | None:
        """The version whose card the page holds."""
        if agent is None:
            return None
        versions = versions_of(agent).select_related("agent__live", "agent__parent")
        if wanted := request.GET.get("version"):
            found = versions.filter(version=wanted).first()
            if found is None:
                raise Http404
            return found
        return newest_draft(agent) or agent.live or versions.first()

    def get_fieldsets(self, request: HttpRequest, obj: Agent | None = None) -> Any:
        """None: the page renders the form's blocks itself."""
        return [(None, {"fields": []})]

    def get_form(
        self, request: HttpRequest, obj: Agent | None = None, change: bool = False, **kwargs: Any
    ) -> Any:  # noqa: FBT001, FBT002 - Django's signature
        allowed = self.has_change_permission(request, obj) if change else self.has_add_permission(request)
        groups = forms.ModelMultipleChoiceField(
            Group.objects.order_by("name"),
            required=False,
            widget=AutocompleteSelectMultiple(Agent.groups.field, self.admin_site),
        )
        attrs = {
            "person": request.user,
            "shown": self.shown_version(request, obj),
            "may_change": allowed,
            "groups": groups,
        }
        return modelform_factory(
            Agent,
            form=type("AgentForm", (AgentForm,), attrs),
            fields=["owner", "owner_user", "team", "tags", "parent", "enabled"],
            formfield_callback=partial(self.formfield_for_dbfield, request=request),
        )

    def render_change_form(
        self, request: HttpRequest, context: Any, *args: Any, **kwargs: Any
    ) -> HttpResponse:
        form = context["adminform"].form
        context |= page_context(form, kwargs.get("obj"), may_publish=self.has_publish_permission(request))
        return super().render_change_form(request, context, *args, **kwargs)

    def changeform_view(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        try:
            return super().changeform_view(request, *args, **kwargs)
        except FrontdeskError as error:
            # The form was right when it was checked; somebody else was faster.
            messages.error(request, error.message)
            return HttpResponseRedirect(request.get_full_path())

    def save_model(self, request: HttpRequest, obj: Agent, form: Any, change: bool) -> None:  # noqa: FBT001 - Django's signature
        form.saved = saving.save(form, request.user)  # type: ignore[arg-type]
        obj.pk = Agent.objects.values_list("pk", flat=True).get(name=form.card.name)
        obj.refresh_from_db()

    def save_related(self, request: HttpRequest, form: Any, formsets: Any, change: bool) -> None:  # noqa: FBT001 - Django's signature
        """Nothing is left: the services wrote everything. A wish to publish comes last, with the draft stored."""
        if form.saved is not None and "_publish" in request.POST:
            actions.publish(request, form.saved)

    def response_add(
        self, request: HttpRequest, obj: Agent, post_url_continue: str | None = None
    ) -> HttpResponse:
        return self._after_save(request, obj)

    def response_change(self, request: HttpRequest, obj: Agent) -> HttpResponse:
        return self._after_save(request, obj)

    def _after_save(self, request: HttpRequest, agent: Agent) -> HttpResponse:
        if "_publish" not in request.POST:
            draft = newest_draft(agent)
            saved = (
                _("Saved as draft %s. People reach it once it is published.") % draft.version
                if draft
                else _("Saved.")
            )
            messages.success(request, saved)
        return self._to_page(agent)

    def get_urls(self) -> list[URLPattern]:
        wrap = self.admin_site.admin_view
        routes = [
            ("probe", self.probe_view), ("new-version", self.new_version_view), ("discard", self.discard_view),
            ("card.yaml", self.yaml_view),
        ]  # fmt: skip
        own = [
            path(
                f"<int:pk>/{part}",
                wrap(view),
                name=f"registry_agent_{part.partition('.')[0].replace('-', '_')}",
            )
            for part, view in routes
        ]
        return own + super().get_urls()

    def probe_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        agent = self._agent(request, pk)
        actions.probe(request, list(with_live(Agent.objects.filter(pk=agent.pk))))
        return self._to_page(agent)

    def new_version_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        agent = self._agent(request, pk)
        version = self.shown_version(request, agent)
        with actions.refusals_shown(request, agent.name):
            draft = services.new_draft_from(version=version, by=request.user)  # type: ignore[arg-type]
            messages.success(
                request, _("Draft %s holds a copy; change what you like, then publish it.") % draft.version
            )
            return self._to_page(agent, draft.version)
        return self._to_page(agent)

    def discard_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        agent = self._agent(request, pk)
        version = self.shown_version(request, agent)
        with actions.refusals_shown(request, agent.name):
            services.discard_draft(draft=version, by=request.user)  # type: ignore[arg-type]
            messages.success(request, _("Draft %s is gone.") % version)
        return self._to_page(agent)

    def yaml_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        agent = self._agent(request, pk, post=False)
        version = self.shown_version(request, agent)
        if version is None:
            raise Http404
        return actions.yaml_file(card_to_yaml(current_card(version)), f"{agent.name}.yaml")

    def _agent(self, request: HttpRequest, pk: int, *, post: bool = True) -> Agent:
        agent = self.get_object(request, str(pk))
        if (
            agent is None
            or not self.has_view_permission(request, agent)
            or (post and request.method != "POST")
        ):
            raise Http404
        return agent

    def _to_page(self, agent: Agent, version: str = "") -> HttpResponseRedirect:
        url = reverse("admin:registry_agent_change", args=[agent.pk])
        return HttpResponseRedirect(f"{url}?version={version}" if version else url)
