import json
import pathlib

import pytest

from heat.common import exception
from heat.engine import constraints
from heat.engine import environment
from heat.engine import function
from heat.engine import properties
from heat.engine import support
from heat.engine import translation

Schema = properties.Schema
FACTS = json.loads(
    (pathlib.Path(__file__).parents[2] / 'facts' / 'resource_types.json')
    .read_text())


class Value(function.Function):
    """A function call with a result that tests set."""

    def __init__(self, value, *depends):
        super().__init__(None, 'value', value)
        self.depends = depends
        self.calls = 0

    def result(self):
        self.calls += 1
        if isinstance(self.args, Exception):
            raise self.args
        return self.args

    def dependencies(self, path):
        return iter(self.depends)


class Dependency:
    name = 'other'

    def __init__(self, action):
        self.action = action


def make(schema, data, **options):
    return properties.Properties(schema, data, function.resolve, **options)


def one(schema, *value, **options):
    data = {'p': value[0]} if value else {}
    return make({'p': schema}, data, **options)


def path_and_text(props):
    with pytest.raises(exception.StackValidationFailed) as caught:
        props.validate()
    return caught.value.path, caught.value.error_message


# Types

@pytest.mark.parametrize(('kind', 'given', 'value'), [
    (Schema.STRING, 'a', 'a'), (Schema.STRING, 5, '5'),
    (Schema.STRING, True, 'True'), (Schema.STRING, '', ''),
    (Schema.INTEGER, 5, 5), (Schema.INTEGER, '5', 5),
    (Schema.INTEGER, ' 5 ', 5), (Schema.INTEGER, 5.9, 5),
    (Schema.INTEGER, '-1', -1),
    (Schema.NUMBER, '5', 5), (Schema.NUMBER, '5.5', 5.5),
    (Schema.NUMBER, 5.5, 5.5), (Schema.NUMBER, '1e3', 1000.0),
    (Schema.BOOLEAN, True, True), (Schema.BOOLEAN, 'True', True),
    (Schema.BOOLEAN, 'false', False),
    (Schema.LIST, ['a', 1], ['a', 1]), (Schema.LIST, ('a',), ['a']),
    (Schema.MAP, {'a': [1]}, {'a': [1]}), (Schema.MAP, {}, {}),
    (Schema.ANY, 'a', 'a'), (Schema.ANY, [1], [1]), (Schema.ANY, 1.5, 1.5),
])
def test_conversion(kind, given, value):
    props = one(Schema(kind), given)
    props.validate()
    assert props['p'] == value
    assert type(props['p']) is type(value)


@pytest.mark.parametrize(('kind', 'given'), [
    (Schema.STRING, 1.5), (Schema.STRING, ['a']), (Schema.STRING, {}),
    (Schema.INTEGER, 'a'), (Schema.INTEGER, '5.5'), (Schema.INTEGER, []),
    (Schema.INTEGER, float('inf')),
    (Schema.NUMBER, 'a'), (Schema.NUMBER, []),
    (Schema.BOOLEAN, 'yes'), (Schema.BOOLEAN, 1), (Schema.BOOLEAN, 'a'),
    (Schema.LIST, 'a,b'), (Schema.LIST, {'a': 1}), (Schema.LIST, 5),
    (Schema.MAP, '{}'), (Schema.MAP, ['a']), (Schema.MAP, 5),
])
def test_wrong_type(kind, given):
    props = one(Schema(kind), given, section='Properties')
    path, _text = path_and_text(props)
    assert path == ['Properties', 'p']
    with pytest.raises(ValueError):
        props['p']


@pytest.mark.parametrize(('kind', 'empty'), [
    (Schema.STRING, ''), (Schema.INTEGER, 0), (Schema.NUMBER, 0),
    (Schema.BOOLEAN, False), (Schema.LIST, []), (Schema.MAP, {}),
    (Schema.ANY, None)])
def test_absent_and_null_differ(kind, empty):
    assert one(Schema(kind))['p'] is None
    assert one(Schema(kind), None)['p'] == empty
    assert one(Schema(kind), function.NOTHING)['p'] is None
    assert one(Schema(kind), Value(None))['p'] == empty
    assert one(Schema(kind), Value(function.NOTHING))['p'] is None


@pytest.mark.parametrize(('kind', 'default', 'value'), [
    (Schema.STRING, 'x', 'x'), (Schema.INTEGER, 3, 3),
    (Schema.BOOLEAN, True, True), (Schema.LIST, ['a'], ['a']),
    (Schema.MAP, {'a': 1}, {'a': 1}), (Schema.ANY, 0, 0)])
