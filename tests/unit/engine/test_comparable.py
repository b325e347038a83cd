"""What a plugin gives is what is compared, unless it says more."""
from heat.engine import comparable
from heat.engine import properties

Schema = properties.Schema
PROPERTIES = properties.Properties({
    'a': Schema(Schema.STRING, update_allowed=True),
    'b': Schema(Schema.STRING)}, {'a': 'x', 'b': 'x'})


class Thing(comparable.Comparable):
    def get_live_resource_data(self):
        return {'a': 'y', 'b': 'y', 'c': 'y'}


def test_live_state_is_what_an_update_could_change():
    assert Thing().get_live_state(PROPERTIES) == {'a': 'y'}


def test_live_data_are_compared_by_default():
    thing = Thing()
    assert thing.drift_listing() is None
    assert thing.drift_data() == thing.get_live_resource_data()
    assert thing.drift_data_of({'a': 'z'}, None) == {'a': 'z'}
    assert thing.drift_state(PROPERTIES, {'a': 'z', 'b': 'z'}) == {'a': 'z'}
    assert thing.drift_state(PROPERTIES, None) == {}
