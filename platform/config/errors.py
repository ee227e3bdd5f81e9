"""One shape for every refused request: `{code, message, details?}` with a fitting HTTP status."""

from collections.abc import Iterator, Mapping
from http import HTTPStatus
from typing import Any, Final

from django.core.exceptions import ValidationError as DjangoValidationError
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.utils.translation import gettext as _
from django.views.csrf import csrf_failure as csrf_failure_page
from rest_framework import exceptions
from rest_framework.response import Response
from rest_framework.serializers import as_serializer_error
from rest_framework.views import exception_handler as framework_handler
from rest_framework.views import set_rollback

from frontdesk_agent.errors import ErrorCode, FrontdeskError

STATUS: Final[Mapping[ErrorCode, HTTPStatus]] = {
    ErrorCode.CONVERSATION_LOCKED: HTTPStatus.CONFLICT,
    ErrorCode.AGENT_NOT_FOUND: HTTPStatus.NOT_FOUND,
    ErrorCode.AGENT_UNAVAILABLE: HTTPStatus.SERVICE_UNAVAILABLE,
    ErrorCode.AGENT_TIMEOUT: HTTPStatus.GATEWAY_TIMEOUT,
    ErrorCode.AGENT_AUTH_FAILED: HTTPStatus.BAD_GATEWAY,
    ErrorCode.AGENT_BAD_RESPONSE: HTTPStatus.BAD_GATEWAY,
    ErrorCode.AGENT_FAILED: HTTPStatus.BAD_GATEWAY,
    ErrorCode.STREAM_INTERRUPTED: HTTPStatus.BAD_GATEWAY,
    ErrorCode.CONTRACT_MISMATCH: HTTPStatus.BAD_GATEWAY,
    ErrorCode.CONTEXT_MISSING: HTTPStatus.UNPROCESSABLE_ENTITY,
    ErrorCode.MODEL_UNAVAILABLE: HTTPStatus.SERVICE_UNAVAILABLE,
    ErrorCode.RATE_LIMITED: HTTPStatus.TOO_MANY_REQUESTS,
    ErrorCode.LIMIT_EXCEEDED: HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
    ErrorCode.RUN_CANCELLED: HTTPStatus.CONFLICT,
    ErrorCode.RUN_INTERRUPTED: HTTPStatus.SERVICE_UNAVAILABLE,
    ErrorCode.NOT_ALLOWED: HTTPStatus.FORBIDDEN,
    ErrorCode.INVALID_INPUT: HTTPStatus.BAD_REQUEST,
    ErrorCode.INTERNAL: HTTPStatus.INTERNAL_SERVER_ERROR,
}


def body(code: ErrorCode, message: str, details: object = None) -> dict[str, object]:
    """The JSON of an error answer."""
    answer: dict[str, object] = {"code": str(code), "message": message}
    return answer if details is None else {**answer, "details": details}


def error_response(error: FrontdeskError) -> JsonResponse:
    """The answer of a plain Django view that could not do what was asked."""
    return JsonResponse(body(error.code, error.message, error.details), status=STATUS[error.code])


def of_status(status: int) -> dict[str, object]:
    """The body for an answer of which only the HTTP status is known."""
    match status:
        case HTTPStatus.UNAUTHORIZED:
            return body(ErrorCode.NOT_ALLOWED, _("Please log in first."))
        case HTTPStatus.FORBIDDEN:
            return body(ErrorCode.NOT_ALLOWED, _("You are not allowed to do this."))
        case HTTPStatus.NOT_FOUND:
            return body(ErrorCode.NOT_ALLOWED, _("There is nothing here that you can reach."))
        case HTTPStatus.REQUEST_ENTITY_TOO_LARGE:
            return body(ErrorCode.LIMIT_EXCEEDED, _("That is more than is accepted at once."))
        case HTTPStatus.TOO_MANY_REQUESTS:
            return body(ErrorCode.RATE_LIMITED, _("Too many requests; please wait a moment."))
        case _ if status < HTTPStatus.INTERNAL_SERVER_ERROR:
            return body(ErrorCode.INVALID_INPUT, _("This request cannot be answered as it is."))
        case _:
            return body(ErrorCode.INTERNAL, _("Something went wrong on our side."))


def exception_handler(error: Exception, context: dict[str, Any]) -> Response | None:
    """REST framework's hook. None: the error is a defect, logged and answered by Django."""
    if isinstance(error, FrontdeskError):
        set_rollback()
        return Response(body(error.code, error.message, error.details), status=STATUS[error.code])
    if isinstance(error, DjangoValidationError):
        error = exceptions.ValidationError(as_serializer_error(error))
    response = framework_handler(error, context)
    if response is None:
        return None
    if isinstance(error, (exceptions.NotAuthenticated, exceptions.AuthenticationFailed)):
        response.status_code = HTTPStatus.UNAUTHORIZED
        response["WWW-Authenticate"] = "Session"
    response.data = _framework_body(error, response.status_code)
    return response


def _framework_body(error: Exception, status: int) -> dict[str, object]:
    generic = of_status(status)
    if isinstance(error, exceptions.ValidationError):
        details = list(_field_errors(error.detail))
        return {**generic, "message": " ".join(item["message"] for item in details), "details": details}
    if isinstance(error, exceptions.APIException) and status != HTTPStatus.NOT_FOUND:
        return {**generic, "message": str(error.detail)}
    return generic


def _field_errors(detail: Any, field: str = "") -> Iterator[dict[str, str]]:
    """REST framework's tree of errors as flat `{field, message}`; nested names are joined by dots."""
    if isinstance(detail, Mapping):
        for name, inner in detail.items():
            own = "" if name == "non_field_errors" else str(name)
            yield from _field_errors(inner, ".".join(part for part in (field, own) if part))
    elif isinstance(detail, (list, tuple)):
        for index, inner in enumerate(detail):
            nested = isinstance(inner, (Mapping, list))
            yield from _field_errors(inner, f"{field}.{index}".lstrip(".") if nested else field)
    else:
        yield {"field": field, "message": str(detail)}


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """Django's page for people; JSON for programs."""
    if is_api(request):
        return JsonResponse(of_status(HTTPStatus.FORBIDDEN), status=HTTPStatus.FORBIDDEN)
    return csrf_failure_page(request, reason=reason)


def is_api(request: HttpRequest) -> bool:
    return request.path_info.startswith("/api/")
