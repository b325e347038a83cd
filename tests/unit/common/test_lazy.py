"""Libraries that are imported when they are first used."""
from tests import python_process

LOADS = """
import sys
from heat.common import lazy
library = lazy.module('json.tool')
assert 'json.tool' not in sys.modules
library.main
assert 'json.tool' in sys.modules
"""


def test_a_library_is_imported_when_it_is_first_used():
    python_process.output(LOADS)
