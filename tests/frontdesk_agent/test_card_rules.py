"""Every rule of a card, broken alone: the error names the field and says how to write it right."""

from typing import Any

import pytest

from frontdesk_agent.card import AgentCard, CardError, check_entrypoint, contract_major, parse_card
from frontdesk_agent.errors import ErrorCode
from tests.frontdesk_agent.cards import CARD, INPROC

METADATA = "link-local or metadata"
URL = "http or https"


def faults_of(data: Any) -> dict[str, str]:
    with pytest.raises(CardError) as caught:
        parse_card(data)
    return {error.field: error.message for error in caught.value.errors}


REQUIRED = [field for field in CARD if field != "endpoint"]


@pytest.mark.parametrize("field", REQUIRED)
def test_required_fields(field: str) -> None:
    data = {key: value for key, value in CARD.items() if key != field}
    assert f"{field} is required" in faults_of(data)[field]
    assert f"{field} is required" in faults_of({**CARD, field: None})[field]


WRONG = [
    ("name", "Diagnosis", "lower-case"),
    ("name", "x", "2 to 63"),
    ("name", "a" * 64, "2 to 63"),
    ("name", "diagnosis-agent", "lower-case"),
    ("name", "1agent", "letter first"),
    ("name", "agent\n", None),
    ("name", "", "must not be empty"),
    ("name", "агент", "lower-case"),
    ("display_name", "  ", "must not be empty"),
    ("display_name", "two\nlines", "one line"),
    ("display_name", "a" * 101, "at most 100"),
    ("display_name", 7, "quotes"),
    ("display_name", "bell\x07", "control characters"),
    ("display_name", "half\ud83d", "broken characters"),
    ("version", "1.2", "SemVer, such as 1.2.0"),
    ("version", 1.0, "YAML reads 1.0 as a number"),
    ("version", 2, "SemVer"),
    ("version", "v1.2.0", "no v in front"),
    ("version", "01.2.0", "SemVer"),
    ("version", "1.2.0.4", "SemVer"),
    ("version", "１.2.0", "SemVer"),
    ("owner", "somebody at example", "e-mail"),
    ("owner", "a@b", "e-mail"),
    ("owner", "@", "e-mail"),
    ("description", "", "must not be empty"),
    ("tags", "cars", "list"),
    ("tags", ["cars", "Cars"], "twice"),
    ("tags", [["cars"]], "text"),
    ("parent", "diagnosis_agent", "itself"),
    ("parent", "No Name", "lower-case"),
    ("capabilities", [], "at least one"),
    ("capabilities", "Explain", "list"),
    ("capabilities", [""], "must not be empty"),
    ("capabilities", {"a": 1}, "list"),
    ("examples", [], "at least one"),
    ("examples", ["same", "same"], "twice"),
    ("examples", ["x" * 501], "at most 500"),
    ("examples", [f"question {i}" for i in range(201)], "at most 200"),
    ("not_for", "cars", "list"),
    ("not_for", ["(→ sales_agent)"], "must not be empty"),
    ("not_for", ["cars (→ diagnosis_agent)"], "another agent"),
    ("not_for", ["cars (→ Sales Agent)"], "lower-case"),
    ("not_for", [{"text": "cars", "agents": "x"}], "did you mean agent"),
    ("not_for", [{"agent": "sales_agent"}], "is required"),
    ("not_for", [{"text": "cars (→ a_one)", "agent": "a_two"}], "two agents"),
    ("not_for", ["cars (→ a_one) (→ a_two)"], "two arrows"),
    ("not_for", ["cars (→ a_one)（-> a_one）"], "two arrows"),
    ("not_for", [{"text": "cars (→ a_one) (→ a_two)", "agent": "a_two"}], "two arrows"),
    ("not_for", [7], "mapping"),
    ("display_name", "one\u0085two", "one line"),
    ("display_name", "one\rtwo", "one line"),
    ("display_name", "a\u0080b", "control characters"),
    ("description", "a\u009fb", "control characters"),
    ("description", "a\ufffeb", "control characters"),
    ("capabilities", ["a\u0086b"], "control characters"),
    ("capabilities", ["\u0085\n"], "must not be empty"),
    ("tags", ["x" * 51], "at most 50"),
    ("input_schema_ref", "contracts/v1/" + "x" * 188, "at most 200"),
    ("routing_keywords", ["re:["], "valid expression"),
    ("routing_keywords", ["re:(?=a)b"], "look-around"),
    ("routing_keywords", [r"re:(a)\1"], "back-references"),
    ("routing_keywords", ["re:"], "empty text"),
    ("routing_keywords", ["re:P?"], "empty text"),
    ("routing_keywords", ["P0420", "p0420"], "twice"),
    ("transport", "https", "one of http, mcp, a2a, grpc or inproc"),
    ("transport", ["http"], "one of"),
    ("endpoint", None, "required for http"),
    ("endpoint", "", URL),
    ("endpoint", "127.0.0.1:9101", URL),
    ("endpoint", "ftp://agents.example.org/x", URL),
    ("endpoint", "file:///etc/passwd", URL),
    ("endpoint", "http:///invoke", URL),
    ("endpoint", "https://user:hunter2@agents.example.org/", "user name or password"),
    ("endpoint", "https://@agents.example.org/", "user name or password"),
    ("endpoint", "https://agents.example.org/#top", "fragment"),
    ("endpoint", "https://agents.example.org/#", "fragment"),
    ("endpoint", "https://agents.example.org:99999/", "valid URL"),
    ("endpoint", "https://agents.example.org:0/", "port"),
    ("endpoint", "https://agents.example.org/a b", "spaces"),
    ("endpoint", "https://agents.example.org\\@evil/", "backslashes"),
    ("endpoint", "https://agents.example.org/" + "x" * 1974, "longer than 2000"),
    ("endpoint", "https://[::1", "valid URL"),
    ("endpoint", "http://169.254.169.254/latest", METADATA),
    ("stream_endpoint", "http://metadata.google.internal/", METADATA),
    ("health", "http://100.100.100.200/", METADATA),
    ("entrypoint", "sample_agents.x.agent", "only for inproc"),
    ("remote_name", "", "must not be empty"),
    ("system_prompt", "You are", "only for entrypoint: prompt"),
    ("strategy", "swarm", "supervisor or sequence"),
    ("timeout_ms", 0, "at least 1"),
    ("timeout_ms", 3_600_001, "at most 3600000"),
    ("timeout_ms", "10000", "whole number"),
    ("timeout_ms", 10.5, "whole number"),
    ("timeout_ms", True, "whole number"),
    ("max_retries", 11, "at most 10"),
    ("max_retries", -1, "at least 0"),
    ("stateful", "false", "true or false"),
    ("stateful", 0, "true or false"),
    ("auth", "bearer", "mapping"),
    ("auth", {"type": "basic"}, "none, bearer, apikey or mtls"),
    ("auth", {"secret_ref": "AGENT_SECRET_X"}, "is required"),
    ("auth", {"type": "bearer"}, "needs secret_ref"),
    ("auth", {"type": "apikey"}, "needs secret_ref"),
    ("auth", {"type": "none", "secret_ref": "AGENT_SECRET_X"}, "has no secret_ref"),
    ("auth", {"type": "bearer", "secret_ref": "DATABASE_URL"}, "AGENT_SECRET_<NAME>"),
    ("auth", {"type": "bearer", "secret_ref": "file:../etc/passwd"}, "file:<name>"),
    ("auth", {"type": "bearer", "secret_ref": "file:.."}, "file:<name>"),
    ("auth", {"type": "bearer", "secret_ref": "AGENT_SECRET_"}, "AGENT_SECRET_<NAME>"),
    ("auth", {"type": "bearer", "secret_ref": "AGENT_SECRET_X\n"}, "AGENT_SECRET_<NAME>"),
    ("auth", {"type": "bearer", "secret_ref": "AGENT_SECRET_X", "token": "x"}, "is no field"),
    ("input_schema_ref", "AgentRequest", "contracts/v1/AgentRequest"),
    ("input_schema_ref", "contracts/1/AgentRequest", "contracts/v1/AgentRequest"),
    ("output_schema_ref", "contracts/v0/AgentResponse", "contracts/v1"),
    ("required_context", ["Car Model"], "such as vin"),
    ("max_calls_per_run", 0, "at least 1"),
    ("requires_approval", "sometimes", "never or always"),
    ("fallback", "diagnosis_agent", "another agent"),
]


