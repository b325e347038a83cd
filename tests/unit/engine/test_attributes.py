import pytest

from heat.engine import attributes
from heat.engine import output
from heat.engine import support

Schema = attributes.Schema

SCHEMA = {
    'name': Schema('The name', type=Schema.STRING),
    'address': Schema('The address', cache_mode=Schema.CACHE_NONE),
    'size': Schema(type=Schema.INTEGER),
}


class Resolver:
    def __init__(self, **values):
        self.values = values
        self.asked = []

    def __call__(self, name):
        self.asked.append(name)
        return self.values.get(name)


def test_values_are_asked_for_once():
    resolver = Resolver(name='web', address='::1')
    attrs = attributes.Attributes('server', SCHEMA, resolver)
    assert resolver.asked == []
    assert [attrs['name'], attrs['name']] == ['web', 'web']
    assert [attrs['address'], attrs['address']] == ['::1', '::1']
    assert [attrs['size'], attrs['size']] == [None, None]
    assert resolver.asked == ['name', 'address', 'address', 'size', 'size']
    assert attrs.cached_attrs == {'name': 'web'}
    assert attrs.has_new_cached_attrs()


def test_cache_can_be_given_and_dropped():
    resolver = Resolver(name='new')
    attrs = attributes.Attributes('server', SCHEMA, resolver)
    attrs.cached_attrs = {'name': 'stored'}
    assert attrs['name'] == 'stored'
    assert not attrs.has_new_cached_attrs()
    attrs.set_cached_attr('size', 3)
    assert attrs['size'] == 3
    assert attrs.has_new_cached_attrs()
    attrs.reset_resolved_values()
    assert attrs['name'] == 'new'
    attrs.cached_attrs = None
    assert attrs.cached_attrs == {}


def test_unknown_attribute():
    attrs = attributes.Attributes('server', SCHEMA, Resolver())
    assert 'nme' not in attrs
    with pytest.raises(KeyError, match='server: Invalid attribute nme'):
        attrs['nme']
    assert list(attrs) == list(SCHEMA)
    assert len(attrs) == 3


def test_schema_can_change():
    attrs = attributes.Attributes('server', SCHEMA, Resolver(other=1))
    attrs.set_schema({'other': 'A text is a schema too'})
    assert list(attrs) == ['other']
    assert attrs['other'] == 1
    assert attrs.get_cache_mode('other') == Schema.CACHE_LOCAL
    assert attrs.get_cache_mode('nobody') == Schema.CACHE_LOCAL


@pytest.mark.parametrize(('kind', 'good', 'bad'), [
    (Schema.STRING, ['a', ''], [1, ['a']]),
    (Schema.INTEGER, [1, '1', 1.0], ['x', []]),
    (Schema.BOOLEAN, [True, 'false', '1'], ['maybe', 5]),
    (Schema.LIST, [[], ('a',)], ['abc', {'a': 1}]),
    (Schema.MAP, [{}, {'a': 1}], ['a', []]),
    (Schema.UNKNOWN, [1, 'a', {}], []),
])
def test_wrong_type_is_logged_but_given(kind, good, bad, caplog):
    for value in good:
        attrs = attributes.Attributes('r', {'a': Schema(type=kind)},
                                      Resolver(a=value))
        assert attrs['a'] == value
    assert caplog.records == []
    for value in bad:
        caplog.clear()
        attrs = attributes.Attributes('r', {'a': Schema(type=kind)},
                                      Resolver(a=value))
        assert attrs['a'] == value
        assert 'Attribute a of resource r' in caplog.text


def test_schema_as_mapping():
    assert dict(SCHEMA['name']) == {'description': 'The name',
                                    'type': 'string'}
    assert dict(Schema()) == {}


class Type:
    attributes_schema = {
        'old': Schema('Gone', support_status=support.SupportStatus(
            status=support.HIDDEN)),
        'name': Schema('The name')}
    base_attributes_schema = {'show': Schema('Everything')}


def test_as_outputs():
    assert attributes.Attributes.as_outputs('r', Type) == {
        'name': {'Value': {'Fn::GetAtt': ['r', 'name']},
                 'Description': 'The name'},
        'show': {'Value': {'Fn::GetAtt': ['r', 'show']},
                 'Description': 'Everything'},
        'OS::stack_id': {'Value': {'Ref': 'r'}}}
    assert attributes.Attributes.as_outputs('r', Type, 'hot')['name'] == {
        'value': {'get_attr': ['r', 'name']}, 'description': 'The name'}


def test_schema_from_outputs():
    schema = attributes.Attributes.schema_from_outputs({
        'ip': output.OutputDefinition('ip', '::1', 'The address'),
        'plain': output.OutputDefinition('plain', 1)})
    assert schema['ip'].description == 'The address'
    assert set(schema) == {'ip', 'plain'}
    assert attributes.Attributes.schema_from_outputs(None) == {}


@pytest.mark.parametrize(('value', 'path', 'result'), [
    ({'a': {'b': 1}}, ['a', 'b'], 1),
    ({'a': [5, 6]}, ['a', 1], 6),
    ({'a': [5]}, ['a', 1], None),
    ({'a': 1}, ['b'], None),
    ({'a': 1}, ['a', 'b'], None),
    ({'a': None}, ['a', 'b'], None),
    (None, ['a'], None),
    ([1], ['0'], None),
    ([1], [[]], None),
    ({'a': 1}, [], {'a': 1}),
])
def test_select_from_attribute(value, path, result):
    assert attributes.select_from_attribute(value, path) == result
