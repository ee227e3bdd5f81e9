"""Where in the form an error of the card belongs, and how it reads there."""

from django.utils.translation import gettext as _

from frontdesk_agent.card import FieldError
from registry.admin.card_sentences import translated

_ELSEWHERE = {"auth": "secret_ref", "auth.type": "auth_type", "auth.secret_ref": "secret_ref"}


def place(path: str) -> tuple[str, int | None]:
    """The form's field for a card's dotted path, and the row in it: `capabilities.2` -> (capabilities, 2)."""
    if path in _ELSEWHERE:
        return _ELSEWHERE[path], None
    name, _dot, rest = path.partition(".")
    row = rest.partition(".")[0]
    return name, int(row) if row.isdigit() else None


def sentence(error: FieldError) -> str:
    """The error without its path, which the form shows by its place."""
    words = error.message.removeprefix(error.field).strip()
    if words == "is required" or words.startswith("is required: "):
        # The card's hint would repeat the help text below.
        return _("This field is required.")
    if words.startswith("needs at least one entry"):
        return _("Add at least one row.")
    words = translated(words)
    words = words[:1].upper() + words[1:]
    return words if words.endswith((".", "。", "！", "?")) else words + _(".")


def in_row(row: int, words: str) -> str:
    """`row` counts from 0."""
    return _("Row %(row)s: %(what)s") % {"row": row + 1, "what": words}
