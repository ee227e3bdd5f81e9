"""Rows are the truth: conversations, messages, runs and delegations are rebuilt from these alone."""

import uuid
from typing import ClassVar

from django.conf import settings
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _


class Conversation(models.Model):
    """A thread of messages between one person and the platform (`session_id` in the agent contract)."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, related_name="conversations", verbose_name=_("person")
    )
    title = models.CharField(_("title"), max_length=200, blank=True)
    agent = models.CharField(
        _("pinned agent"), max_length=63, blank=True, help_text=_("Every message goes to this agent.")
    )
    last_agent = models.CharField(_("last agent"), max_length=63, blank=True)
    context = models.JSONField(_("context"), default=dict, blank=True)
    created_at = models.DateTimeField(_("created"), default=timezone.now)
    updated_at = models.DateTimeField(_("updated"), default=timezone.now)

    class Meta:
        verbose_name = _("conversation")
        verbose_name_plural = _("conversations")
        ordering: ClassVar = ["-updated_at"]
        indexes: ClassVar = [models.Index(fields=["user", "-updated_at"], name="conversation_by_user")]

    def __str__(self) -> str:
        return self.title or str(self.id)


class Message(models.Model):
    """What was said, by the person or as the answer. `position` orders a conversation's messages."""

    class Role(models.TextChoices):
        USER = "user", _("person")
        ASSISTANT = "assistant", _("answer")

    class Status(models.TextChoices):
        STREAMING = "streaming", _("streaming")
        COMPLETE = "complete", _("complete")
        PARTIAL = "partial", _("partial")

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    conversation = models.ForeignKey(Conversation, models.CASCADE, related_name="messages")
    run = models.ForeignKey("Run", models.SET_NULL, null=True, blank=True, related_name="answers")
    position = models.PositiveIntegerField(_("position"))
    role = models.CharField(_("role"), max_length=10, choices=Role)
    agent = models.CharField(_("agent"), max_length=63, blank=True)
    content = models.TextField(_("content"), blank=True)
    status = models.CharField(_("status"), max_length=10, choices=Status, default=Status.COMPLETE)
    citations = models.JSONField(_("citations"), default=list, blank=True)
    usage = models.JSONField(_("usage"), default=dict, blank=True)
    client_id = models.CharField(_("client id"), max_length=100, null=True, blank=True, editable=False)  # noqa: DJ001 - NULL is "none given"; "" would collide
    created_at = models.DateTimeField(_("created"), default=timezone.now)

    class Meta:
        verbose_name = _("message")
        verbose_name_plural = _("messages")
        ordering: ClassVar = ["position"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["conversation", "position"], name="message_position"),
            models.UniqueConstraint(fields=["conversation", "client_id"], name="message_client_id"),
        ]

    def __str__(self) -> str:
        return self.content if len(self.content) <= 80 else f"{self.content[:79]}…"


class Run(models.Model):
    """One turn of work, from a person's message to the end of the answer."""

    class Status(models.TextChoices):
        QUEUED = "queued", _("queued")
        RUNNING = "running", _("running")
        WAITING = "waiting", _("waiting")
        COMPLETED = "completed", _("completed")
        FAILED = "failed", _("failed")
        CANCELLED = "cancelled", _("cancelled")

    FINAL = (Status.COMPLETED, Status.FAILED, Status.CANCELLED)

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    conversation = models.ForeignKey(Conversation, models.CASCADE, related_name="runs")
    message = models.ForeignKey(
        Message, models.CASCADE, related_name="asked_runs", verbose_name=_("the person's message")
    )
    retry_of = models.ForeignKey("self", models.SET_NULL, null=True, blank=True, related_name="retries")
    status = models.CharField(_("status"), max_length=10, choices=Status, default=Status.QUEUED)
    trace_id = models.CharField(_("trace"), max_length=32)
    locale = models.CharField(_("language"), max_length=16, default="en")
    agent = models.CharField(_("chosen agent"), max_length=63, blank=True)
    seq = models.PositiveIntegerField(_("last event"), default=0)

    tier = models.CharField(_("tier"), max_length=16, blank=True)
    mode = models.CharField(_("mode"), max_length=16, blank=True)
    route = models.JSONField(_("route"), null=True, blank=True)

    error_code = models.CharField(_("error code"), max_length=32, blank=True)
    error = models.JSONField(_("error"), null=True, blank=True)
    usage = models.JSONField(_("usage"), default=dict, blank=True)
    first_token_ms = models.PositiveIntegerField(_("first token, ms"), null=True, blank=True)
    duration_ms = models.PositiveIntegerField(_("duration, ms"), null=True, blank=True)
    created_at = models.DateTimeField(_("created"), default=timezone.now)
    started_at = models.DateTimeField(_("started"), null=True, blank=True)
    finished_at = models.DateTimeField(_("finished"), null=True, blank=True)

    class Meta:
        verbose_name = _("run")
        verbose_name_plural = _("runs")
        ordering: ClassVar = ["created_at"]
        indexes: ClassVar = [
            models.Index(fields=["conversation", "created_at"], name="run_by_conversation"),
            models.Index(fields=["status"], name="run_by_status"),
            models.Index(fields=["trace_id"], name="run_by_trace"),
        ]

    def __str__(self) -> str:
        return f"{self.id} ({self.status})"