def test_default(kind, default, value):
    schema = Schema(kind, default=default)
    for given in ([], [None], [Value(None)], [Value(function.NOTHING)]):
        props = one(schema, *given)
        props.validate()
        assert props['p'] == value


@pytest.mark.parametrize(('schema', 'given', 'value'), [
    (Schema(Schema.LIST, allow_conversion=True), 'a,b', ['a', 'b']),
    (Schema(Schema.LIST, allow_conversion=True), '', []),
    (Schema(Schema.MAP, allow_conversion=True), '{"a": 1}', '{"a": 1}'),
    (Schema(Schema.MAP, allow_conversion=True), [{'a': 1}], '[{"a": 1}]'),
    (Schema(Schema.MAP, allow_conversion=True), {'a': 1}, {'a': 1}),
])
def test_conversion_for_template_resources(schema, given, value):
    assert one(schema, given)['p'] == value


# Nested

NESTED = {'nets': Schema(Schema.LIST, schema=Schema(Schema.MAP, schema={
    'net': Schema(Schema.STRING, required=True),
    'port': Schema(Schema.INTEGER, constraints=[constraints.Range(1, 9)]),
    'tags': Schema(Schema.LIST, schema=Schema(Schema.STRING)),
    'on': Schema(Schema.BOOLEAN, default=True)}))}


def test_nested_values_have_every_key():
    props = make(NESTED, {'nets': [{'net': 'a'}, {'net': 5, 'port': '3',
                                                  'tags': [1, None]}]})
    props.validate()
    assert props['nets'] == [
        {'net': 'a', 'port': None, 'tags': None, 'on': True},
        {'net': '5', 'port': 3, 'tags': ['1', ''], 'on': True}]


@pytest.mark.parametrize(('nets', 'path', 'text'), [
    ([{'net': 'a'}, {}], [1], 'net not assigned'),
    ([{'net': 'a', 'port': 10}], [0, 'port'], 'out of range'),
    ([{'net': 'a', 'tags': ['x', 1.5]}], [0, 'tags', 1], 'string'),
    ([{'net': 'a', 'prot': 1}], [0, 'prot'], 'Did you mean "port"'),
    (['a'], [0], 'not a map'),
    ('a', [], 'not a list'),
])
def test_nested_errors_have_the_path(nets, path, text):
    props = make(NESTED, {'nets': nets}, section='Properties',
                 parent_name='server')
    found, message = path_and_text(props)
    assert found == ['Properties', 'nets', *path]
    assert text in message


def test_list_items_may_be_left_out():
    props = one(Schema(Schema.LIST, schema=Schema(Schema.STRING)),
                ['a', Value(function.NOTHING), Value('c')])
    assert props['p'] == ['a', 'c']


# Validation

def test_unknown_property():
    path, text = path_and_text(make({'flavor': Schema(Schema.STRING)},
                                    {'flavour': 'a'}, section='Properties'))
    assert path == ['Properties', 'flavour']
    assert 'Did you mean "flavor"' in text


def test_required_property():
    props = one(Schema(Schema.STRING, required=True), section='Properties',
                parent_name='server')
    path, text = path_and_text(props)
    assert (path, text) == (['Properties'],
                            'server: Property p not assigned')
    with pytest.raises(ValueError, match='server: Property p not'):
        props['p']
    one(Schema(Schema.STRING, required=True), None).validate()
    props.validate(with_value=False)


def test_property_that_is_not_implemented():
    path, text = path_and_text(one(Schema(Schema.STRING,
                                          implemented=False), 'a'))
    assert path == ['p']
    assert 'not implemented' in text
    one(Schema(Schema.STRING, implemented=False)).validate()


def test_contradicting_flags():
    with pytest.raises(exception.InvalidSchemaError):
        one(Schema(Schema.STRING, update_allowed=True,
                   immutable=True)).validate()


@pytest.mark.parametrize(('constraint', 'kind', 'good', 'bad'), [
    (constraints.Range(1, 5), Schema.INTEGER, '5', '6'),
    (constraints.Length(1, 3), Schema.STRING, 'abc', 'abcd'),
    (constraints.AllowedValues(['a']), Schema.STRING, 'a', 'b'),
    (constraints.AllowedValues(['a']), Schema.LIST, ['a', 'a'], ['b']),
    (constraints.AllowedPattern('a+'), Schema.STRING, 'aa', 'ab'),
    (constraints.Modulo(2, 0), Schema.INTEGER, 4, 3),
])
def test_constraints(constraint, kind, good, bad):
    schema = Schema(kind, constraints=[constraint])
    one(schema, good).validate()
    path, _text = path_and_text(one(schema, bad))
    assert path == ['p']
    # Reading does not check again.
    one(schema, bad)['p']


