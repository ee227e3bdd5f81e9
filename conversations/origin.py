"""What a socket's scope says of where it came from and in which language its person reads."""

from collections.abc import Mapping
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.utils.translation import get_supported_language_variant
from django.utils.translation.trans_real import parse_accept_lang_header

Scope = Mapping[str, Any]  # an ASGI connection scope
_PORTS = {"http": 80, "https": 443, "ws": 80, "wss": 443}


def same_origin(scope: Scope) -> bool:
    """Whether the page that opened the socket is ours: its Origin names the host it talks to.

    Programs that are no browser send no Origin; they have no cookies that a foreign page could use.
    """
    origin = _header(scope, b"origin")
    if not origin:
        return True
    if origin in settings.CSRF_TRUSTED_ORIGINS:
        return True
    parts = urlsplit(origin)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        return False
    try:
        origin_port = parts.port or _PORTS[parts.scheme]
        host = urlsplit(f"//{_header(scope, b'host')}")
        host_port = host.port or _PORTS[parts.scheme]
    except ValueError:
        return False
    return (parts.hostname, origin_port) == (host.hostname, host_port)


def locale_of(scope: Scope) -> str:
    """The language cookie, else what the browser accepts, else the default; always one of `LANGUAGES`."""
    for wanted in (_cookie(scope), *_accepted(scope)):
        try:
            return get_supported_language_variant(wanted) if wanted else settings.LANGUAGE_CODE
        except LookupError:
            continue
    return settings.LANGUAGE_CODE


def _accepted(scope: Scope) -> list[str]:
    return [code for code, _ in parse_accept_lang_header(_header(scope, b"accept-language"))]


def _cookie(scope: Scope) -> str:
    try:
        cookies = SimpleCookie(_header(scope, b"cookie"))
    except CookieError:
        return "-"
    found = cookies.get(settings.LANGUAGE_COOKIE_NAME)
    return found.value if found and found.value else "-"


def _header(scope: Scope, name: bytes) -> str:
    return next((value.decode("latin-1") for key, value in scope["headers"] if key == name), "")
