"""Who may change the registry."""

from django.contrib.auth.models import User
from django.utils.translation import gettext as _

from frontdesk_agent.errors import ErrorCode, FrontdeskError

Actor = User | None
"""A person, whose permissions are checked; None is the operator at the command line."""


def require(by: Actor, permission: str) -> None:
    """Raise NOT_ALLOWED unless `by` has `registry.<permission>`."""
    if by is not None and not by.has_perm(f"registry.{permission}"):
        raise FrontdeskError(ErrorCode.NOT_ALLOWED, _("You may not do this; ask a platform admin."))
