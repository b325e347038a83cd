"""Things whose create requests have been answered in part."""
import types

import pytest

from heat.engine.resources import found_by_name


class Resource(found_by_name.FoundByName):
    """A resource whose thing cannot be found by its name."""

    def _find_by_name(self):
        return None

    def client_plugin(self):
        return types.SimpleNamespace(is_over_limit=lambda error: False)


class Named(Resource):
    """A resource whose thing has a name in place of an id."""

    def _created_id(self, created):
        return created.name


def test_an_answer_without_an_id_is_incomplete():
    with pytest.raises(found_by_name.IncompleteAnswer):
        Resource()._made(lambda: types.SimpleNamespace(id=None, name='n'))


def test_a_thing_may_have_a_name_in_place_of_an_id():
    made = types.SimpleNamespace(id=None, name='n')
    assert Named()._made(lambda: made) is made
    with pytest.raises(found_by_name.IncompleteAnswer):
        Named()._made(lambda: types.SimpleNamespace(id=None, name=None))
