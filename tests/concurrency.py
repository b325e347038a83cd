"""A pytest plugin that runs the tests under eventlet.

Loaded with ``-p tests.concurrency`` so that it comes before every other
import: what eventlet does not patch first, it cannot patch.
"""
from heat.cmd import backend

backend.select()