def test_custom_constraint_is_given_the_context():
    seen = []

    class Watching:
        def validate(self, value, context):
            seen.append((value, context))
            return True

    env = environment.Environment({}, user_env=False)
    env.register_constraint('watching', Watching)
    schema = Schema(Schema.STRING, constraints=[
        constraints.CustomConstraint('watching', environment=env)])
    one(schema, 'a', context='ctx').validate()
    one(schema, context='ctx').validate()
    one(schema, None, context='ctx').validate()
    assert seen == [('a', 'ctx'), ('', 'ctx')]


def test_value_of_a_resource_to_come_is_not_judged():
    schema = Schema(Schema.INTEGER, constraints=[constraints.Range(1)])
    other = Dependency('INIT')
    for value in (None, 0, 'the-name'):
        one(schema, Value(value, other)).validate()
    other.action = 'CREATE'
    path_and_text(one(schema, Value(0, other)))


# Reading

def test_value_is_resolved_when_read_and_once():
    call = Value('x')
    props = make({'p': Schema(Schema.STRING), 'q': Schema(Schema.STRING)},
                 {'p': call, 'q': Value(ZeroDivisionError('broken'))})
    assert call.calls == 0
    assert [props['p'], props['p']] == ['x', 'x']
    assert call.calls == 1
    with pytest.raises(ValueError, match='broken'):
        props['q']


def test_value_is_kept_when_final():
    other = Dependency('INIT')
    call = Value(None, other)
    props = one(Schema(Schema.STRING), call)
    assert props['p'] == ''
    other.action, call.args = 'CREATE', 'ready'
    assert props['p'] == 'ready'
    call.args = 'changed'
    assert props['p'] == 'ready'


def test_validation_keeps_nothing():
    call = Value('early')
    props = one(Schema(Schema.STRING), call)
    props.validate()
    call.args = 'late'
    assert props['p'] == 'late'


def test_plugins_may_edit_what_they_read():
    props = make(NESTED, {'nets': [{'net': 'a'}]})
    props['nets'][0]['net'] = 'edited'
    props['nets'].append('more')
    assert [net['net'] for net in props['nets']] == ['a']


def test_plugins_may_edit_the_data():
    props = one(Schema(Schema.STRING), 'a')
    assert props['p'] == 'a'
    props.data['p'] = 'b'
    assert props['p'] == 'b'
    del props.data['p']
    assert props['p'] is None


def test_mapping():
    props = make({'a': Schema(Schema.STRING), 'b': Schema(Schema.INTEGER)},
                 {'a': 'x'}, parent_name='server')
    assert dict(props) == {'a': 'x', 'b': None}
    assert len(props) == 2
    assert 'b' in props
    assert props.get('c', 'default') == 'default'
    with pytest.raises(KeyError, match='server: Invalid Property c'):
        props['c']


def test_user_value():
    props = make({'a': Schema(Schema.STRING, default='d'),
                  'b': Schema(Schema.STRING, default='d')}, {'a': 'x'})
    assert props.get_user_value('a') == 'x'
    assert props.get_user_value('b') is None
    with pytest.raises(KeyError):
        props.get_user_value('c')


def test_no_data():
    assert make({'a': Schema(Schema.STRING)}, None)['a'] is None


def test_property():
    schema = Schema(Schema.INTEGER, default=3, update_allowed=True,
                    support_status=support.SupportStatus(version='1'))
    prop = properties.Property(schema, 'size')
    assert prop.type() == Schema.INTEGER
    assert (prop.default(), prop.has_default()) == (3, True)
    assert prop.update_allowed()
    assert prop.implemented()
    assert not prop.required()
    assert not prop.immutable()
    assert prop.support_status().version == '1'
    assert (prop.name, prop.path) == ('size', 'size')
    assert prop.get_value('5') == 5


# Schemata

@pytest.mark.parametrize(('make_schema', 'kind'), [
    (properties.string, Schema.STRING), (properties.integer, Schema.INTEGER),
    (properties.number, Schema.NUMBER), (properties.list, Schema.LIST),
    (properties.boolean, Schema.BOOLEAN), (properties.map, Schema.MAP),
    (properties.any, Schema.ANY)])
def test_shorthand(make_schema, kind):
    schema = make_schema('What', update_allowed=True, required=True)
    assert dict(schema) == {
        'type': kind.lower(), 'description': 'What', 'required': True,
        'update_allowed': True, 'immutable': False}


