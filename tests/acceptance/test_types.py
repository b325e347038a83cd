"""Each resource type against the service that it stands for."""
import os

import pytest

from tests.acceptance import cases
from tests.acceptance import table


# Some walk at the same time: one may have to wait for others.
@pytest.mark.timeout(2400)
@pytest.mark.parametrize('type_name', sorted(
    name for name, case in cases.load().items()
    if case.alone == (os.environ.get('HEAT_ACCEPTANCE_ALONE') == '1')))
def test_type(walkers, results, type_name):
    results[type_name] = walkers.result(type_name)


@pytest.mark.timeout(2400)
def test_types_leave_nothing_behind(walkers):
    walkers.require_nothing_left()


def test_table_of_types_tells_what_was_done(results):
    if os.environ.get('HEAT_ACCEPTANCE_TABLE'):
        table.write({**table.load(), **results})
    told = table.load()
    done = {name: results[name] for name in results if name in told}
    assert {name: told[name] for name in done} == done, (
        'HEAT_ACCEPTANCE_TABLE=1 tools/acceptance writes the table anew')
