"""Stacks of OpenStack Heat that are taken over, whatever they were doing."""
import pytest

# Its assertions are those of the tests that subclass what is in it.
pytest.register_assert_rewrite('tests.functional.takeover.stories')
