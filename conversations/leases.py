"""The lease of section "laws of a run": who may write a conversation's run, in the database's own time.

Every statement that takes, renews or checks a lease compares with the database's clock, so processes whose
clocks differ agree.
"""

import os
import platform
import uuid
from collections.abc import Collection
from contextlib import suppress
from datetime import timedelta
from pathlib import Path

from django.conf import settings
from django.db.models import Q, QuerySet
from django.db.models.functions import Now

from conversations.models import Lease


def _machine() -> str:
    """Names the host, its boot and its process id namespace: process ids mean something only inside one."""
    namespace = boot = ""
    with suppress(OSError):
        namespace = str(Path("/proc/self/ns/pid").readlink()).strip("pid:[]")
        boot = Path("/proc/sys/kernel/random/boot_id").read_text()[:8]
    return f"{platform.node()[:20]}/{boot}/{namespace}"


def new_holder() -> str:
    """`machine:pid:nonce`, unique to this process even when process ids come round again."""
    return f"{_machine()}:{os.getpid()}:{uuid.uuid4().hex[:8]}"


def _ttl() -> timedelta:
    return timedelta(seconds=settings.LEASE_TTL_S)


def create(*, conversation_id: uuid.UUID, run_id: uuid.UUID, holder: str) -> uuid.UUID:
    """Take the lease; returns its fencing token. Raises IntegrityError where one exists."""
    token = uuid.uuid4()
    Lease.objects.create(
        conversation_id=conversation_id, run_id=run_id, token=token, holder=holder, expires_at=Now() + _ttl()
    )
    return token


def renew(tokens: Collection[uuid.UUID]) -> int:
    """Renew those of `tokens` that have not lapsed, in one statement; returns how many that were."""
    alive = Lease.objects.filter(token__in=tokens, expires_at__gt=Now())
    return alive.update(expires_at=Now() + _ttl())


def held(tokens: Collection[uuid.UUID]) -> set[uuid.UUID]:
    """Which of `tokens` may still write. Call in the transaction that writes: the rows stay locked."""
    alive = Lease.objects.select_for_update().filter(token__in=tokens, expires_at__gt=Now()).order_by("pk")
    return set(alive.values_list("token", flat=True))


def lapsed(own_holder: str) -> QuerySet[Lease]:
    """Leases that nobody keeps: run out, or of a process of this machine that is no more."""
    return Lease.objects.filter(Q(expires_at__lte=Now()) | Q(holder__in=_dead_holders(own_holder)))


def _dead_holders(own_holder: str) -> list[str]:
    machine = own_holder.rsplit(":", 2)[0]
    here = Lease.objects.filter(holder__startswith=f"{machine}:").exclude(holder=own_holder)
    return [holder for holder in here.values_list("holder", flat=True).distinct() if not _alive(holder)]


def _alive(holder: str) -> bool:
    pid = int(holder.rsplit(":", 2)[1])
    if pid == os.getpid():
        # Two runners of one process (tests, a second event loop) are both alive; a restarted container
        # that got the same process id lets the time to live decide.
        return True
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
