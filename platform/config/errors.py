"""One shape for every refused request: `{code, message, details?}` with a fitting HTTP status."""

from collections.abc import Iterator, Mapping
from http import HTTPStatus
from typing import Any, Final

from django.core.exceptions import RequestDataTooBig
from django.core.exceptions import ValidationError as DjangoValidationError
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.utils.translation import gettext as _
from django.views import defaults
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


def status_of(error: FrontdeskError) -> int:
    """An error whose code fits several statuses says which by `http_status`."""
    return int(getattr(error, "http_status", STATUS[error.code]))


def error_response(error: Exception) -> JsonResponse | None:
    """The answer of a plain Django view that raised `error`; None when that is none of the API's errors."""
    if not isinstance(error, (FrontdeskError, exceptions.APIException)):
        return None
    response = exception_handler(error, {})
    return JsonResponse(response.data, status=response.status_code) if response else None


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
        return Response(body(error.code, error.message, error.details), status=status_of(error))
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


# Django's hooks: its pages for people, JSON for programs.


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    if is_api(request) and isinstance(exception, RequestDataTooBig):
        return _json(HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
    return _json(HTTPStatus.BAD_REQUEST) if is_api(request) else defaults.bad_request(request, exception)


def permission_denied(request: HttpRequest, exception: Exception) -> HttpResponse:
    return _json(HTTPStatus.FORBIDDEN) if is_api(request) else defaults.permission_denied(request, exception)


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    return _json(HTTPStatus.NOT_FOUND) if is_api(request) else defaults.page_not_found(request, exception)


def server_error(request: HttpRequest) -> HttpResponse:
    return _json(HTTPStatus.INTERNAL_SERVER_ERROR) if is_api(request) else defaults.server_error(request)


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    return _json(HTTPStatus.FORBIDDEN) if is_api(request) else csrf_failure_page(request, reason=reason)


def _json(status: HTTPStatus) -> JsonResponse:
    return JsonResponse(of_status(status), status=status)


def is_api(request: HttpRequest) -> bool:
    return request.path_info.startswith("/api/")
