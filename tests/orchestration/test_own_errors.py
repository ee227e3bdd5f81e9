"""What an agent says of its own failure reaches people without the addresses of its services."""

import pytest

from frontdesk_agent.contract import Error
from orchestration.transports.parsing import own_error


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("db at http://10.0.0.9/secret broke", "db at … broke"),
        ("cannot reach 10.0.0.9:5432, giving up", "cannot reach …, giving up"),
        ("redis.internal:6379 refused", "… refused"),
        ("[fd00::1]:80 is gone", "… is gone"),
        ("postgres://user:pw@db/x failed", "… failed"),
        ("Try again at 12:30 for 3 parts.", "Try again at 12:30 for 3 parts."),
        ("Version 1.2.3 is\n too old", "Version 1.2.3 is too old"),
    ],
)
def test_addresses_are_left_out(said: str, shown: str) -> None:
    assert own_error(Error(message=said)).message == shown
