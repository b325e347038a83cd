"""Ports for servers that a test starts, and perhaps starts again."""
import os
import pathlib
import random
import socket

_RANGE = pathlib.Path('/proc/sys/net/ipv4/ip_local_port_range')
_LEAST, _MOST = 10000, 65535

# Processes that were forked from one another choose differently.
_random = random.SystemRandom()
_given = set()


def free_port():
    """Return a port nobody listens on, and no client gets by chance.

    Until the server takes it, and while it is started again, the system may
    give any port of its own range to a connection that somebody opens.
    """
    while True:
        port = _random.choice(_candidates())
        if port in _given or not _is_free(port):
            continue
        _given.add(port)
        return port


def _candidates():
    """Return a range of ports that connections are not given."""
    least, most = 32768, 60999
    if os.access(_RANGE, os.R_OK):
        least, most = map(int, _RANGE.read_text().split())
    below, above = range(_LEAST, least), range(most + 1, _MOST)
    # Where connections may be given any, there is no better one.
    return max(below, above, key=len) or range(_LEAST, _MOST)


def _is_free(port):
    with socket.socket() as probe:
        try:
            probe.bind(('127.0.0.1', port))
        except OSError:
            return False
    return True
