"""Where the CPU time of a stack goes.

The service runs in this process, over a database, with the profiler of
Python in each of its threads. A profiler makes calls of Python functions
dearer than they are, so the shares are those of the profile, and the time
that is shared out is that of the same creation without one.
"""
import argparse
import collections
import contextlib
import cProfile
import logging
import pathlib
import re
import threading
import time
import uuid

from oslo_config import cfg
import pytest

from heat.db import migration
from heat.db import session
from tests.functional import rest
from tests.functional import service as service_module
from tools.benchmarks import shapes
from tools.benchmarks import tables

ROOT = pathlib.Path(__file__).resolve().parents[2]
ROUNDS = 3
#: What belongs together: (name, pattern of the file's path).
AREAS = tuple((name, re.compile(pattern)) for name, pattern in (
    ('SQLAlchemy, oslo.db', r'/(sqlalchemy|oslo_db)/'),
    ('driver of the database', r'/(pymysql|psycopg2?|sqlite3)/'),
    ('rows and transactions', r'/heat/(db|objects)/'),
    ('order of the graph', r'/heat/engine/(convergence|graph|comparison)/'),
    ('tasks, group commit', r'/heat/engine/tasks/'),
    ('actions of resources', r'/heat/engine/(lifecycle|legacy)/'),
    ('stacks', r'/heat/engine/(stacks|rpc|cluster|process)/'),
    ('template language', r'/heat/engine/(language|hot|cfn|sandbox|'
                          r'properties|attributes|function|parameters|'
                          r'environment|template|constraints|conditions|'
                          r'rsrc_defn|stk_defn|translation|schema)'),
    ('plugins of resources', r'/heat/engine/(resources|clients|resource)'),
    ('rest of the engine', r'/heat/engine/'),
    ('API', r'/heat/api/|/(webob|routes|paste)/'),
    ('messages', r'/(oslo_messaging|heat/rpc)/'),
    ('logging', r'/logging/|/oslo_log/'),
    ('JSON', r'/json/'),
    ('common parts of Heat', r'/heat/'),
    ('Python and other libraries', '')))


class _Threads:
    """Profiles all threads that begin in a with block, as long as they live.
    """

    def __init__(self):
        self._profiles = []

    def __enter__(self):
        threading.setprofile(self._begin)
        return self

    def __exit__(self, *_error):
        threading.setprofile(None)

    def _begin(self, *_event):
        # It takes the place of this function in its thread.
        profile = cProfile.Profile(time.thread_time)
        self._profiles.append(profile)
        profile.enable()

    def seconds(self):
        """Return {(path, line, function): seconds}.

        What is written in C counts for those who call it.
        """
        found = collections.Counter()
        for profile in self._profiles:
            for entry in profile.getstats():
                if isinstance(entry.code, str):
                    continue
                found[_key(entry.code)] += entry.inlinetime + sum(
                    call.inlinetime for call in entry.calls or ()
                    if isinstance(call.code, str))
        return found


def _key(code):
    return code.co_filename, code.co_firstlineno, code.co_name


def _create(service, template, name):
    """Create a stack; return the CPU seconds of this process."""
    client = rest.Client(service.application, uuid.uuid4().hex)
    began = time.process_time()
    stack = client.create(name, template)
    while stack.state != 'CREATE_COMPLETE':
        time.sleep(0.2)
    return time.process_time() - began


@contextlib.contextmanager
def _service(url):
    """Run the service in this process for a with block."""
    if url:
        session.configure(url)
        migration.db_sync()
    with pytest.MonkeyPatch.context() as patch:
        service = service_module.Service(patch)
        service.start(url)
        cfg.CONF.set_override('max_resources_per_stack', -1)
        try:
            yield service
        finally:
            service.stop()


def _measure(url, shape, size):
    """Return the CPU seconds of a creation, and {function: share} of it."""
    template = shapes.of(shape)(size, False)[0]
    threads = _Threads()
    with _service(url) as service:
        _create(service, template, 'first')
        took = min(_create(service, template, f'plain-{number}')
                   for number in range(ROUNDS))
    with threads, _service(url) as service:
        _create(service, template, 'first')
        before = threads.seconds()
        _create(service, template, 'profiled')
        found = threads.seconds()
    found.subtract(before)
    total = sum(found.values())
    return took, {key: own / total for key, own in found.items()}


def _areas(shares):
    """Return {area: share}."""
    found = collections.Counter()
    for (path, _line, _name), share in shares.items():
        found[next(name for name, pattern in AREAS
                   if pattern.search(path))] += share
    return found


def main(arguments):
    """Measure and print a table."""
    parser = argparse.ArgumentParser(prog='tools/bench profile',
                                     description=__doc__)
    parser.add_argument('--shape', default='flat',
                        choices=[*shapes.USUAL, *shapes.OTHER])
    parser.add_argument('--size', type=int, default=1000)
    parser.add_argument('--functions', type=int, default=20,
                        help='how many functions are shown')
    parser.add_argument('--database', metavar='URL',
                        help='an empty one; by default one of SQLite is made')
    args = parser.parse_args(arguments)
    logging.disable(logging.INFO)
    took, shares = _measure(args.database, args.shape, args.size)
    each = took / args.size * 1_000_000
    print(f'{args.shape}, {args.size} resources: {each:.0f} µs of CPU time '
          f'each')
    tables.show(['area', 'share %', 'µs a resource'], [
        [area, f'{100 * share:.1f}', f'{share * each:.0f}']
        for area, share in _areas(shares).most_common()])
    tables.show(['function', 'share %', 'µs a resource'], [
        [f'{path.partition("/site-packages/")[2] or _below(path)}:{line} '
         f'{name}', f'{100 * share:.1f}', f'{share * each:.0f}']
        for (path, line, name), share in collections.Counter(
            shares).most_common(args.functions)])
    return 0


def _below(path):
    return path.removeprefix(f'{ROOT}/')
