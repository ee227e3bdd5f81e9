"""The demo's logins, and a password that works."""

import os
import secrets
from pathlib import Path

from django.contrib.auth.hashers import check_password, make_password
from django.contrib.auth.models import User

ADMIN = "admin"
NAMES = (ADMIN, "alice", "bob")


def ensure_people(*, password: str | None, remembered: Path) -> str | None:
    """Makes the logins that are missing, and returns the password that all of them share.

    A given password is set for all three. Otherwise one is made once and kept in the file `remembered`, so
    that it can be told again at the next start; None when they share none that is known.
    """
    if password is not None:
        remembered.unlink(missing_ok=True)
        if not _is_shared(password):  # a new hash of the same password would end every session
            _set_for_all(password)
        return password
    people = list(User.objects.filter(username__in=NAMES))
    if not people:
        return _start_with_generated(remembered)
    known = remembered.read_text() if remembered.exists() else None
    for name in set(NAMES) - {person.username for person in people}:
        _create(name, make_password(known))
    hashes = {person.password for person in people}
    return known if known and all(check_password(known, hashed) for hashed in hashes) else None


def _is_shared(password: str) -> bool:
    hashes = list(User.objects.filter(username__in=NAMES).values_list("password", flat=True))
    return len(hashes) == len(NAMES) and all(check_password(password, hashed) for hashed in set(hashes))


def _start_with_generated(remembered: Path) -> str:
    password = secrets.token_urlsafe(9)
    with os.fdopen(os.open(remembered, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
        file.write(password)
    _set_for_all(password)
    return password


def _set_for_all(password: str) -> None:
    hashed = make_password(password)  # slow on purpose, so once for all three
    for name in NAMES:
        if not User.objects.filter(username=name).update(password=hashed):
            _create(name, hashed)


def _create(name: str, hashed: str) -> None:
    is_admin = name == ADMIN
    User.objects.create(username=name, password=hashed, is_staff=is_admin, is_superuser=is_admin)
