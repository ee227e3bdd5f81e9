"""What must hold before an agent is called. Each check raises the coded error that says why not."""

from typing import Any

from frontdesk_agent.card import CONTRACT_VERSION, AgentCard, contract_major
from frontdesk_agent.contract import AgentRequest, Context
from frontdesk_agent.errors import ErrorCode, FrontdeskError
from orchestration.directory import Directory, Entry
from orchestration.ids import traceparent
from orchestration.request import Environment, RunRequest
from orchestration.transports.base import Call


def prepare_call(
    entry: Entry,
    task: str,
    *,
    delegation_id: str,
    request: RunRequest,
    directory: Directory,
    environment: Environment,
    instead_of: str | None = None,
) -> Call:
    """Everything checked and resolved for one call of `entry`'s agent, which may stand in for another.

    Raises `CONTRACT_MISMATCH`, `CONTEXT_MISSING` or `AGENT_AUTH_FAILED`.
    """
    check_contract(entry.card)
    check_context(entry.card, request)
    return Call(
        entry=entry,
        request=_agent_request(entry, task, request, _metadata(entry, request, directory, instead_of)),
        delegation_id=delegation_id,
        trace_id=request.trace_id,
        traceparent=traceparent(request.trace_id, delegation_id),
        secret=resolve_secret(entry, environment),
        forward_headers=request.forward_headers,
    )


def check_contract(card: AgentCard) -> None:
    """Refuse a card whose request or response is of another major of the contract."""
    for ref in (card.input_schema_ref, card.output_schema_ref):
        if f"v{contract_major(ref)}" != CONTRACT_VERSION:
            raise FrontdeskError(
                ErrorCode.CONTRACT_MISMATCH,
                f"{card.display_name} speaks another version of the agent contract than {CONTRACT_VERSION}.",
            )


def check_context(card: AgentCard, request: RunRequest) -> None:
    """Refuse a call without the conversation context that the card requires."""
    missing = [name for name in card.required_context if request.context.get(name) in (None, "")]
    if missing:
        raise FrontdeskError(
            ErrorCode.CONTEXT_MISSING,
            f"{card.display_name} needs to know first: {', '.join(missing)}.",
            details={"fields": missing},
        )


def resolve_secret(entry: Entry, environment: Environment) -> str | None:
    """The secret that the card's `auth` needs, None when it needs none."""
    auth = entry.card.auth
    if auth.type == "none":
        return None
    if auth.type == "mtls":
        raise _no_credentials(entry, "uses mutual TLS, which is not supported here")
    if not entry.secret_allowed:
        raise _no_credentials(entry, "may not use its secret until an administrator allows it")
    secret = environment.secret(auth.secret_ref) if auth.secret_ref else None
    if secret is None:
        raise _no_credentials(entry, "has a secret that is not set up")
    if not (secret.isascii() and secret.isprintable()):
        raise _no_credentials(entry, "has a secret that cannot be sent in a header")
    return secret


def _no_credentials(entry: Entry, why: str) -> FrontdeskError:
    return FrontdeskError(ErrorCode.AGENT_AUTH_FAILED, f"{entry.card.display_name} {why}.")


def _metadata(
    entry: Entry, request: RunRequest, directory: Directory, instead_of: str | None
) -> dict[str, Any]:
    """The conversation's context, the language, and what a fallback needs to answer honestly: who can be
    asked here, and whom it stands in for."""
    metadata: dict[str, Any] = {**request.context, "locale": request.locale}
    if entry.name == directory.fallback:
        metadata["directory"] = [_listed(other.card) for other in directory if other.name != entry.name]
    absent = directory.get(instead_of) if instead_of else None
    if absent is not None:
        metadata["instead_of"] = {"name": absent.name, "display_name": absent.card.display_name}
    return metadata


def _agent_request(entry: Entry, task: str, request: RunRequest, metadata: dict[str, Any]) -> AgentRequest:
    return AgentRequest(
        input=task,
        session_id=request.conversation_id,
        user_id=request.user_id,
        context=Context(history=request.history, metadata=metadata),
        stream=True,
    )


def _listed(card: AgentCard) -> dict[str, Any]:
    return {
        "name": card.name,
        "display_name": card.display_name,
        "capabilities": list(card.capabilities),
        "examples": list(card.examples),
    }