class Delegation(models.Model):
    """One call of one agent inside a run. `parent` makes them a tree."""

    class Status(models.TextChoices):
        PENDING = "pending", _("pending")
        AWAITING_APPROVAL = "awaiting_approval", _("awaiting approval")
        RUNNING = "running", _("running")
        COMPLETED = "completed", _("completed")
        FAILED = "failed", _("failed")
        TIMED_OUT = "timed_out", _("timed out")
        CANCELLED = "cancelled", _("cancelled")
        SKIPPED = "skipped", _("skipped")
        REJECTED = "rejected", _("rejected")

    OPEN = (Status.PENDING, Status.AWAITING_APPROVAL, Status.RUNNING)

    id = models.UUIDField(primary_key=True, editable=False)
    run = models.ForeignKey(Run, models.CASCADE, related_name="delegations")
    parent = models.ForeignKey("self", models.CASCADE, null=True, blank=True, related_name="children")
    position = models.PositiveIntegerField(_("position"))
    agent = models.CharField(_("agent"), max_length=63)
    display_name = models.CharField(_("display name"), max_length=200)
    version = models.CharField(_("version"), max_length=64)
    task = models.TextField(_("task"))
    status = models.CharField(_("status"), max_length=20, choices=Status, default=Status.RUNNING)
    result = models.TextField(_("result"), blank=True)
    empty = models.BooleanField(_("said nothing"), default=False)
    tools = models.JSONField(_("tools"), default=list, blank=True)
    citations = models.JSONField(_("citations"), default=list, blank=True)
    usage = models.JSONField(_("usage"), default=dict, blank=True)
    error_code = models.CharField(_("error code"), max_length=32, blank=True)
    error = models.JSONField(_("error"), null=True, blank=True)
    attempts = models.PositiveSmallIntegerField(_("attempts"), default=1)
    first_token_ms = models.PositiveIntegerField(_("first token, ms"), null=True, blank=True)
    duration_ms = models.PositiveIntegerField(_("duration, ms"), null=True, blank=True)
    started_at = models.DateTimeField(_("started"))
    finished_at = models.DateTimeField(_("finished"), null=True, blank=True)

    class Meta:
        verbose_name = _("delegation")
        verbose_name_plural = _("delegations")
        ordering: ClassVar = ["started_at", "position"]
        indexes: ClassVar = [
            models.Index(fields=["agent", "started_at"], name="delegation_by_agent"),
            models.Index(fields=["status"], name="delegation_by_status"),
        ]

    def __str__(self) -> str:
        return f"{self.agent} {self.version} ({self.status})"


class RunEvent(models.Model):
    """One structural event as it was published: `payload` is the whole event, `seq` has no gaps in a run."""

    run = models.ForeignKey(Run, models.CASCADE, related_name="events")
    seq = models.PositiveIntegerField()
    type = models.CharField(max_length=32)
    payload = models.JSONField()

    class Meta:
        verbose_name = _("event")
        verbose_name_plural = _("events")
        ordering: ClassVar = ["seq"]
        constraints: ClassVar = [models.UniqueConstraint(fields=["run", "seq"], name="run_event_seq")]

    def __str__(self) -> str:
        return f"{self.seq} {self.type}"


class Lease(models.Model):
    """The right to write one conversation's run. Whoever lost it, or let it expire, can write nothing.

    `token` is the fencing token, new for each lease; `holder` names the process; times are the database's.
    """

    conversation = models.OneToOneField(Conversation, models.CASCADE, primary_key=True, related_name="lease")
    run = models.OneToOneField(Run, models.CASCADE, related_name="lease")
    token = models.UUIDField(unique=True)
    holder = models.CharField(max_length=64)
    expires_at = models.DateTimeField()

    class Meta:
        verbose_name = _("lease")
        verbose_name_plural = _("leases")

    def __str__(self) -> str:
        return f"{self.conversation_id} by {self.holder}"
