"""Where this process may connect to: the guard on every outbound call.

A card is written by people and imported from strangers, so its URLs are not trusted. Link-local and
metadata addresses are never reached; private ranges and loopback only when the setting allows it.
Names are judged by the very answer that is then connected to, so a second DNS answer changes nothing.
"""

import socket
from ipaddress import IPv4Address, IPv4Network, IPv6Address
from typing import Final

from aiohttp.abc import AbstractResolver, ResolveResult
from aiohttp.resolver import ThreadedResolver
from yarl import URL

from frontdesk_agent.addresses import (
    Address,
    forbidden_address,
    forbidden_host,
    literal_address,
    wrapped_ipv4,
)

_THIS_NETWORK: Final = IPv4Network("0.0.0.0/8")
_AZURE_WIRE_SERVER: Final = IPv4Address("168.63.129.16")


class AddressRefusedError(OSError):
    """An address that this process does not connect to. The message never shows it."""

    def __init__(self) -> None:
        super().__init__("the address is not allowed")


def check_url(url: str, *, allow_private: bool) -> None:
    """Raise `AddressRefusedError` unless `url` is http(s) and its host is a name or an allowed address."""
    try:
        parsed = URL(url)
    except ValueError:
        raise AddressRefusedError from None
    host = parsed.host or ""
    if parsed.scheme not in ("http", "https") or not host or forbidden_host(host):
        raise AddressRefusedError
    address = literal_address(host)
    if address is not None and not is_allowed(address, allow_private=allow_private):
        raise AddressRefusedError


def is_allowed(address: Address, *, allow_private: bool) -> bool:
    """Whether this process may connect to `address`, and to every IPv4 address wrapped in it."""
    if wrapped := wrapped_ipv4(address):
        return all(is_allowed(inner, allow_private=allow_private) for inner in wrapped)
    if forbidden_address(address) or address.is_link_local or address.is_multicast or address.is_unspecified:
        return False
    if isinstance(address, IPv6Address) and address.is_site_local:
        return False
    if isinstance(address, IPv4Address) and (address in _THIS_NETWORK or address == _AZURE_WIRE_SERVER):
        return False
    return allow_private or address.is_global


class GuardedResolver(AbstractResolver):
    """Resolves names as the system does and drops every address that is not allowed."""

    def __init__(self, *, allow_private: bool) -> None:
        self._allow_private = allow_private
        self._resolver = ThreadedResolver()

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        """Raise `AddressRefusedError` when not one address of `host` is allowed."""
        found = await self._resolver.resolve(host, port, family)
        allowed = [answer for answer in found if self._allows(answer["host"])]
        if found and not allowed:
            raise AddressRefusedError
        return allowed

    async def close(self) -> None:
        """Release what the system's resolver holds."""
        await self._resolver.close()

    def _allows(self, host: str) -> bool:
        address = literal_address(host)
        return address is not None and is_allowed(address, allow_private=self._allow_private)
