"""An agent: its stable name, who is answerable for it, who may reach it, and how it is doing."""

from collections.abc import Iterable
from typing import ClassVar

from django.conf import settings
from django.contrib.auth.models import Group
from django.core.exceptions import ValidationError
from django.core.validators import RegexValidator
from django.db import models
from django.db.models.functions import Lower
from django.utils.translation import gettext_lazy as _

NAME_PATTERN = r"^[a-z][a-z0-9_]{1,62}\Z"


class Tag(models.Model):
    """A word of the vocabulary that agents are sorted by."""

    name = models.CharField(
        _("name"),
        max_length=50,
        help_text=_("Choose one short word that people look for, such as “vehicle” or “HR”."),
    )

    class Meta:
        verbose_name = _("tag")
        verbose_name_plural = _("tags")
        ordering: ClassVar = ["name"]
        constraints: ClassVar = [
            models.UniqueConstraint(
                Lower("name"),
                name="tag_name_unique",
                violation_error_message=_("There is such a tag already."),
            )
        ]

    def __str__(self) -> str:
        return self.name

    def clean(self) -> None:
        # SQLite's lower() knows no letters beyond a-z.
        folded = self.name.casefold()
        others = Tag.objects.exclude(pk=self.pk).values_list("name", flat=True)
        if any(name.casefold() == folded for name in others):
            raise ValidationError({"name": _("There is such a tag already.")})


class Agent(models.Model):
    """Something that answers. What it declares is in its versions; `live` is the one in use."""

    name = models.CharField(
        _("name"),
        max_length=63,
        unique=True,
        validators=[
            RegexValidator(NAME_PATTERN, _("Use small Latin letters, digits and _, beginning with a letter."))
        ],
    )
    owner = models.CharField(_("owner"), max_length=254)
    owner_user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.PROTECT,
        null=True,
        blank=True,
        related_name="owned_agents",
        verbose_name=_("owner's login"),
    )
    team = models.ForeignKey(
        Group,
        models.PROTECT,
        null=True,
        blank=True,
        related_name="owned_agents",
        verbose_name=_("owning team"),
    )
    tags = models.ManyToManyField(Tag, blank=True, related_name="agents", verbose_name=_("tags"))
    parent = models.ForeignKey(
        "self",
        models.PROTECT,
        null=True,
        blank=True,
        related_name="children",
        verbose_name=_("parent"),
    )
    enabled = models.BooleanField(_("enabled"), default=True)
    groups = models.ManyToManyField(
        Group,
        blank=True,
        through="Reach",
        related_name="reachable_agents",
        verbose_name=_("groups that may reach it"),
    )
    live = models.ForeignKey(
        "AgentVersion",
        models.PROTECT,
        null=True,
        blank=True,
        editable=False,
        related_name="+",
        verbose_name=_("live version"),
    )
    allowed_secrets = models.JSONField(_("secrets it may use"), default=list, blank=True)

    health_ok = models.BooleanField(_("healthy"), null=True, editable=False)
    health_checked_at = models.DateTimeField(_("probed"), null=True, editable=False)
    health_latency_ms = models.PositiveIntegerField(_("latency, ms"), null=True, editable=False)
    health_detail = models.CharField(_("probe result"), max_length=300, blank=True, editable=False)

    created_at = models.DateTimeField(_("created"), auto_now_add=True)
    updated_at = models.DateTimeField(_("updated"), auto_now=True)

    class Meta:
        verbose_name = _("agent")
        verbose_name_plural = _("agents")
        ordering: ClassVar = ["name"]
        permissions: ClassVar = [
            ("publish_agent", _("Can publish a version of an agent")),
            ("allow_secrets", _("Can allow an agent to use a secret")),
        ]

    def __str__(self) -> str:
        return self.name

    def clean(self) -> None:
        if self.parent_id and (cycle := parent_cycle(self.name, self.parent)):
            raise ValidationError({"parent": cycle_sentence(cycle)})


class Reach(models.Model):
    """A group may reach an agent. An agent without such a row is open to everybody who is logged in.

    So a group cannot be deleted while an agent relies on it: that would open the agent to all.
    """

    agent = models.ForeignKey(Agent, models.CASCADE, related_name="reach")
    group = models.ForeignKey(Group, models.PROTECT, related_name="reach")

    class Meta:
        verbose_name = _("group that may reach an agent")
        verbose_name_plural = _("groups that may reach an agent")
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["agent", "group"], name="agent_reach_unique")
        ]

    def __str__(self) -> str:
        return f"{self.group} → {self.agent}"


def parent_cycle(name: str, parent: Agent | None) -> list[str]:
    """The names from `parent` back to the agent called `name`, when that chain closes a circle; else []."""
    chain: list[str] = []
    while parent is not None and parent.name not in chain:
        chain.append(parent.name)
        if parent.name == name:
            return chain
        parent = parent.parent
    return []


def cycle_sentence(chain: Iterable[str]) -> str:
    """Why a parent is refused, naming the circle."""
    names = list(chain)
    return str(
        _("An agent cannot be its own ancestor: %(path)s.") % {"path": " → ".join([names[-1], *names])}
    )
