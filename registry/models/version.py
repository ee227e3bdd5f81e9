"""One version of an agent's card. A draft may change; a published row never does."""

from typing import TYPE_CHECKING, Any, ClassVar

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from registry.errors import ImmutableVersionError
from registry.models.agent import Agent
from registry.precedence import sort_key

if TYPE_CHECKING:
    from collections.abc import Iterable

    from django.db.models.base import ModelBase


class AgentVersionQuerySet(models.QuerySet["AgentVersion"]):
    """Refuses in bulk what a row refuses alone; the database's triggers refuse what comes past both."""

    def drafts(self) -> "AgentVersionQuerySet":
        return self.filter(state=AgentVersion.State.DRAFT)

    def published(self) -> "AgentVersionQuerySet":
        return self.exclude(state=AgentVersion.State.DRAFT)

    def update(self, **kwargs: Any) -> int:
        self._refuse_published()
        return super().update(**kwargs)

    def delete(self) -> tuple[int, dict[str, int]]:
        self._refuse_published()
        return super().delete()

    def _refuse_published(self) -> None:
        # A slice can be neither filtered nor updated: Django itself says so.
        if not self.query.is_sliced and (version := self.published().select_related("agent").first()):
            raise ImmutableVersionError(str(version))


class AgentVersion(models.Model):
    """Every field of a card as a column of its own; lists are JSON lists.

    `owner`, `tags` and `parent` are copies of what the agent had when the version was last saved.
    Columns without a value hold "" (text), [] (lists) or NULL (numbers), where the card has None.
    """

    class State(models.TextChoices):
        DRAFT = "draft", _("draft")
        PUBLISHED = "published", _("published")

    agent = models.ForeignKey(Agent, models.CASCADE, related_name="versions", verbose_name=_("agent"))
    version = models.CharField(_("version"), max_length=64)
    precedence = models.BinaryField(editable=False)
    state = models.CharField(_("state"), max_length=16, choices=State, default=State.DRAFT, editable=False)

    display_name = models.CharField(_("display name"), max_length=100)
    owner = models.CharField(_("owner"), max_length=254)
    description = models.TextField(_("description"))
    tags = models.JSONField(_("tags"), default=list, blank=True)
    parent = models.CharField(_("parent"), max_length=63, blank=True)

    capabilities = models.JSONField(_("capabilities"), default=list)
    examples = models.JSONField(_("examples"), default=list)
    not_for = models.JSONField(_("not for"), default=list, blank=True)
    routing_keywords = models.JSONField(_("routing keywords"), default=list, blank=True)

    transport = models.CharField(_("transport"), max_length=16)
    endpoint = models.CharField(_("endpoint"), max_length=2000, blank=True)
    stream_endpoint = models.CharField(_("stream endpoint"), max_length=2000, blank=True)
    health = models.CharField(_("health address"), max_length=2000, blank=True)
    remote_name = models.CharField(_("remote name"), max_length=200, blank=True)
    entrypoint = models.CharField(_("entrypoint"), max_length=300, blank=True)
    system_prompt = models.TextField(_("system prompt"), blank=True)
    model = models.CharField(_("model"), max_length=200, blank=True)
    tools = models.JSONField(_("tools"), default=list, blank=True)
    skills = models.JSONField(_("skills"), default=list, blank=True)
    mcp_servers = models.JSONField(_("MCP servers"), default=list, blank=True)
    strategy = models.CharField(_("strategy"), max_length=16, blank=True)
    timeout_ms = models.PositiveIntegerField(_("timeout, ms"))
    max_retries = models.PositiveSmallIntegerField(_("retries"), default=0)
    stateful = models.BooleanField(_("stateful"))
    auth = models.JSONField(_("authentication"), default=dict, blank=True)
    input_schema_ref = models.CharField(_("input contract"), max_length=200)
    output_schema_ref = models.CharField(_("output contract"), max_length=200)
    required_context = models.JSONField(_("required context"), default=list, blank=True)
    max_calls_per_run = models.PositiveSmallIntegerField(_("calls per run"), null=True, blank=True)
    requires_approval = models.CharField(_("approval"), max_length=16, blank=True)
    fallback = models.CharField(_("fallback"), max_length=63, blank=True)

    note = models.TextField(_("note"), blank=True)
    created_at = models.DateTimeField(_("created"), auto_now_add=True)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.PROTECT,
        null=True,
        blank=True,
        related_name="+",
        verbose_name=_("made by"),
    )
    published_at = models.DateTimeField(_("published"), null=True, editable=False)
    published_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.PROTECT,
        null=True,
        editable=False,
        related_name="+",
        verbose_name=_("published by"),
    )

    objects = AgentVersionQuerySet.as_manager()

    class Meta:
        verbose_name = _("version")
        verbose_name_plural = _("versions")
        ordering: ClassVar = ["agent", "-precedence"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["agent", "version"], name="agent_version_unique"),
            models.CheckConstraint(
                condition=models.Q(state="draft") | models.Q(published_at__isnull=False),
                name="published_version_has_date",
            ),
        ]
        indexes: ClassVar = [models.Index(fields=["agent", "-precedence"], name="agent_versions_newest")]

    def __str__(self) -> str:
        return f"{self.agent.name} {self.version}"

    def save(
        self,
        *,
        force_insert: bool | tuple["ModelBase", ...] = False,
        force_update: bool = False,
        using: str | None = None,
        update_fields: "Iterable[str] | None" = None,
    ) -> None:
        """Raises ImmutableVersionError when the stored row is published, whatever this object says."""
        self._refuse_if_stored_published()
        self.precedence = sort_key(self.version)
        if update_fields is not None:
            update_fields = {*update_fields, "precedence"}
        super().save(
            force_insert=force_insert, force_update=force_update, using=using, update_fields=update_fields
        )

    def delete(self, using: str | None = None, keep_parents: bool = False) -> tuple[int, dict[str, int]]:  # noqa: FBT001, FBT002 - Django's signature
        self._refuse_if_stored_published()
        return super().delete(using=using, keep_parents=keep_parents)

    @property
    def is_draft(self) -> bool:
        return self.state == self.State.DRAFT

    def _refuse_if_stored_published(self) -> None:
        if self.pk and AgentVersion.objects.filter(pk=self.pk).published().exists():
            raise ImmutableVersionError(str(self))
