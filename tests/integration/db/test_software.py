"""The tests of these records, on real servers."""
import pytest

from tests.unit.objects.test_software import *  # noqa: F403

pytestmark = pytest.mark.usefixtures('clean_database')
