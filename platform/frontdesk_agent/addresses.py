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
_NAT64: Final = IPv6Network("64:ff9b::/96")
_COMPATIBLE: Final = IPv6Network("::/96")
_NUMERIC_HOST = re.compile(r"[0-9a-fx.]+", re.ASCII)
_MAX_URL: Final = 2048


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
    """Whether `address`, or the IPv4 address that it wraps, is link-local or a metadata service."""
    return any(
        candidate in network
        for candidate in (address, _wrapped_ipv4(address))
        if candidate is not None
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


def _wrapped_ipv4(address: Address) -> IPv4Address | None:
    if isinstance(address, IPv4Address):
        return None
    if address in _NAT64 or address in _COMPATIBLE:
        return IPv4Address(int(address) & 0xFFFF_FFFF)
    return address.ipv4_mapped or address.sixtofour or (address.teredo[1] if address.teredo else None)
