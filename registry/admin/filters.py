"""The changelist's filters."""

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from registry.models import AgentVersion


class HealthFilter(admin.SimpleListFilter):
    title = _("health")
    parameter_name = "health"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        return [("ok", _("Healthy")), ("bad", _("Failing")), ("none", _("Not probed"))]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        wanted = {"ok": True, "bad": False, "none": None}
        if self.value() not in wanted:
            return queryset
        return queryset.filter(health_ok=wanted[str(self.value())])


class PublicationFilter(admin.SimpleListFilter):
    title = _("publication")
    parameter_name = "publication"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        return [("live", _("Live")), ("draft", _("With a draft")), ("never", _("Never published"))]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        drafts = AgentVersion.objects.drafts().values("agent")
        return {
            "live": lambda: queryset.filter(live__isnull=False),
            "draft": lambda: queryset.filter(pk__in=drafts),
            "never": lambda: queryset.filter(live__isnull=True),
        }.get(str(self.value()), lambda: queryset)()
