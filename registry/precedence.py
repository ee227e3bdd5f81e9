"""SemVer precedence (semver.org, section 11) as bytes that a database can sort."""

from semver import Version


def sort_key(version: str) -> bytes:
    """Bytes whose order is the precedence of SemVer strings; build metadata does not count.

    Raises ValueError when `version` is not SemVer.
    """
    parsed = Version.parse(version)
    core = b"".join(_number(part) for part in (parsed.major, parsed.minor, parsed.patch))
    if not parsed.prerelease:
        return core + b"~"
    return core + b"".join(_identifier(part) + b" " for part in parsed.prerelease.split("."))


def _number(value: int) -> bytes:
    # The length goes first, so that numbers of any size compare as numbers.
    digits = str(value).encode()
    return bytes([min(len(digits), 255)]) + digits


def _identifier(part: str) -> bytes:
    return b"0" + _number(int(part)) if part.isdigit() else b"1" + part.encode()


def next_patch(version: str) -> str:
    """The version a small change usually gets: 1.2.3 -> 1.2.4, 1.3.0-rc.1 -> 1.3.0."""
    parsed = Version.parse(version)
    return str(parsed.finalize_version() if parsed.prerelease else parsed.bump_patch())
