"""Frequency of garbage collections in a serving process."""
import json

import pytest

from tests import python_process

#: Creates objects that stay, then garbage in cycles, in a process of its own.
SERVING = """
import gc, json, weakref
from heat.cmd import backend

class Kept:
    pass

backend.spare_collections()
full = []
gc.callbacks.append(lambda phase, info: full.append(info)
                    if phase == 'start' and info['generation'] == 2 else None)
kept = [Kept() for _number in range(200_000)]
collections, bodies = len(full), []
for _number in range(5000):
    garbage = Kept()
    garbage.itself, garbage.body = garbage, Kept()
    bodies.append(weakref.ref(garbage.body))
print(json.dumps([collections,
                  sum(body() is not None for body in bodies)]))
"""


@pytest.fixture(name='served', scope='module')
def fixture_served():
    """Return the number of full collections, and of bodies not freed."""
    return json.loads(python_process.output(SERVING))


def test_objects_that_stay_are_hardly_ever_examined(served):
    assert served[0] <= 1


def test_garbage_is_freed_soon(served):
    # All of it would be there without collections of the young generations.
    assert served[1] < 2500
