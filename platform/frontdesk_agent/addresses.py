"""Which hosts no agent may ever have: link-local and cloud metadata addresses, in every spelling."""

import re
import socket
import unicodedata
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from typing import Final
from urllib.parse import urlsplit

Address = IPv4Address | IPv6Address

_FORBIDDEN: Final = (
    IPv4Network("169.254.0.0/16"),
    IPv4Network("100.100.100.200/32"),
    IPv4Network("192.0.0.192/32"),
    IPv6Network("fe80::/10"),
    IPv6Network("fd00:ec2::254/128"),
    IPv6Network("fd20:ce::254/128"),
)
_FORBIDDEN_NAMES: Final = frozenset({"metadata", "metadata.google.internal", "metadata.goog"})
# IPv4-compatible, IPv4-translated (RFC 2765) and NAT64 (RFC 6052): the last 32 bits are an IPv4 address.
_WRAPPING: Final = tuple(map(IPv6Network, ("::/96", "::ffff:0:0:0/96", "64:ff9b::/96")))
_LOCAL_NAT64: Final = IPv6Network("64:ff9b:1::/48")
_NUMERIC_HOST = re.compile(r"[0-9a-fx.]+", re.ASCII)
_MAX_URL: Final = 2000


def literal_address(host: str) -> Address | None:
    """The address that `host` spells out, or None when it is a name.

    Understands what the C library understands too: 2852039166, 0xa9fea9fe, 0251.0376.0251.0376, 169.16689662.
    """
    host = normal_host(host)
    try:
        return ip_address(host.partition("%")[0])
    except ValueError:
        pass
    if not _NUMERIC_HOST.fullmatch(host):
        return None
    try:
        return IPv4Address(socket.inet_aton(host))
    except OSError:
        return None


def normal_host(host: str) -> str:
    """`host` as resolvers see it: compatibility forms folded, lower case, no brackets, no final dot."""
    folded = unicodedata.normalize("NFKC", host).replace("。", ".")
    return folded.lower().strip("[]").rstrip(".")


def forbidden_address(address: Address) -> bool:
    """Whether `address`, or an IPv4 address that it wraps, is link-local or a metadata service."""
    return any(
        candidate in network
        for candidate in (address, *wrapped_ipv4(address))
        for network in _FORBIDDEN
        if network.version == candidate.version
    )


def forbidden_host(host: str) -> bool:
    """Whether `host` names or spells a forbidden address. Resolves nothing."""
    address = literal_address(host)
    if address is not None:
        return forbidden_address(address)
    return normal_host(host) in _FORBIDDEN_NAMES


def url_fault(url: str) -> str | None:
    """What is wrong with `url` as the address of an agent, as the end of a sentence; None if nothing is."""
    if len(url) > _MAX_URL:
        return f"must not be longer than {_MAX_URL} characters"
    if re.search(r"[\s\x00-\x20\x7f\\]", url):
        return "must not contain spaces, control characters or backslashes"
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        return "must be a valid URL, such as https://agents.example.org/invoke"
    if parts.scheme not in {"http", "https"} or not host:
        return "must be a URL with http or https and a host, such as https://agents.example.org/invoke"
    if port == 0 or "%" in host:
        return "must have a plain host name and a port from 1 to 65535"
    if "@" in parts.netloc:
        return "must not hold a user name or password; name the secret in auth.secret_ref instead"
    if "#" in url:
        return "must not have a fragment (the part after #)"
    if forbidden_host(host):
        return "must not be a link-local or metadata address"
    return None


def wrapped_ipv4(address: Address) -> tuple[IPv4Address, ...]:
    """The IPv4 addresses that an IPv6 `address` may lead to; none for the loopback and other plain ones."""
    if isinstance(address, IPv4Address) or address.is_loopback or address.is_unspecified:
        return ()
    bits = int(address)
    if address in _LOCAL_NAT64:
        # Its operator chooses where in it the address stands (RFC 8215): after 48 bits, around the octet
        # that is always 0, or at the end.
        after_prefix = (bits >> 64 & 0xFFFF) << 16 | bits >> 40 & 0xFFFF
        return tuple(IPv4Address(found) for found in (after_prefix, bits & 0xFFFF_FFFF) if found)
    if any(address in network for network in _WRAPPING):
        return (IPv4Address(bits & 0xFFFF_FFFF),)
    teredo = address.teredo[1] if address.teredo else None
    return tuple(found for found in (address.ipv4_mapped, address.sixtofour, teredo) if found)
