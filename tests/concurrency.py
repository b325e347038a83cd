"""A pytest plugin that runs the tests under eventlet.

Loaded with ``-p tests.concurrency`` so that it comes before every other
import: what eventlet does not patch first, it cannot patch. It is for one
process; those of pytest-xdist have threads that came before eventlet.
"""
from heat.cmd import backend

backend.select()
