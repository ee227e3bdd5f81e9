"""Every refusal below `/api/` has the API's own shape, whoever makes it."""

from collections.abc import Awaitable, Callable
from typing import cast

import orjson
from asgiref.sync import iscoroutinefunction, markcoroutinefunction
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase

from config.errors import error_response, is_api, of_status

GetResponse = Callable[[HttpRequest], HttpResponseBase | Awaitable[HttpResponseBase]]


class ApiErrors:
    """JSON for a `FrontdeskError` of a plain view, and for what Django has no hook for, as a wrong method."""

    sync_capable = True
    async_capable = True

    def __init__(self, get_response: GetResponse) -> None:
        self._get_response = get_response
        self._is_async = iscoroutinefunction(get_response)
        if self._is_async:
            markcoroutinefunction(self)

    def __call__(self, request: HttpRequest) -> HttpResponseBase | Awaitable[HttpResponseBase]:
        if self._is_async:
            return self._async_call(request)
        return as_json(request, cast("HttpResponseBase", self._get_response(request)))

    async def _async_call(self, request: HttpRequest) -> HttpResponseBase:
        return as_json(request, await cast("Awaitable[HttpResponseBase]", self._get_response(request)))

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        return error_response(exception)


def as_json(request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
    """`response`, with an error page below `/api/` turned into JSON; its other headers stay."""
    if response.status_code < 400 or not is_api(request) or not isinstance(response, HttpResponse):
        return response
    if response.headers.get("Content-Type", "").startswith("application/json"):
        return response
    response.content = orjson.dumps(of_status(response.status_code))
    response.headers["Content-Type"] = "application/json"
    response.headers["Content-Length"] = str(len(response.content))
    return response
