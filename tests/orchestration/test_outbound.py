"""The guard on outbound calls, in every spelling of an address."""

from ipaddress import ip_address

import pytest
from aiohttp.abc import ResolveResult

from orchestration.outbound import AddressRefusedError, GuardedResolver, check_url, is_allowed

NEVER = [
    "169.254.169.254",
    "169.254.0.1",
    "100.100.100.200",
    "168.63.129.16",
    "0.0.0.0",
    "0.1.2.3",
    "224.0.0.1",
    "fe80::1",
    "fd00:ec2::254",
    "ff02::1",
    "::",
    "::ffff:169.254.169.254",
    "64:ff9b::a9fe:a9fe",
    "2002:a9fe:a9fe::1",
    "::a9fe:a9fe",
    "::ffff:0:a9fe:a9fe",
    "64:ff9b:1::a9fe:a9fe",
    "64:ff9b:1:a9fe:a9:fe00::",
    "fec0::1",
]
PRIVATE = [
    "127.0.0.1",
    "10.1.2.3",
    "172.16.0.1",
    "192.168.1.1",
    "100.64.0.1",
    "::1",
    "fd12::1",
    "::ffff:10.0.0.1",
    "::10.0.0.1",
    "::ffff:0:10.0.0.1",
    "64:ff9b:1::10.0.0.1",
    "64:ff9b:1:a00:0:100::",
]
PUBLIC = ["8.8.8.8", "2606:4700::1111", "::ffff:8.8.8.8", "64:ff9b::808:808"]


@pytest.mark.parametrize("address", NEVER)
def test_never(address: str) -> None:
    assert not is_allowed(ip_address(address), allow_private=True)
    assert not is_allowed(ip_address(address), allow_private=False)


@pytest.mark.parametrize("address", PRIVATE)
def test_private(address: str) -> None:
    assert is_allowed(ip_address(address), allow_private=True)
    assert not is_allowed(ip_address(address), allow_private=False)


@pytest.mark.parametrize("address", PUBLIC)
def test_public(address: str) -> None:
    assert is_allowed(ip_address(address), allow_private=False)


@pytest.mark.parametrize(
    "url",
    [
        "http://169.254.169.254/latest/meta-data",
        "http://2852039166/",
        "http://0xa9fea9fe/",
        "http://0251.0376.0251.0376/",
        "http://169.16689662/",
        "http://[::ffff:a9fe:a9fe]/",
        "http://[fe80::1%25eth0]/",
        "http://metadata.google.internal./",
        "http://METADATA.google.internal/",
        "http://１６９.254.169.254/",
        "ftp://example.org/",
        "file:///etc/passwd",
        "http:///nowhere",
        "not a url",
        "",
    ],
)
def test_refused_urls(url: str) -> None:
    with pytest.raises(AddressRefusedError):
        check_url(url, allow_private=True)


@pytest.mark.parametrize("url", ["http://127.0.0.1:9101/invoke", "http://2130706433/", "http://[::1]:9101/"])
def test_loopback_by_setting(url: str) -> None:
    check_url(url, allow_private=True)
    with pytest.raises(AddressRefusedError):
        check_url(url, allow_private=False)


def test_a_name_is_judged_by_its_addresses() -> None:
    check_url("https://agents.example.org/invoke", allow_private=False)


async def test_resolved_addresses_are_filtered() -> None:
    resolver = GuardedResolver(allow_private=False)
    with pytest.raises(AddressRefusedError):
        await resolver.resolve("localhost", 80)
    await resolver.close()


async def test_only_allowed_answers_are_connected_to() -> None:
    class Rebinding(GuardedResolver):
        """A name server that answers with a good and a bad address."""

        def __init__(self) -> None:
            super().__init__(allow_private=False)
            self._resolver = self  # type: ignore[assignment]
            self._asked = False

        async def resolve(self, host: str, port: int = 0, family: int = 0) -> list[ResolveResult]:
            if self._asked:
                return [_answer("8.8.8.8"), _answer("169.254.169.254"), _answer("10.0.0.1")]
            self._asked = True
            return await super().resolve(host, port)

    assert [answer["host"] for answer in await Rebinding().resolve("two.example.org")] == ["8.8.8.8"]


def _answer(host: str) -> ResolveResult:
    return ResolveResult(hostname="two.example.org", host=host, port=80, family=2, proto=0, flags=0)
