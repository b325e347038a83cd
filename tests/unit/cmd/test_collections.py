"""How often a process that serves collects garbage."""
import json
import subprocess
import sys

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


def _serve():
    ran = subprocess.run([sys.executable, '-c', SERVING], check=False,
                         capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    return json.loads(ran.stdout)


def test_objects_that_stay_are_hardly_ever_examined():
    assert _serve()[0] <= 1


def test_garbage_is_freed_soon():
    # All of it would be there without collections of the young generations.
    assert _serve()[1] < 2500
