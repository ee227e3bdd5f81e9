"""Metadata and link-local addresses are recognised however they are spelled; others are left alone."""

import pytest

from frontdesk_agent.addresses import forbidden_host, url_fault


@pytest.mark.parametrize(
    "host",
    [
        "169.254.169.254",
        "169.254.0.1",
        "2852039166",
        "0xa9fea9fe",
        "0xA9.0xFE.0xA9.0xFE",
        "0251.0376.0251.0376",
        "169.16689662",
        "169.254.43518",
        "169.254.169.254.",
        "１６９.254.169.254",
        "169。254。169。254",
        "①69.254.169.254",
        "[::ffff:169.254.169.254]",
        "[::ffff:a9fe:a9fe]",
        "[0:0:0:0:0:ffff:a9fe:a9fe]",
        "[::169.254.169.254]",
        "[64:ff9b::a9fe:a9fe]",
        "[2002:a9fe:a9fe::1]",
        "[fe80::1]",
        "[febf::1]",
        "[fd00:ec2::254]",
        "[FD00:EC2:0:0:0:0:0:254]",
        "100.100.100.200",
        "1684301000",
        "metadata.google.internal",
        "METADATA.Google.Internal.",
        "metadata",
    ],
)
def test_forbidden(host: str) -> None:
    assert forbidden_host(host)
    assert url_fault(f"http://{host}/x") is not None


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1",
        "localhost",
        "[::1]",
        "10.0.0.1",
        "169.253.1.1",
        "100.100.100.201",
        "[fd00:ec2::255]",
        "[2001:db8::1]",
        "agents.example.org",
        "metadata.example.org",
        "169.254.169.254.nip.example.org",
        "agents.例え.jp",
        "fade.x",
    ],
)
def test_others(host: str) -> None:
    assert not forbidden_host(host)
    assert url_fault(f"https://{host}:8443/x?y=1") is None
