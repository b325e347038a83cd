"""Search for requests that cost the service too much.

In CI a short, always equal search runs (test_expensive_inputs.py). For a
long one with other inputs each time: python -m tests.security.expensive_inputs
--minutes 20. It prints each request that exceeds a limit; the exit code is 1
if there is one. --keep stores the most expensive requests as files, and
--replay sends such a file again.
"""
import argparse
import itertools
import pathlib
import sys
import time
import uuid

import hypothesis

from tests.functional import rest
from tests.functional import service as service_module
from tests.security import hostile_requests
from tests.security import meter

#: What one request may cost.
SECONDS = 1
ROOM = 200 * 1024 * 1024
#: A machine that is busy with other things makes all of it slower for once.
_ATTEMPTS = 3


class Searcher:
    """Sends requests to a running service and looks at what they cost.

    :param seconds: the CPU time that one may take
    :param keep: a directory where the dearest requests are kept
    """

    def __init__(self, application, seconds=SECONDS, keep=None):
        self.seconds = seconds
        self._keep = keep
        self.client = rest.Client(application, uuid.uuid4().hex)
        self.most = meter.Cost(0, 0)

    def _send(self, request):
        path = request.path
        if request.method == 'GET':
            path = f'/v1/{self.client.project}/{path}'
        return self.client.request(request.method, path, raw=request.raw)

    def check(self, request):
        """Send a request; fail when it costs too much or ends in a 500."""
        for _attempt in range(_ATTEMPTS):
            answer, cost = meter.measure(self._send, request)
            if cost.seconds < self.seconds and cost.room < ROOM:
                break
        if self._keep is not None and (
                answer.status >= 500 or cost.seconds > self.most.seconds):
            self._keep_it(request, cost)
        assert answer.status < 500, (request, answer.text[:2000])
        assert cost.seconds < self.seconds, (request, cost)
        assert cost.room < ROOM, (request, cost)
        self.most = meter.Cost(max(self.most.seconds, cost.seconds),
                               max(self.most.room, cost.room))
        return cost

    def _keep_it(self, request, cost):
        kept = self._keep / f'{cost.seconds:.3f}-{uuid.uuid4().hex[:8]}'
        kept.write_bytes(f'{request.method} {request.path}\n'.encode() +
                         (request.raw or b''))

    def replay(self, path):
        """Send a request that was kept; return its cost."""
        head, _newline, raw = path.read_bytes().partition(b'\n')
        method, _space, target = head.decode().partition(' ')
        return self.check(hostile_requests.Request(
            method, target, raw or None))

    def search(self, **settings):
        """Look for requests that fail check(), the dearest ones first."""
        @hypothesis.settings(
            deadline=None, database=None,
            suppress_health_check=list(hypothesis.HealthCheck),
            phases=(hypothesis.Phase.generate, hypothesis.Phase.target),
            **settings)
        @hypothesis.given(hostile_requests.REQUESTS)
        def each(request):
            cost = self.check(request)
            hypothesis.target(cost.seconds, label='CPU seconds')
            hypothesis.target(cost.room / 2 ** 20, label='MB')
        each()


def _search_until(searcher, deadline, examples):
    found = 0
    for _round in itertools.count():
        if time.monotonic() > deadline:
            return found
        try:
            searcher.search(max_examples=examples)
        except Exception as error:  # noqa: BLE001 (all are of interest)
            found += 1
            print(f'{type(error).__name__}: {str(error)[:3000]}', flush=True)
        print(f'so far: {searcher.most}', flush=True)


def main(arguments=None):
    """Search for a while and return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--minutes', type=float, default=20)
    parser.add_argument('--examples', type=int, default=200,
                        help='inputs between two fresh starts')
    parser.add_argument('--keep', type=pathlib.Path, metavar='DIRECTORY')
    parser.add_argument('--replay', type=pathlib.Path, metavar='FILE')
    options = parser.parse_args(arguments)
    with service_module.running() as service:
        searcher = Searcher(service.application, keep=options.keep)
        if options.replay:
            print(searcher.replay(options.replay))
            return 0
        found = _search_until(
            searcher, time.monotonic() + 60 * options.minutes,
            options.examples)
    return 1 if found else 0


if __name__ == '__main__':
    sys.exit(main())
