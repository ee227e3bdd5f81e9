"""The card's sentences, here so that they are translated. Numbers in them are written {}.

The card itself knows no languages; what is missing here is shown in English.
"""

import re

from django.utils.translation import gettext, gettext_noop

KNOWN = (
    gettext_noop(
        "must be 2 to 63 lower-case letters, digits and underscores, letter first, such as diagnosis_agent"
    ),
    gettext_noop("must be SemVer, such as 1.2.0 (three numbers with dots, no v in front)"),
    gettext_noop("must be an e-mail address, such as team@example.org, or a staff id"),
    gettext_noop("must be one line"),
    gettext_noop("must be a list, even with one entry"),
    gettext_noop("must be text"),
    gettext_noop("must not be empty"),
    gettext_noop("must not contain control characters"),
    gettext_noop("must not contain broken characters (lone surrogates)"),
    gettext_noop("must not list the same thing twice (entry {} repeats an earlier one)"),
    gettext_noop("must have at most {} characters"),
    gettext_noop("must have at most {} entries"),
    gettext_noop("must be at least {}"),
    gettext_noop("must be at most {}"),
    gettext_noop("must not be the agent itself"),
    gettext_noop("must be another agent"),
    gettext_noop("must send people to another agent, not to this one"),
    gettext_noop("names two agents; keep the arrow or the field agent, not both"),
    gettext_noop("has two arrows; one agent takes it, so keep one and make a second entry"),
    gettext_noop("must be an expression that does not match the empty text"),
    gettext_noop("is required for inproc: a dotted path such as my_agents.faq.agent, or prompt"),
    gettext_noop("is not used by inproc; remove it or choose another transport"),
    gettext_noop("is required for http: the URL where the agent answers"),
    gettext_noop("is only for inproc; http agents have an endpoint"),
    gettext_noop("is required when entrypoint is prompt: what the agent is told to be"),
    gettext_noop("is only for entrypoint: prompt"),
    gettext_noop("must be a dotted path, such as my_agents.diagnosis.agent, or the word prompt"),
    gettext_noop("must be a dotted path, such as my_agents.tools.search"),
    gettext_noop("must be a field name, such as vin or car_model"),
    gettext_noop("must name a contract, such as contracts/v1/AgentRequest"),
    gettext_noop("must not be longer than {} characters"),
    gettext_noop("must not contain spaces, control characters or backslashes"),
    gettext_noop("must be a valid URL, such as https://agents.example.org/invoke"),
    gettext_noop("must be a URL with http or https and a host, such as https://agents.example.org/invoke"),
    gettext_noop("must have a plain host name and a port from 1 to 65535"),
    gettext_noop("must not hold a user name or password; name the secret in auth.secret_ref instead"),
    gettext_noop("must not have a fragment (the part after #)"),
    gettext_noop("must not be a link-local or metadata address"),
    gettext_noop("of type bearer needs secret_ref, such as AGENT_SECRET_DIAGNOSIS"),
    gettext_noop("of type apikey needs secret_ref, such as AGENT_SECRET_DIAGNOSIS"),
    gettext_noop("of type none has no secret_ref; choose bearer, apikey or mtls"),
    gettext_noop(
        "must name a secret, as AGENT_SECRET_<NAME> (an environment variable) or file:<name> (a file in "
        "SECRETS_DIR); a secret itself never goes into a card"
    ),
)

_NUMBER = re.compile(r"\d+")


def translated(words: str) -> str:
    """`words` in the reader's language, or as they are."""
    if words in KNOWN:
        return gettext(words)
    pattern = _NUMBER.sub("{}", words)
    return gettext(pattern).format(*_NUMBER.findall(words)) if pattern in KNOWN else words
