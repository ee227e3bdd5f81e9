"""Agents: a list that shows how they are, and one page a card where its owner writes and publishes."""

from functools import partial
from typing import TYPE_CHECKING, Any

from django import forms
from django.contrib import admin, messages
from django.contrib.admin.widgets import AutocompleteSelectMultiple
from django.contrib.auth.models import Group
from django.db import transaction
from django.db.models import OuterRef, QuerySet, Subquery
from django.forms.models import modelform_factory
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from frontdesk_agent.errors import FrontdeskError
from registry.admin import actions, saving
from registry.admin.display import Columns
from registry.admin.filters import HealthFilter, PublicationFilter
from registry.admin.forms import AgentForm
from registry.admin.object_views import ObjectViews, page_url, person, shown_version
from registry.admin.page import page_context
from registry.models import Agent, AgentVersion, RegistryState
from registry.selectors import with_live

if TYPE_CHECKING:  # Django's own class cannot be subscripted at run time
    AgentPages = admin.ModelAdmin[Agent]
else:
    AgentPages = admin.ModelAdmin


@admin.register(Agent)
class AgentAdmin(ObjectViews, Columns, AgentPages):
    """One page an agent; `?version=` shows another version than the newest draft or the live one."""

    change_form_template = "admin/registry/agent/change_form.html"
    list_display = ("title_column", "health_column", "live_column", "enabled", "owner_column")
    list_display_links = ("title_column",)
    list_filter = (
        "enabled",
        HealthFilter,
        PublicationFilter,
        "team",
        "tags",
        ("live__transport", admin.AllValuesFieldListFilter),
    )
    search_fields = ("name", "owner", "owner_user__username", "versions__display_name", "tags__name")
    search_help_text = gettext_lazy("Search by name, display name, owner or tag")
    list_per_page = 50
    actions = actions.ACTIONS
    autocomplete_fields = ("owner_user", "team", "tags", "parent")

    class Media:
        css = {"all": ["registry/admin.css"]}

    def get_queryset(self, request: HttpRequest) -> QuerySet[Agent]:
        drafts = AgentVersion.objects.drafts().filter(agent=OuterRef("pk")).order_by("-precedence")
        return with_live(super().get_queryset(request)).annotate(
            newest_draft=Subquery(drafts.values("version")[:1]),
            draft_title=Subquery(drafts.values("display_name")[:1]),
        )

    def has_publish_permission(self, request: HttpRequest) -> bool:
        return person(request).has_perm("registry.publish_agent")

    def has_delete_permission(self, request: HttpRequest, obj: Agent | None = None) -> bool:
        # What was published once stays on record: such an agent is disabled, not deleted.
        return super().has_delete_permission(request, obj) and not (obj and obj.live_id)

    def get_fieldsets(self, request: HttpRequest, obj: Agent | None = None) -> Any:
        """None: the page renders the form's blocks itself."""
        return [(None, {"fields": []})]

    def get_form(self, request: HttpRequest, obj: Agent | None = None, *args: Any, **kwargs: Any) -> Any:
        """The form for this person and the version that the page shows."""
        allowed = self.has_change_permission(request, obj) if obj else self.has_add_permission(request)
        groups = AutocompleteSelectMultiple(Agent.groups.field, self.admin_site)
        attrs = {
            "person": request.user,
            "shown": shown_version(request, obj) if obj else None,
            "may_change": allowed,
            "groups": forms.ModelMultipleChoiceField(
                Group.objects.order_by("name"), required=False, widget=groups
            ),
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
            with transaction.atomic():
                if request.method == "POST":
                    # What the form is compared with must still be so when it is saved.
                    RegistryState.lock()
                return super().changeform_view(request, *args, **kwargs)
        except FrontdeskError as error:
            # The form was right when it was checked; somebody else was faster.
            messages.error(request, error.message)
            return HttpResponseRedirect(request.get_full_path())

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: Any) -> None:
        obj.saved_draft = saving.save(form, person(request))
        obj.pk = Agent.objects.values_list("pk", flat=True).get(name=form.card.name)
        obj.refresh_from_db()

    def save_related(self, request: HttpRequest, form: Any, formsets: Any, change: Any) -> None:
        """Nothing is left to save. A wish to publish comes last, when the draft is stored."""
        draft = form.instance.saved_draft
        if draft is not None and "_publish" in request.POST:
            self.publish(request, draft)

    def response_add(
        self, request: HttpRequest, obj: Any, post_url_continue: str | None = None
    ) -> HttpResponse:
        return self._after_save(request, obj)

    def response_change(self, request: HttpRequest, obj: Any) -> HttpResponse:
        return self._after_save(request, obj)

    def _after_save(self, request: HttpRequest, agent: Any) -> HttpResponse:
        draft: AgentVersion | None = agent.saved_draft
        if draft is None:
            messages.success(request, _("Saved."))
        elif "_publish" not in request.POST:
            text = _("Saved as draft %s. People reach it once it is published.")
            messages.success(request, text % draft.version)
        return HttpResponseRedirect(
            page_url(agent, draft.version if draft else request.GET.get("version", ""))
        )
