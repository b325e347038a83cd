"""Each resource type against the service that it stands for."""
import pytest

from tests.acceptance import cases


@pytest.mark.parametrize('type_name', sorted(cases.load()))
def test_type(walkers, type_name):
    walkers.result(type_name)


def test_types_leave_nothing_behind(walkers):
    walkers.require_nothing_left()
