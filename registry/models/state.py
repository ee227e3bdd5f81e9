"""The registry's revision: what caches of anything made from the registry are keyed by."""

import uuid
from typing import ClassVar

from django.db import models
from django.db.models import F
from django.utils.translation import gettext_lazy as _


class RegistryState(models.Model):
    """One row. `stamp` is new at every change, so that no rollback or restored backup repeats a revision."""

    ROW: ClassVar = 1

    id = models.PositiveSmallIntegerField(primary_key=True, default=ROW, editable=False)
    revision = models.PositiveBigIntegerField(_("revision"), default=0)
    stamp = models.UUIDField(default=uuid.uuid4, editable=False)

    class Meta:
        verbose_name = _("registry state")
        verbose_name_plural = _("registry state")
        constraints: ClassVar = [
            models.CheckConstraint(condition=models.Q(id=1), name="registry_state_single_row")
        ]

    def __str__(self) -> str:
        return f"{self.revision}.{self.stamp.hex}"

    @classmethod
    def bump(cls) -> None:
        """Say that directories may have changed. Call it first in the transaction of the change.

        The row stays locked until the commit, so changes of the registry come one after another and a
        check made after this call (unique, no cycle) still holds when it commits.
        """
        if not cls._count_up():
            # A flushed database has no row; two processes may find that out at the same moment.
            RegistryState.objects.bulk_create([RegistryState(pk=cls.ROW)], ignore_conflicts=True)
            cls._count_up()

    @classmethod
    def _count_up(cls) -> int:
        return cls.objects.filter(pk=cls.ROW).update(revision=F("revision") + 1, stamp=uuid.uuid4())

    @classmethod
    def lock(cls) -> None:
        """Wait for changes under way, and hold others off until the end of the transaction."""
        cls.objects.select_for_update().filter(pk=cls.ROW).first()

    @classmethod
    def current(cls) -> str:
        """The revision as one string; "" before anything was ever registered. One query."""
        row = cls.objects.filter(pk=cls.ROW).values_list("revision", "stamp").first()
        return f"{row[0]}.{row[1].hex}" if row else ""
