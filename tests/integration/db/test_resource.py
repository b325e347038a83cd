"""The tests of these records, on real servers."""
import pytest

from tests.unit.objects.test_resource import *  # noqa: F403

pytestmark = pytest.mark.usefixtures('clean_database')
