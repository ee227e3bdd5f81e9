"""Reading the environment strictly: a value that cannot be meant is refused in a sentence."""

import math
import os
import secrets
from contextlib import suppress
from pathlib import Path
from typing import Any, Final
from zoneinfo import ZoneInfo

import environ
from django.core.exceptions import ImproperlyConfigured

_BOOLEANS: Final = {
    **dict.fromkeys(("true", "yes", "on", "1"), True),
    **dict.fromkeys(("false", "no", "off", "0"), False),
}
_KINDS: Final = {bool: "true or false", int: "a whole number", float: "a number"}


class Env(environ.Env):  # type: ignore[misc] # the library has no types
    """django-environ, but `ture` is no boolean, `5s` no number, and a leading `$` no reference.

    A blank number or boolean counts as not set. Raises `ImproperlyConfigured` naming the variable.
    """

    def get_value(
        self,
        var: str,
        cast: Any = None,
        default: Any = environ.Env.NOTSET,
        parse_default: bool = False,  # noqa: FBT001, FBT002 - the library's signature
    ) -> Any:
        raw = self.ENVIRON.get(var)
        if raw is None or (cast in _KINDS and not raw.strip()):
            return default
        try:
            return self.parse_value(raw.strip(), cast)
        except ValueError:
            raise ImproperlyConfigured(f"{var} must be {_KINDS[cast]}, not {raw!r}.") from None

    @classmethod
    def parse_value(cls, value: str, cast: Any) -> Any:
        if cast is bool:
            return _boolean(value)
        if cast in (int, float):
            return _finite(cast(value))
        if cast is list:
            return [item.strip() for item in value.split(",") if item.strip()]
        return super().parse_value(value, cast)

    def time_zone(self, var: str, *, default: str) -> str:
        """An IANA name, such as Asia/Shanghai."""
        name = str(self.get_value(var, default=default))
        try:
            ZoneInfo(name)
        except (KeyError, ValueError, OSError):
            raise ImproperlyConfigured(
                f"{var} must be a time zone such as Asia/Shanghai, not {name!r}."
            ) from None
        return name

    def choice(self, var: str, choices: tuple[str, ...], *, default: str) -> str:
        """One of `choices`; upper and lower case are the same."""
        value = str(self.get_value(var, default=default))
        for choice in choices:
            if choice.lower() == value.lower():
                return choice
        raise ImproperlyConfigured(f"{var} must be one of {', '.join(choices)}, not {value!r}.")

    def database(self, var: str, *, default: Path) -> dict[str, Any]:
        """Django's settings of the database at a URL: SQLite or PostgreSQL, the two that are supported."""
        url = str(self.get_value(var, default="")) or f"sqlite:///{default}"
        if url.partition("://")[0] in ("sqlite", "postgres", "postgresql"):
            with suppress(ValueError):
                return dict(self.db_url_config(url))
        raise ImproperlyConfigured(
            f"{var} must look like postgres://user:password@host:5432/name or sqlite:////path/to/file."
        )


def _boolean(value: str) -> bool:
    try:
        return _BOOLEANS[value.lower()]
    except KeyError:
        raise ValueError(value) from None


def _finite(number: float) -> float:
    if not math.isfinite(number):
        raise ValueError(number)
    return number


def embedded_secret_key(directory: Path) -> str:
    """The key of an installation on one machine: made once, readable by its owner alone.

    The file appears whole or not at all, whoever else is making it at the same moment.
    """
    path = directory / "secret_key"
    try:
        if not path.exists():
            _create_whole(path, secrets.token_urlsafe(48))
        return path.read_text()
    except OSError as error:
        raise ImproperlyConfigured(
            f"DATA_DIR ({directory}) cannot be used ({error.strerror}): make it writable, or choose another."
        ) from None


def make_private(directory: Path) -> None:
    """A folder for this user alone: sessions and conversations are in the embedded database."""
    directory.mkdir(mode=0o700, parents=True, exist_ok=True)


def _create_whole(path: Path, text: str) -> None:
    make_private(path.parent)
    draft = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(text)
    with suppress(FileExistsError):
        os.link(draft, path)
    draft.unlink()