@pytest.mark.parametrize(("field", "value", "says"), WRONG)
def test_one_wrong_field(field: str, value: Any, says: str | None) -> None:
    if says is None:  # surrounding white space is nobody's intention
        assert parse_card({**CARD, field: value})
        return
    faults = faults_of({**CARD, field: value})
    assert {key.partition(".")[0] for key in faults} == {field}
    assert any(says in message and message.startswith(field) for message in faults.values()), faults


@pytest.mark.parametrize(
    ("changes", "field", "says"),
    [
        ({"entrypoint": None}, "entrypoint", "required for inproc"),
        ({"entrypoint": "agent"}, "entrypoint", "dotted path"),
        ({"entrypoint": "sample_agents.faq:agent"}, "entrypoint", "dotted path"),
        ({"entrypoint": "sample_agents.__class__"}, "entrypoint", "dotted path"),
        ({"endpoint": "http://127.0.0.1/"}, "endpoint", "not used by inproc"),
        ({"entrypoint": "prompt"}, "system_prompt", "required when entrypoint is prompt"),
        ({"tools": ["sample_agents.tools.search"]}, "tools", "only for entrypoint: prompt"),
        ({"mcp_servers": [{"url": "http://127.0.0.1/mcp"}]}, "mcp_servers", "only for entrypoint: prompt"),
    ],
)
def test_inproc(changes: dict[str, Any], field: str, says: str) -> None:
    assert says in faults_of({**INPROC, **changes})[field]


