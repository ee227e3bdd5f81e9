"""The vocabulary of tags."""

from typing import TYPE_CHECKING, Any

from django.contrib import admin
from django.db import transaction
from django.db.models import Count, QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from registry.models import RegistryState, Tag

if TYPE_CHECKING:  # Django's own class cannot be subscripted at run time
    TagPages = admin.ModelAdmin[Tag]
else:
    TagPages = admin.ModelAdmin


@admin.register(Tag)
class TagAdmin(TagPages):
    """Words that agents are sorted by; a change shows in every directory."""

    list_display = ("name", "used_by")
    search_fields = ("name",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Tag]:
        return super().get_queryset(request).annotate(uses=Count("agents"))

    @admin.display(description=_("agents"), ordering="uses")
    def used_by(self, tag: Any) -> int:
        return int(tag.uses)

    @transaction.atomic
    def save_model(self, request: HttpRequest, obj: Tag, form: Any, change: Any) -> None:
        RegistryState.bump()
        super().save_model(request, obj, form, change)

    @transaction.atomic
    def delete_model(self, request: HttpRequest, obj: Tag) -> None:
        RegistryState.bump()
        super().delete_model(request, obj)

    @transaction.atomic
    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Tag]) -> None:
        RegistryState.bump()
        super().delete_queryset(request, queryset)
