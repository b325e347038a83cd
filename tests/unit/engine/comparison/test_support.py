"""Which types can be compared."""
from heat.engine import properties
from heat.engine import resource
from heat.engine.comparison import support

Schema = properties.Schema


class Silent(resource.Resource):
    properties_schema = {'a': Schema(Schema.STRING, update_allowed=True)}


class Telling(resource.Resource):
    properties_schema = {
        'a': Schema(Schema.STRING, update_allowed=True),
        'b': Schema(Schema.STRING), 'name': Schema(Schema.STRING),
        'c': Schema(Schema.STRING, update_allowed=True)}
    drift_ignored = ('c',)
    name_property = 'name'

    def get_live_resource_data(self):
        return {}


class Refusing(Telling):
    drift_unsupported = 'Because.'


class OfAnEntity(resource.Resource):
    properties_schema = {}
    entity = 'things'


def test_type_that_tells_nothing_is_not_compared():
    assert 'does not read its live state' in support.reason(Silent)
    assert support.compared(Silent) == ()


def test_type_that_tells_is_compared():
    assert support.reason(Telling) == ''
    assert support.compared(Telling) == ('a', 'name')
    assert support.reason(OfAnEntity) == ''


def test_type_may_say_why_not():
    assert support.reason(Refusing) == 'Because.'
    assert support.compared(Refusing) == ()
