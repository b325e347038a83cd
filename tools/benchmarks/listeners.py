"""What clients cost that listen to events.

They listen to one project while nothing happens, and while a stack is
created. Memory is that of all processes, CPU time is theirs, too.
"""
import argparse
import os
import pathlib
import selectors
import socket
import time

from tests import machine
from tools.benchmarks import setups
from tools.benchmarks import shapes
from tools.benchmarks import tables

COUNTS = (100, 500)
#: Seconds during which nothing happens, and resources of the stack.
IDLE, SIZE = 20, 100
#: Events of its creation, and what each message has once.
_EVENTS, _MARK = 2 * SIZE + 2, b'\ndata: '
_HEADER = ['set-up', 'listeners', 'kB each', 'CPU idle %',
           'CPU s of a creation', 'events', 'messages', 'spread s']
_PATH = '/v1/bench/events/stream'
_PAGE = os.sysconf('SC_PAGE_SIZE')
_PATIENCE = 300


class Listeners:
    """Connections that count the messages they get."""

    def __init__(self, port, count):
        self._selector = selectors.DefaultSelector()
        self.messages = [0] * count
        self.finished = {}
        for number in range(count):
            sock = socket.create_connection(('127.0.0.1', port), timeout=60)
            sock.sendall(f'GET {_PATH} HTTP/1.1\r\nHost: localhost\r\n\r\n'
                         .encode())
            head = b''
            while b': hello' not in head:
                head += sock.recv(4096)
                if head[9:12] not in (b'', b'200'):
                    raise SystemExit(head.decode())
            sock.setblocking(False)
            self._selector.register(sock, selectors.EVENT_READ, number)

    def read_until_complete(self):
        """Count messages until all have those of a creation."""
        tails = [b''] * len(self.messages)
        deadline = time.monotonic() + _PATIENCE
        while len(self.finished) < len(self.messages):
            if time.monotonic() > deadline:
                raise SystemExit('not all listeners got all events')
            for key, _events in self._selector.select(1):
                data = key.fileobj.recv(1 << 20)
                if not data:
                    raise SystemExit('a stream has ended')
                data = tails[key.data] + data
                self.messages[key.data] += data.count(_MARK)
                tails[key.data] = data[1 - len(_MARK):]
                if self.messages[key.data] >= _EVENTS:
                    self.finished.setdefault(key.data, time.monotonic())

    def close(self):
        """Close all connections."""
        for key in list(self._selector.get_map().values()):
            key.fileobj.close()
        self._selector.close()


def usage(setup):
    """Return (bytes, CPU seconds) of all processes of a set-up."""
    memory, seconds = 0, 0.0
    for pid in setup.family(setup.processes):
        path = pathlib.Path(f'/proc/{pid}')
        memory += int((path / 'statm').read_text().split()[1]) * _PAGE
        seconds += machine.cpu_seconds(pid)
    return memory, seconds


def measure(setup, count):
    """Return the line of the table for a number of listeners."""
    before, _seconds = usage(setup)
    listeners = Listeners(setup.port, count)
    try:
        after, first = usage(setup)
        time.sleep(IDLE)
        _memory, second = usage(setup)
        name = f'listened-{count}'
        setup.request('POST', '/stacks', {
            'stack_name': name, 'template': shapes.trivial(SIZE, 0)[0]})
        listeners.read_until_complete()
        _memory, third = usage(setup)
    finally:
        listeners.close()
    spread = max(listeners.finished.values()) - min(
        listeners.finished.values())
    return [setup.name, count, f'{(after - before) / count / 1024:.0f}',
            f'{(second - first) / IDLE * 100:.1f}', f'{third - second:.2f}',
            listeners.messages[0], sum(listeners.messages), f'{spread:.2f}']


def main(arguments):
    """Measure in each set-up and print a table."""
    parser = argparse.ArgumentParser(prog='tools/bench listeners',
                                     description=__doc__)
    parser.add_argument('--setup', nargs='+', default=['embedded', 'mariadb'],
                        choices=['embedded', 'mariadb', 'postgresql'])
    parser.add_argument('--counts', nargs='+', type=int,
                        default=list(COUNTS))
    args = parser.parse_args(arguments)
    lines = []
    for name in args.setup:
        with setups.running(name) as setup:
            lines += [measure(setup, count) for count in args.counts]
    tables.show(_HEADER, lines)
    return 0