def test_legacy_schemata():
    found = properties.schemata({
        'new': Schema(Schema.STRING),
        'old': {'Type': 'String', 'Required': True, 'Default': 'a',
                'AllowedValues': ['a'], 'AllowedPattern': 'a',
                'MinLength': 1, 'UpdateAllowed': True,
                'Description': 'What'},
        'number': {'Type': 'Number', 'MinValue': 1, 'MaxValue': 2},
        'nested': {'Type': 'List', 'Schema': {
            'Type': 'Map', 'Schema': {'a': {'Type': 'Integer'}}}}})
    assert dict(found['old'])['constraints'] == [
        {'length': {'min': 1}}, {'allowed_values': ['a']},
        {'allowed_pattern': 'a'}]
    assert found['old'].update_allowed
    assert dict(found['number'])['constraints'] == [
        {'range': {'min': 1, 'max': 2}}]
    assert found['nested'].schema[0].schema['a'].type == 'Integer'
    with pytest.raises(exception.InvalidSchemaError, match='Typ'):
        properties.schemata({'a': {'Typ': 'String'}})


def schema_from(shown):
    """Rebuild a Schema from the form in which the API shows it."""
    kind = shown['type'].capitalize()
    nested = shown.get('schema')
    if nested is not None:
        nested = ({key: schema_from(value) for key, value in nested.items()}
                  if kind == Schema.MAP else schema_from(nested['*']))
    return Schema(
        kind, default=shown.get('default'), schema=nested,
        required=shown['required'], immutable=shown['immutable'],
        update_allowed=shown['update_allowed'],
        constraints=[constraint_from(item)
                     for item in shown.get('constraints', [])])


def constraint_from(shown):
    ((name, value),) = ((k, v) for k, v in shown.items()
                        if k != 'description')
    cls = {'range': constraints.Range, 'length': constraints.Length,
           'modulo': constraints.Modulo,
           'allowed_values': constraints.AllowedValues,
           'allowed_pattern': constraints.AllowedPattern,
           'custom_constraint': constraints.CustomConstraint}[name]
    if isinstance(value, dict):
        return cls(**value)
    return cls(value)


@pytest.mark.parametrize('type_name', sorted(FACTS['types']))
def test_recorded_schemata_survive(type_name):
    facts = FACTS['types'][type_name]
    for shown in facts['properties'].values():
        schema = schema_from(shown)
        schema.validate()
        # The API's own form goes through JSON.
        assert json.loads(json.dumps(to_plain(schema))) == shown


def to_plain(schema):
    return json.loads(json.dumps(schema, default=dict))


# Translation

def translated(schema, data, *rules, **options):
    props = make(schema, data)
    props.update_translation(
        [translation.TranslationRule(props, *rule[0], **rule[1])
         for rule in rules], **options)
    return props


class Plugin:
    def __init__(self):
        self.asked = []

    def find(self, name):
        self.asked.append(name)
        if name == 'nobody':
            raise exception.EntityNotFound(entity='Thing', name=name)
        return 'id-of-' + name

    def find_entity(self, entity, name):
        return '%s:%s' % (entity, self.find(name))


RULE = translation.TranslationRule
NET = {'network': Schema(Schema.STRING), 'network_id': Schema(Schema.STRING),
       'ports': Schema(Schema.LIST, schema=Schema(Schema.MAP, schema={
           'subnet': Schema(Schema.STRING),
           'subnet_id': Schema(Schema.STRING)}))}


def moved(data):
    return translated(
        NET, data,
        ((RULE.REPLACE, ['network']), {'value_path': ['network_id']}),
        ((RULE.REPLACE, ['ports', 'subnet']), {'value_name': 'subnet_id'}))


def test_old_name_is_read_by_the_new_one():
    props = moved({'network_id': Value('n1'),
                   'ports': [{'subnet_id': 's1'}, {'subnet': 's2'}, {}]})
    props.validate()
    assert props['network'] == 'n1'
    assert props['network_id'] is None
    assert props['ports'] == [
        {'subnet': 's1', 'subnet_id': None},
        {'subnet': 's2', 'subnet_id': None},
        {'subnet': None, 'subnet_id': None}]
    assert moved({})['network'] is None


def test_old_and_new_name_together_are_refused():
    path, text = path_and_text(moved({'network': 'a', 'network_id': 'b'}))
    assert 'network_id' in text
    with pytest.raises(exception.ResourcePropertyConflict):
        moved({'network': 'a', 'network_id': 'b'})['network']
    path, text = path_and_text(
        moved({'ports': [{'subnet': 'a', 'subnet_id': 'b'}]}))
    assert path[:2] == ['ports', 0]


