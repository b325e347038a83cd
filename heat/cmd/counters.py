"""Counts of this process in a file, for tools/bench.

Only when the environment variable HEAT_COUNTERS names a directory.
"""
import json
import os
import pathlib
import threading
import time

from heat.common import messaging
from heat.objects import transaction

ENVIRONMENT_VARIABLE = 'HEAT_COUNTERS'
INTERVAL = 0.25


def publish():
    """Keep a file with the counts of this process fresh."""
    directory = os.environ.get(ENVIRONMENT_VARIABLE)
    if directory:
        threading.Thread(target=_work, args=(pathlib.Path(directory),),
                         name='heat-counters', daemon=True).start()


def _work(directory):
    path = directory / f'{os.getpid()}.json'
    fresh = path.with_suffix('.new')
    while True:
        counts = {**transaction.counters(), **messaging.counters(),
                  'cpu': time.process_time()}
        fresh.write_text(json.dumps(counts))
        fresh.replace(path)
        time.sleep(INTERVAL)
