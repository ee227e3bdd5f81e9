"""What the registry refuses, in the project's one family of errors."""

from django.utils.translation import gettext as _

from frontdesk_agent.errors import ErrorCode, FrontdeskError


class ImmutableVersionError(FrontdeskError):
    """Somebody tried to change or delete a published version."""

    def __init__(self, what: str) -> None:
        text = _("%s is published and can never change; make a new version instead.")
        super().__init__(ErrorCode.NOT_ALLOWED, text % what)


class RegistryError(FrontdeskError):
    """A change that breaks a rule of the registry; `field` is the card field it concerns, or ""."""

    def __init__(self, message: str, *, field: str = "", code: ErrorCode = ErrorCode.INVALID_INPUT) -> None:
        super().__init__(code, message, details=[{"field": field, "message": message}])
        self.field = field
