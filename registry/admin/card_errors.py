"""Where in the form an error of the card belongs, and how it reads there."""

from django.utils.translation import gettext as _

from frontdesk_agent.card import FieldError

_ELSEWHERE = {"auth": "secret_ref", "auth.type": "auth_type", "auth.secret_ref": "secret_ref"}


def place(path: str) -> tuple[str, int | None]:
    """The form's field for a card's dotted path, and the row in it: `capabilities.2` -> (capabilities, 2)."""
    if path in _ELSEWHERE:
        return _ELSEWHERE[path], None
    name, _dot, rest = path.partition(".")
    row = rest.partition(".")[0]
    return name, int(row) if row.isdigit() else None


def sentence(error: FieldError, *, row: int | None = None) -> str:
    """The error without its path, as a sentence; with `row` (from 0) it says which row."""
    words = _(error.message.removeprefix(error.field).strip())
    words = words[:1].upper() + words[1:]
    words = words if words.endswith((".", "。", "！", "?")) else words + _(".")
    return words if row is None else _("Row %(row)s: %(what)s") % {"row": row + 1, "what": words}
