"""What was said and done, for admins to read. Nothing here is edited: rows are the truth."""

from typing import TYPE_CHECKING, Any, ClassVar

from django.contrib import admin
from django.db.models import Count, QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from conversations.models import Conversation, Delegation, Message, Run

if TYPE_CHECKING:  # Django's own classes cannot be subscripted at run time
    MessageRows = admin.TabularInline[Message, Conversation]
    RunRows = admin.TabularInline[Run, Conversation]
    DelegationRows = admin.TabularInline[Delegation, Run]
    ConversationPages = admin.ModelAdmin[Conversation]
    RunPages = admin.ModelAdmin[Run]
    DelegationPages = admin.ModelAdmin[Delegation]
else:
    MessageRows = RunRows = DelegationRows = admin.TabularInline
    ConversationPages = RunPages = DelegationPages = admin.ModelAdmin


class ReadOnly:
    """Mixed into admins and inlines: look, don't touch."""

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


def _link(view: str, pk: object, text: object) -> SafeString:
    return format_html('<a href="{}">{}</a>', reverse(f"admin:conversations_{view}_change", args=[pk]), text)


class MessageInline(ReadOnly, MessageRows):
    model = Message
    fields = ("position", "role", "agent", "content", "status", "created_at")
    readonly_fields = fields
    ordering = ("position",)
    extra = 0


class RunInline(ReadOnly, RunRows):
    model = Run
    fields = ("linked", "status", "tier", "mode", "error_code", "duration_ms", "created_at")
    readonly_fields = fields
    ordering = ("created_at",)
    extra = 0

    @admin.display(description=_("run"))
    def linked(self, run: Run) -> SafeString:
        return _link("run", run.pk, run.pk)


class DelegationInline(ReadOnly, DelegationRows):
    model = Delegation
    fields = ("linked", "agent", "version", "status", "task", "error_code", "first_token_ms", "duration_ms")
    readonly_fields = fields
    ordering = ("started_at", "position")
    extra = 0

    @admin.display(description=_("delegation"))
    def linked(self, delegation: Delegation) -> SafeString:
        return _link("delegation", delegation.pk, f"#{delegation.position}")


@admin.register(Conversation)
class ConversationAdmin(ReadOnly, ConversationPages):
    list_display = ("__str__", "user", "agent", "last_agent", "number_of_runs", "updated_at")
    list_filter = ("last_agent", "updated_at")
    list_select_related = ("user",)
    search_fields = ("id", "title", "user__username")
    date_hierarchy = "updated_at"
    inlines: ClassVar = [MessageInline, RunInline]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Conversation]:
        return super().get_queryset(request).annotate(run_count=Count("runs"))

    @admin.display(description=_("runs"), ordering="run_count")
    def number_of_runs(self, conversation: Any) -> int:
        return int(conversation.run_count)


@admin.register(Run)
class RunAdmin(ReadOnly, RunPages):
    list_display = (
        "created_at",
        "question",
        "status",
        "tier",
        "mode",
        "agents",
        "error_code",
        "first_token_ms",
        "duration_ms",
    )
    list_filter = (
        "status",
        "tier",
        "mode",
        "error_code",
        ("delegations__agent", admin.AllValuesFieldListFilter),
        "created_at",
    )
    list_select_related = ("message", "conversation")
    ordering = ("-created_at",)
    search_fields = ("id", "trace_id", "conversation__id", "message__content")
    date_hierarchy = "created_at"
    inlines: ClassVar = [DelegationInline]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Run]:
        return super().get_queryset(request).prefetch_related("delegations")

    @admin.display(description=_("question"))
    def question(self, run: Run) -> str:
        text = run.message.content
        return text if len(text) <= 80 else f"{text[:79]}…"

    @admin.display(description=_("agents"))
    def agents(self, run: Run) -> str:
        return ", ".join(delegation.agent for delegation in run.delegations.all()) or "–"


@admin.register(Delegation)
class DelegationAdmin(ReadOnly, DelegationPages):
    list_display = (
        "started_at",
        "agent",
        "version",
        "status",
        "short_task",
        "tier",
        "error_code",
        "attempts",
        "first_token_ms",
        "duration_ms",
    )
    list_filter = ("agent", "status", "run__tier", "error_code", "started_at")
    list_select_related = ("run",)
    ordering = ("-started_at",)
    search_fields = ("id", "run__id", "run__trace_id", "task")
    date_hierarchy = "started_at"

    @admin.display(description=_("task"))
    def short_task(self, delegation: Delegation) -> str:
        return delegation.task if len(delegation.task) <= 80 else f"{delegation.task[:79]}…"

    @admin.display(description=_("tier"), ordering="run__tier")
    def tier(self, delegation: Delegation) -> str:
        return delegation.run.tier
