"""The tests of what operators do, on real servers."""
import pytest

from tests.unit.db.test_upkeep import *  # noqa: F403

pytestmark = pytest.mark.usefixtures('clean_database')
