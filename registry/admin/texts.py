"""What the form says: a label, a help text that teaches, and an example, for every field of a card."""

from typing import TYPE_CHECKING, NamedTuple

from django.utils.translation import gettext_lazy as _

if TYPE_CHECKING:
    from django.utils.functional import _StrPromise

    Words = str | _StrPromise
else:
    Words = str


class Text(NamedTuple):
    """`help` begins with a verb and speaks of what people get; `example` is a placeholder."""

    label: Words
    help: Words
    example: Words = ""


TEXTS: dict[str, Text] = {
    "name": Text(
        _("Name"),
        _(
            "Choose a short name that will never change: other cards, rules and reports use it. Small"
            " letters, digits and _."
        ),
        "diagnosis_agent",
    ),
    "display_name": Text(
        _("Display name"),
        _("Write what people call it. Any language; this is the name they see."),
        _("Vehicle diagnosis"),
    ),
    "version": Text(
        _("Version"),
        _(
            "Count up with every change: the last number for wording, the middle one for something "
            "new, the first one for a change that breaks who calls it."
        ),
        "1.0.0",
    ),
    "owner": Text(
        _("Owner"),
        _("Name who is answerable, as an e-mail address or staff id. A team mailbox outlives a person."),
        "workshop@example.org",
    ),
    "description": Text(
        _("Description"),
        _(
            "Say in two or three sentences what it is, what its answers rest on, and for whom it is. "
            "People read this in the directory."
        ),
    ),
    "tags": Text(_("Tags"), _("Pick the words that people look for. Admins keep the list.")),
    "parent": Text(
        _("Parent"),
        _("Choose the coordinator that hands it work, if it belongs to one. Most agents have none."),
    ),
    "capabilities": Text(
        _("Capabilities"),
        _(
            "List three to six things a person gets, one a row, each beginning with a verb. Say what "
            "they get, not how it is made."
        ),
        _("Explain what a fault code means"),
    ),
    "examples": Text(
        _("Examples"),
        _(
            "Write at least three to five questions the way people really ask them: short and long, "
            "in every language they use. They appear as suggestions, and they teach the router."
        ),
        _("What does P0171 mean?"),
    ),
    "not_for": Text(
        _("Not for"),
        _(
            "Name what people might send here by mistake and, if you know it, the agent that takes it"
            " instead. This prevents most wrong routes."
        ),
        _("Booking a repair"),
    ),
    "routing_keywords": Text(
        _("Routing keywords"),
        _(
            "Add only words that belong to this agent alone: a hit sends the question here at once. "
            "For a pattern write re: in front, such as re:P[0-9]{4}."
        ),
        "OBD",
    ),
    "transport": Text(_("Transport"), _("Choose how the agent is reached.")),
    "endpoint": Text(
        _("Endpoint"),
        _("Paste the address that answers a question in one piece."),
        "https://agents.example.org/diagnosis/invoke",
    ),
    "stream_endpoint": Text(
        _("Stream endpoint"),
        _(
            "Paste the address that sends the answer word by word, so that people see it grow. Empty:"
            " it arrives all at once."
        ),
        "https://agents.example.org/diagnosis/stream",
    ),
    "health": Text(
        _("Health address"),
        _(
            "Paste the address that answers 200 while the agent is well, so that people learn of a "
            "fault before they meet it."
        ),
        "https://agents.example.org/diagnosis/health",
    ),
    "remote_name": Text(_("Remote name"), _("Fill in only if the other side knows it by another name.")),
    "entrypoint": Text(
        _("Entrypoint"),
        _(
            "Give the dotted path of the agent to run inside Frontdesk, or the word prompt for one "
            "that is only instructions to a model."
        ),
        "sample_agents.knowledge.agent",
    ),
    "system_prompt": Text(
        _("Instructions"),
        _("Tell the model who it is, what it may use, and when to say that it does not know."),
    ),
    "model": Text(_("Model"), _("Name the model, if it should not be the usual one.")),
    "tools": Text(_("Tools"), _("List what it may call, one dotted path a row.")),
    "skills": Text(_("Skills"), _("List the skills it is given, one a row.")),
    "mcp_servers": Text(
        _("MCP servers"),
        _('List the servers whose tools it may use, as JSON: [{"url": "https://…", "tools": ["search"]}].'),
    ),
    "strategy": Text(
        _("Strategy"), _("Choose how it hands out work, if other agents name it as their parent.")
    ),
    "timeout_ms": Text(
        _("Timeout, ms"),
        _(
            "Set how long people wait at most, in milliseconds: 10000 for simple answers, 30000 for "
            "look-ups, 60000 and more for long work."
        ),
        "10000",
    ),
    "max_retries": Text(
        _("Retries"), _("Keep 0 if it books, orders or writes anything: a second try would do it twice."), "0"
    ),
    "stateful": Text(
        _("Remembers the conversation itself"),
        _("Say whether one conversation must always reach the same copy of it."),
    ),
    "auth_type": Text(_("Authentication"), _("Choose how Frontdesk proves itself to the agent.")),
    "secret_ref": Text(
        _("Secret"),
        _(
            "Name the secret, never paste it: AGENT_SECRET_<NAME> from the environment, or "
            "file:<name>. An admin must allow it for this agent."
        ),
        "AGENT_SECRET_DIAGNOSIS",
    ),
    "input_schema_ref": Text(
        _("Input contract"),
        _("Keep this, unless the agent speaks another contract."),
        "contracts/v1/AgentRequest",
    ),
    "output_schema_ref": Text(
        _("Output contract"),
        _("Keep this, unless the agent speaks another contract."),
        "contracts/v1/AgentResponse",
    ),
    "required_context": Text(
        _("Required context"),
        _(
            "List what it cannot answer without, one field a row. People are asked for what is "
            "missing before it is called."
        ),
        "vin",
    ),
    "max_calls_per_run": Text(
        _("Calls per question"), _("Limit how often one question may use it. Empty: no limit of its own.")
    ),
    "requires_approval": Text(_("Approval"), _("Decide whether a person must agree before it is called.")),
    "fallback": Text(
        _("Fallback"), _("Name the agent that answers while this one is down. Empty: the general agent.")
    ),
    "note": Text(_("Note"), _("Say what is new in this version, for those who will read its history.")),
    "owner_user": Text(
        _("Owner's login"), _("Link the owner to a login. Empty: found by the owner's e-mail address.")
    ),
    "team": Text(_("Owning team"), _("Choose the team that steps in when the owner is away.")),
    "groups": Text(
        _("Groups that may reach it"), _("Choose who may ask it. Empty: everybody who is logged in.")
    ),
    "enabled": Text(
        _("Enabled"), _("Switch it off to take it out of everybody's directory at once; its versions stay.")
    ),
    "allowed_secrets": Text(
        _("Secrets it may use"),
        _("List the secrets that its card may name, one a row."),
        "AGENT_SECRET_DIAGNOSIS",
    ),
}

BLOCK_TITLES: dict[str, Text] = {
    "identity": Text(_("Identity"), _("Who it is. For people, and for those who look after the platform.")),
    "routing": Text(_("Routing"), _("When it is asked. The router reads only this and the display name.")),
    "contract": Text(_("Call contract"), _("How it is called.")),
    "access": Text(_("Ownership and access"), _("Takes effect as soon as you save, for every version.")),
}