def test_a_prompt_agent() -> None:
    server = {"url": "https://tools.example.org/mcp", "auth": {"type": "bearer", "secret_ref": "file:tools"}}
    card = parse_card(
        {
            **INPROC,
            "entrypoint": "prompt",
            "system_prompt": "Be kind.",
            "tools": ["a.b"],
            "mcp_servers": [server],
        }
    )
    assert card.mcp_servers[0].auth.secret_ref == "file:tools"
    bad = {**server, "url": "http://[fe80::1]/"}
    assert METADATA in faults_of({**card.as_dict(), "mcp_servers": [bad]})["mcp_servers.0.url"]


def test_all_faults_at_once() -> None:
    data = {
        **CARD,
        "version": "1",
        "examples": [],
        "capabilites": ["x"],
        "timeout_ms": 0,
        "parent": CARD["name"],
    }
    faults = faults_of(data)
    assert set(faults) == {"version", "examples", "capabilites", "timeout_ms", "parent"}
    assert faults["capabilites"] == "capabilites is no field of a card; did you mean capabilities?"


def test_the_error_is_coded_and_has_details() -> None:
    with pytest.raises(CardError) as caught:
        parse_card({**CARD, "version": "1"})
    error = caught.value
    assert error.code is ErrorCode.INVALID_INPUT
    assert error.details == [{"field": "version", "message": error.errors[0].message}]
    assert error.message.endswith(".")


def test_a_pasted_secret_is_never_repeated() -> None:
    secret = "sk-live-0123456789"
    with pytest.raises(CardError) as caught:
        parse_card({**CARD, "auth": {"type": "bearer", "secret_ref": secret}})
    error = caught.value
    assert secret not in f"{error!r} {error} {error.details} {error.errors} {error.__cause__!r}"
    assert error.__suppress_context__ or error.__context__ is None


@pytest.mark.parametrize("data", [None, [], "name: x", 7])
def test_no_mapping(data: Any) -> None:
    assert faults_of(data)[""] == "A card must be a mapping of fields"