def test_required_property_may_come_by_its_old_name():
    schema = {'new': Schema(Schema.STRING, required=True),
              'old': Schema(Schema.STRING)}
    rule = ((RULE.REPLACE, ['new']), {'value_path': ['old']})
    props = translated(schema, {'old': 'x'}, rule)
    props.validate()
    assert props['new'] == 'x'
    path_and_text(translated(schema, {}, rule))


def test_names_become_ids():
    plugin = Plugin()
    props = translated(
        {**NET, 'groups': Schema(Schema.LIST, schema=Schema(
            Schema.STRING))},
        {'network': 'web', 'ports': [{'subnet': 'a'}, {'subnet': 'a'}],
         'groups': ['x', 'y']},
        ((RULE.RESOLVE, ['network']),
         {'client_plugin': plugin, 'finder': 'find'}),
        ((RULE.RESOLVE, ['groups']),
         {'client_plugin': plugin, 'finder': 'find'}),
        ((RULE.RESOLVE, ['ports', 'subnet']),
         {'client_plugin': plugin, 'finder': 'find_entity',
          'entity': 'subnet'}))
    assert plugin.asked == []
    assert props['network'] == 'id-of-web'
    assert plugin.asked == ['web']
    assert props['groups'] == ['id-of-x', 'id-of-y']
    assert [p['subnet'] for p in props['ports']] == ['subnet:id-of-a'] * 2
    assert [props['network'], props['groups']] == [
        'id-of-web', ['id-of-x', 'id-of-y']]
    assert plugin.asked == ['web', 'x', 'y', 'a']


def test_moved_value_is_resolved():
    plugin = Plugin()
    props = translated(
        NET, {'network_id': 'old'},
        ((RULE.RESOLVE, ['network']),
         {'client_plugin': plugin, 'finder': 'find'}),
        ((RULE.REPLACE, ['network']), {'value_path': ['network_id']}))
    assert props['network'] == 'id-of-old'


@pytest.mark.parametrize('data', [{}, {'network': None}, {'network': ''}])
def test_nothing_is_not_looked_up(data):
    plugin = Plugin()
    props = translated(NET, data, (
        (RULE.RESOLVE, ['network']),
        {'client_plugin': plugin, 'finder': 'find'}))
    assert not props['network']
    assert plugin.asked == []


def test_name_that_is_not_found():
    rule = ((RULE.RESOLVE, ['network']),
            {'client_plugin': Plugin(), 'finder': 'find'})
    data = {'network': 'nobody'}
    path, text = path_and_text(translated(NET, data, rule))
    assert path == ['network']
    assert 'nobody' in text
    assert translated(NET, data, rule, ignore_resolve_error=True)[
        'network'] == 'nobody'
    assert translated(NET, data, rule, client_resolve=False)[
        'network'] == 'nobody'


def test_items_are_added():
    rule = ((RULE.ADD, ['p']), {'value': [{'a': 1}]})
    schema = {'p': Schema(Schema.LIST)}
    assert translated(schema, {}, rule)['p'] == [{'a': 1}]
    assert translated(schema, {'p': ['x']}, rule)['p'] == ['x', {'a': 1}]


def test_deleted_property():
    rule = ((RULE.DELETE, ['p']), {})
    props = translated({'p': Schema(Schema.STRING, required=True)},
                       {'p': 'x'}, rule)
    props.validate()
    assert props['p'] is None


def test_value_from_inside_a_neighbour():
    schema = {'tasks': Schema(Schema.LIST, schema=Schema(
        Schema.MAP, schema={'timeout': Schema(Schema.INTEGER),
                            'policies': Schema(Schema.MAP)}))}
    props = translated(
        schema, {'tasks': [{'policies': {'timeout': 5}}]},
        ((RULE.REPLACE, ['tasks', 'timeout']),
         {'value_name': 'policies', 'custom_value_path': ['timeout']}),
        ((RULE.DELETE, ['tasks', 'policies']), {}))
    assert props['tasks'] == [{'timeout': 5, 'policies': None}]


def test_fixed_replacement():
    rule = ((RULE.REPLACE, ['p']), {'value': 'fixed'})
    assert translated({'p': Schema(Schema.STRING)}, {'p': 'x'},
                      rule)['p'] == 'fixed'


def test_new_rules_count():
    props = one(Schema(Schema.STRING), 'x')
    assert props['p'] == 'x'
    props.update_translation([RULE(props, RULE.DELETE, ['p'])])
    assert props['p'] is None
    props.update_translation(None)
    assert props['p'] == 'x'
