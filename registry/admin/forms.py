"""The form of an agent: its card in three blocks, and what lives on the agent. The card decides what fits."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any, ClassVar

from django import forms
from django.contrib.auth.models import User
from django.utils.translation import gettext_lazy as _

from frontdesk_agent.card import BLOCKS, AgentCard, CardError, FieldError, parse_card
from registry.admin.card_errors import in_row, place, sentence
from registry.admin.fields import JsonField, NotForField, RowsField, choice
from registry.admin.seen import fingerprint
from registry.admin.texts import TEXTS
from registry.admin.widgets import Rows
from registry.errors import RegistryError
from registry.mapping import CARD_FIELDS, current_data
from registry.models import Agent, AgentVersion
from registry.services import checks

NOT_ONE_TO_ONE = frozenset({"auth", "tags", "parent"})
AGENT_LEVEL = ("owner", "tags", "parent")
ACCESS = ("owner_user", "team", "groups", "enabled", "allowed_secrets")
BLOCK_FIELDS: dict[str, tuple[str, ...]] = {
    "identity": (*BLOCKS["identity"], "note"),
    "routing": BLOCKS["routing"],
    "contract": tuple(
        name
        for field in BLOCKS["contract"]
        for name in (("auth_type", "secret_ref") if field == "auth" else (field,))
    ),
    "access": ACCESS,
}
MORE = frozenset(
    {
        "remote_name",
        "model",
        "tools",
        "skills",
        "mcp_servers",
        "strategy",
        "input_schema_ref",
        "output_schema_ref",
        "required_context",
        "max_calls_per_run",
        "requires_approval",
        "fallback",
        "max_retries",
        "stateful",
    }
)
"""What most cards leave as it is."""

TRANSPORTS = [
    ("http", _("HTTP: it answers at a web address")),
    ("inproc", _("In process: it runs inside Frontdesk")),
    ("a2a", "A2A"),
    ("mcp", "MCP"),
    ("grpc", "gRPC"),
]
AUTH_TYPES = [
    ("none", _("None")),
    ("bearer", _("Bearer token")),
    ("apikey", _("API key")),
    ("mtls", _("Client certificate (mTLS)")),
]


def text(**attrs: Any) -> forms.CharField:
    return forms.CharField(required=False, widget=forms.TextInput(attrs={"class": "vTextField"} | attrs))


def area(rows: int) -> forms.CharField:
    return forms.CharField(
        required=False, widget=forms.Textarea(attrs={"rows": rows, "class": "vLargeTextField"})
    )


def code(**attrs: Any) -> forms.CharField:
    return text(spellcheck="false", autocapitalize="none", autocomplete="off", **attrs)


class AgentForm(forms.ModelForm):  # type: ignore[type-arg]  # no parameter at run time
    """`person` edits `shown`, the version whose card the form holds (None: a new agent).

    After `is_valid()`, `card` is the whole card. A published version's own fields cannot be edited. `seen` is
    the fingerprint of what the form was filled in over; when that is no longer there, nothing is valid.
    """

    person: ClassVar[User]
    shown: ClassVar[AgentVersion | None] = None
    may_change: ClassVar[bool] = True

    name = code()
    display_name = text()
    version = code()
    description = area(3)
    note = area(2)
    capabilities = RowsField(required=False)
    examples = RowsField(required=False)
    not_for = NotForField(required=False)
    routing_keywords = RowsField(required=False)
    transport = choice(TRANSPORTS, initial="http")
    endpoint = code(inputmode="url")
    stream_endpoint = code(inputmode="url")
    health = code(inputmode="url")
    remote_name = code()
    entrypoint = code()
    system_prompt = area(5)
    model = code()
    tools = RowsField(required=False)
    skills = RowsField(required=False)
    mcp_servers = JsonField(
        required=False,
        widget=forms.Textarea(attrs={"rows": 3, "class": "vLargeTextField", "spellcheck": "false"}),
    )
    strategy = choice(
        [
            ("", "---------"),
            ("supervisor", _("Supervisor: a model decides whom to ask")),
            ("sequence", _("Sequence: each in turn")),
        ]
    )
    timeout_ms = forms.IntegerField(required=False, initial=10_000)
    max_retries = forms.IntegerField(required=False, initial=0)
    stateful = choice(
        [("no", _("No: any copy can answer")), ("yes", _("Yes: always the same copy"))], initial="no"
    )
    auth_type = choice(AUTH_TYPES, initial="none")
    secret_ref = code()
    input_schema_ref = code()
    output_schema_ref = code()
    required_context = RowsField(required=False)
    max_calls_per_run = forms.IntegerField(required=False)
    requires_approval = choice([("never", _("Never")), ("always", _("Always"))], initial="never")
    fallback = code(list="agent-names")
    allowed_secrets = RowsField(required=False)
    seen = forms.CharField(required=False, widget=forms.HiddenInput)

    card: AgentCard
    stale = False

    class Meta:
        model = Agent
        fields: ClassVar = ["owner", "owner_user", "team", "tags", "parent", "enabled"]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        kwargs["initial"] = {**self._starting_values(kwargs.get("instance")), **(kwargs.get("initial") or {})}
        super().__init__(*args, **kwargs)
        for name, field in self.fields.items():
            _describe(name, field)
        if "owner" in self.fields:
            self.fields["owner"].required = False
        sent = self.data.get("seen")
        self.stale = bool(sent) and sent != fingerprint(self.shown)
        self._lock()

    def _starting_values(self, agent: Agent | None) -> dict[str, Any]:
        if self.shown is None:
            return {
                "version": "1.0.0",
                "owner": self.person.email or self.person.get_username(),
                "input_schema_ref": "contracts/v1/AgentRequest",
                "output_schema_ref": "contracts/v1/AgentResponse",
            }
        data = current_data(self.shown)
        for name in AGENT_LEVEL:
            data.pop(name, None)
        auth = data.pop("auth", {})
        return data | {
            "stateful": "yes" if data.get("stateful") else "no",
            "auth_type": auth.get("type", "none"),
            "secret_ref": auth.get("secret_ref", ""),
            "note": self.shown.note,
            "seen": fingerprint(self.shown),
            "groups": list(agent.groups.all()) if agent else [],
            "allowed_secrets": agent.allowed_secrets if agent else [],
        }

    def _lock(self) -> None:
        """Fields that may not be edited are shown, and whatever is sent for them is ignored."""
        locked: set[str] = set()
        if not self.may_change:
            locked |= set(self.fields)
        if self.stale:
            pass  # nothing will be saved, and what was typed into a draft since published must not vanish
        elif self.shown and not self.shown.is_draft:
            locked |= {name for name in self.fields if name not in (*AGENT_LEVEL, *ACCESS, "seen")}
        elif self.shown and self.shown.agent.live_id:
            locked.add("name")
        if not self.person.has_perm("registry.allow_secrets"):
            locked.add("allowed_secrets")
        for name in locked & set(self.fields):
            self.fields[name].disabled = True

    def clean(self) -> dict[str, Any]:
        if self.stale:
            self.add_error(None, _("Somebody changed this version meanwhile; reload to see it."))
            return self.cleaned_data
        try:
            self.card = parse_card(self._card_data())
            self._check_fit()
        except CardError as error:
            self._add(error.errors)
        except RegistryError as error:
            self._add([FieldError(error.field, error.message)])
        return self.cleaned_data

    def _post_clean(self) -> None:
        """The services write the agent, so nothing is put into `instance` here."""

    def _card_data(self) -> dict[str, Any]:
        given = self.cleaned_data
        data = {name: given.get(name) for name in CARD_FIELDS if name not in NOT_ONE_TO_ONE}
        data |= {
            "stateful": given.get("stateful") == "yes",
            "tags": [tag.name for tag in given.get("tags") or ()],
            "parent": given["parent"].name if given.get("parent") else None,
            "auth": {"type": given.get("auth_type") or "none", "secret_ref": given.get("secret_ref") or None},
        }
        return {name: value for name, value in data.items() if value not in (None, "", [], ())}

    def _check_fit(self) -> None:
        if self.shown is None:
            checks.check_new_agent(self.card)
        elif self.shown.is_draft:
            checks.check_card(self.card, self.shown.agent, self.shown)
        checks.find_parent(self.card.name, self.card.parent)
        checks.check_secret_refs(self.cleaned_data.get("allowed_secrets") or [])

    def _add(self, errors: Iterable[FieldError]) -> None:
        rows: dict[str, dict[int, list[str]]] = defaultdict(lambda: defaultdict(list))
        wrong_before = set(self.errors)
        for error in errors:
            name, row = place(error.field)
            if name not in self.fields:
                self.add_error(None, sentence(error))
            elif name not in wrong_before and row is None:
                self.add_error(name, sentence(error))
            elif name not in wrong_before and row is not None:
                self.add_error(name, in_row(row, sentence(error)))
                rows[name][row].append(sentence(error))
        for name, by_row in rows.items():
            widget = self.fields[name].widget
            if isinstance(widget, Rows):
                widget.row_errors = {row: tuple(found) for row, found in by_row.items()}
                widget.row_sentences = {
                    in_row(row, found) for row, all_of in by_row.items() for found in all_of
                }


def _describe(name: str, field: forms.Field) -> None:
    words = TEXTS.get(name)
    if words is None:
        return
    field.label, field.help_text = words.label, words.help
    widget = field.widget
    if isinstance(widget, Rows):
        widget.label, widget.placeholder = words.label, words.example
    elif words.example:
        widget.attrs.setdefault("placeholder", words.example)


def required_names() -> Sequence[str]:
    """The fields a card cannot be without."""
    return [name for name, field in AgentCard.model_fields.items() if field.is_required()]
