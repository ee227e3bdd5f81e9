"""Ports of this machine."""

import socket
import time

LINGER_S = 1.0


def listen_address(host: str, port: int) -> socket.socket:
    """A bound socket that keeps `port` (0: any) from others until it is closed. Raises OSError."""
    family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    bound = socket.socket(family, kind, protocol)
    try:
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind(address)
    except OSError:
        bound.close()
        raise
    return bound


def free_port(host: str) -> int:
    with listen_address(host, 0) as bound:
        return int(bound.getsockname()[1])


def is_free(host: str, port: int) -> bool:
    """Whether `port` can be listened on; one whose owner is just ending is waited for."""
    deadline = time.monotonic() + LINGER_S
    while True:
        try:
            listen_address(host, port).close()
        except OSError:
            if time.monotonic() > deadline:
                return False
            time.sleep(0.05)
        else:
            return True