@pytest.mark.parametrize(
    "text",
    [
        "buying a car (→ sales_agent)",
        "buying a car（→ sales_agent）",
        "buying a car (-> sales_agent)",
        "buying a car（->sales_agent) ",
    ],
)
def test_not_for_with_an_arrow(text: str) -> None:
    (item,) = parse_card({**CARD, "not_for": [text]}).not_for
    assert (item.text, item.agent, str(item)) == (
        "buying a car",
        "sales_agent",
        "buying a car (→ sales_agent)",
    )


def test_brackets_without_an_arrow_are_text() -> None:
    (item,) = parse_card({**CARD, "not_for": ["prices (see the shop)"]}).not_for
    assert (item.text, item.agent) == ("prices (see the shop)", None)


def test_defaults_and_types() -> None:
    card = parse_card(CARD)
    assert card.max_retries == 0
    assert card.auth.type == "none"
    assert card.requires_approval == "never"
    assert card.remote_id == "diagnosis_agent"
    assert card.tags == ()
    assert isinstance(card.examples, tuple)
    with pytest.raises(ValueError, match="frozen"):
        card.name = "other"  # type: ignore[misc]


def test_a_card_made_directly_follows_the_same_rules() -> None:
    with pytest.raises(ValueError, match="must not be the agent itself"):
        AgentCard.model_validate({**CARD, "parent": CARD["name"]})


def test_the_router_sees_five_fields() -> None:
    view = parse_card({**CARD, "not_for": ["cars (→ sales_agent)"]}).router_view()
    assert list(view) == ["name", "display_name", "capabilities", "examples", "not_for"]
    assert view["not_for"] == [{"text": "cars", "agent": "sales_agent"}]


def test_the_digest_is_of_the_content() -> None:
    card = parse_card(CARD)
    assert parse_card(dict(reversed(CARD.items()))).digest() == card.digest()
    assert parse_card({**CARD, "max_retries": 0}).digest() == card.digest()
    assert parse_card({**CARD, "max_retries": 1}).digest() != card.digest()
    assert parse_card(card.as_dict()) == card


def test_contract_major() -> None:
    assert contract_major("contracts/v1/AgentRequest") == 1
    assert contract_major(parse_card({**CARD, "input_schema_ref": "contracts/v12/X"}).input_schema_ref) == 12
    with pytest.raises(ValueError, match="schema reference"):
        contract_major("v1")


@pytest.mark.parametrize(
    ("entrypoint", "allowed", "fits"),
    [
        ("sample_agents.faq.agent", ["sample_agents"], True),
        ("sample_agents.faq.agent", ["sample_agents."], True),
        ("sample_agents.faq.agent", ["other", "sample_agents.faq"], True),
        ("sample_agents_evil.agent", ["sample_agents"], False),
        ("os.system", ["sample_agents"], False),
        ("os.system", [], False),
        ("os.system", ["", " ", "."], False),
        ("this_module.does_not_exist", ["this_module"], True),
    ],
)
def test_entrypoints_stay_inside(entrypoint: str, allowed: list[str], fits: bool) -> None:
    card = parse_card({**INPROC, "entrypoint": entrypoint})
    if fits:
        check_entrypoint(card, allowed)
    else:
        with pytest.raises(CardError) as caught:
            check_entrypoint(card, allowed)
        assert caught.value.errors[0].field == "entrypoint"


def test_tools_stay_inside_too() -> None:
    prompt = {"entrypoint": "prompt", "system_prompt": "x", "tools": ["sample_agents.a", "os.system"]}
    with pytest.raises(CardError) as caught:
        check_entrypoint(parse_card({**INPROC, **prompt}), ["sample_agents"])
    assert [error.field for error in caught.value.errors] == ["tools.1"]


@pytest.mark.parametrize("line_break", ["\r\n", "\r", "\x85", "\n"])
def test_every_line_break_becomes_the_same(line_break: str) -> None:
    text = f"one{line_break}two"
    card = parse_card({**CARD, "description": text, "capabilities": [text], "not_for": [f"{text} (→ a_one)"]})
    assert (card.description, card.capabilities[0], card.not_for[0].text) == ("one\ntwo",) * 3
