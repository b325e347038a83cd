import pytest

from heat.common import exception
from heat.engine import environment
from heat.engine.language import environment_registry as registries


class Server:
    pass


class Port:
    pass


@pytest.fixture
def below():
    registry = registries.ResourceRegistry(None)
    registry.register_class('OS::Nova::Server', Server)
    registry.register_class('OS::Neutron::Port', Port)
    registry.load({'OS::Quantum*': 'OS::Neutron*',
                   'Old::Server': 'OS::Nova::Server',
                   'Tmpl::One': 'file:///templates/one.yaml'})
    return registry


@pytest.fixture
def make(below):
    def made(section=None):
        registry = registries.ResourceRegistry(below)
        registry.load(section)
        return registry
    return made


def cls(registry, resource_type, resource_name=None):
    return registry.get_class(resource_type, resource_name)


def test_plugins_and_global_mappings_are_seen_by_all(make):
    registry = make()
    assert cls(registry, 'OS::Nova::Server') is Server
    assert cls(registry, 'Old::Server') is Server
    assert cls(registry, 'OS::Quantum::Port') is Port
    with pytest.raises(exception.EntityNotFound):
        cls(registry, 'OS::Quantum::Net')


@pytest.mark.parametrize(('section', 'resource_type', 'name', 'found'), [
    ({'My::S': 'OS::Nova::Server'}, 'My::S', None, Server),
    ({'My::*': 'OS::Nova::*'}, 'My::Server', None, Server),
    ({'My::*': 'OS::Nova::Server'}, 'My::Anything', None, Server),
    ({'A': 'B', 'B': 'C', 'C': 'OS::Nova::Server'}, 'A', None, Server),
    # The entry of the user precedes the global one.
    ({'OS::Nova::Server': 'OS::Neutron::Port'}, 'OS::Nova::Server', None,
     Port),
    # A mapping to itself is the way back to the global one.
    ({'OS::Nova::Server': 'OS::Nova::Server'}, 'OS::Nova::Server', None,
     Server),
    # What is said of one resource precedes what is said of all.
    ({'X': 'OS::Nova::Server', 'resources': {
        'one': {'X': 'OS::Neutron::Port'}}}, 'X', 'one', Port),
    ({'X': 'OS::Nova::Server', 'resources': {
        'one': {'X': 'OS::Neutron::Port'}}}, 'X', 'two', Server),
    ({'X': 'OS::Nova::Server', 'resources': {
        'on?': {'X': 'OS::Neutron::Port'}}}, 'X', 'one', Port),
    ({'X': 'OS::Nova::Server', 'resources': {
        'ON*': {'X': 'OS::Neutron::Port'}}}, 'X', 'one', Server),
    ({'resources': {'one': {'OS::*': 'OS::Neutron::Port'}}},
     'OS::Nova::Server', 'one', Port),
    # At one level the path decides, and "*" comes before letters.
    ({'OS::N*': 'OS::Neutron::Port',
      'OS::Nova::Server': 'OS::Nova::Server'}, 'OS::Nova::Server', None,
     Port),
])
def test_entry_that_counts(make, section, resource_type, name, found):
    assert cls(make(section), resource_type, name) is found


@pytest.mark.parametrize('section', [
    {'A': 'B', 'B': 'A'}, {'A': 'A'}, {'A*': 'A*'}, {'A': 'Nowhere'},
    {'*': 'B::*'}])
def test_mappings_may_lead_nowhere(make, section):
    with pytest.raises(exception.EntityNotFound, match='A'):
        cls(make(section), 'A')


def test_null_removes_entries(make):
    registry = make({'A::B': 'X', 'A::C': 'Y', 'D': 'Z', 'A::*': 'W*'})
    registry.load({'D': None, 'E': None})
    assert registry.as_dict() == {
        'resources': {}, 'A::B': 'X', 'A::C': 'Y', 'A::*': 'W*'}
    registry.load({'A::*': None, 'resources': None})
    assert registry.as_dict() == {'resources': {}}
    with pytest.raises(exception.EntityNotFound):
        cls(registry, 'A::Nova')


def test_null_does_not_reach_the_global_registry(make):
    assert cls(make({'OS::Nova::Server': None}),
               'OS::Nova::Server') is Server


def test_changed_entry(make):
    registry = make({'A*': 'OS::Nova::Server'})
    registry.load({'A*': 'OS::Neutron::Port'})
    assert cls(registry, 'Ab') is Port
    assert registry.as_dict()['A*'] == 'OS::Neutron::Port'


@pytest.mark.parametrize(('section', 'path'), [
    ([], ['resource_registry']),
    ({'A': 1}, ['resource_registry', 'A']),
    ({'A': ['x']}, ['resource_registry', 'A']),
    ({'A': {'B': 'C'}}, ['resource_registry', 'A']),
    ({'resources': 'x'}, ['resource_registry', 'resources']),
    ({'resources': {'r': 'x'}}, ['resource_registry', 'resources', 'r']),
    ({'resources': {'r': {'A': 1}}},
     ['resource_registry', 'resources', 'r', 'A']),
])
def test_wrong_entries(make, section, path):
    with pytest.raises(exception.StackValidationFailed) as caught:
        make(section)
    assert caught.value.path == path


def test_kinds_of_entries(make):
    registry = make({'A': 'B', 'C*': 'D', 'E': 'f.yaml',
                     'g.template': 'http://h/g'})
    kinds = {name: type(info).__name__ for name, info
             in registry._registry.items() if name != 'resources'}
    assert kinds == {
        'A': 'MapResourceInfo', 'C*': 'GlobResourceInfo',
        'E': 'TemplateResourceInfo', 'g.template': 'TemplateResourceInfo'}


def test_entries_know_whose_they_are(make):
    registry = make({'E': 'f.yaml'})
    info = registry.get_resource_info('E')
    assert (info.user_resource, info.name, info.path,
            info.template_name) == (True, 'E', ['E'], 'f.yaml')
    info = registry.get_resource_info('Old::Server')
    assert (info.user_resource, info.name) == (False, 'OS::Nova::Server')


def test_look_up_of_one_kind(make):
    registry = make({'OS::Nova::Server': 's.yaml', 'X': 'OS::Nova::Server'})
    template_info = registry.get_resource_info(
        'X', registry_type=registries.TemplateResourceInfo)
    assert template_info.template_name == 's.yaml'
    class_info = registry.get_resource_info(
        'OS::Nova::Server', registry_type=registries.ClassResourceInfo)
    assert class_info.value is Server
    mapping = registry.get_resource_info(
        'X', registry_type=registries.MapResourceInfo)
    assert mapping.value == 'OS::Nova::Server'
    other = registry.get_resource_info('OS::Nova::Server',
                                       ignore=template_info)
    assert other.value is Server


def test_name_of_a_template_file_is_a_type(make):
    registry = make()
    info = registry.get_resource_info('inner.yaml')
    assert (type(info), info.template_name) == (
        registries.TemplateResourceInfo, 'inner.yaml')
    assert registry.as_dict() == {'resources': {},
                                  'inner.yaml': 'inner.yaml'}


def test_global_registry_does_not_take_template_files(below):
    with pytest.raises(exception.EntityNotFound):
        below.get_resource_info('inner.yaml')


@pytest.mark.parametrize('resource_type', ['', None, 1, ['x']])
def test_type_must_be_a_string(make, resource_type):
    with pytest.raises(exception.StackValidationFailed, match='"r"'):
        make().get_class_to_instantiate(resource_type, 'r')


def test_unknown_type_is_explained(make):
    with pytest.raises(exception.StackValidationFailed,
                       match='OS::Nova::Servr.*Did you mean '
                             '"OS::Nova::Server"'):
        make().get_class_to_instantiate('OS::Nova::Servr')


# -- Templates as types

def test_template_becomes_a_class(below, make):
    made = []

    def factory(name, data, env):
        made.append((name, data))
        return Server

    below.use_template_types(registries.TemplateTypes(
        factory, fetch=lambda location, of_user: f'{location} {of_user}'))
    registry = make({'E': 'e.yaml'})
    assert registry.get_class('E', files={'e.yaml': 'text'}) is Server
    assert registry.get_class('E') is Server
    assert registry.get_class_to_instantiate('Tmpl::One') is Server
    assert made == [('E', 'text'), ('E', 'e.yaml True'),
                    ('Tmpl::One', 'file:///templates/one.yaml False')]


def test_resources_of_templates_have_their_own_class(below, make):
    below.use_template_types(registries.TemplateTypes(
        lambda name, data, env: Server, instance_class=Port))
    registry = make({'E': 'e.yaml', 'T::*': 't.yaml'})
    assert registry.get_class_to_instantiate('E') is Port
    assert registry.get_class_to_instantiate('T::Any') is Port
    assert registry.get_class('E', files={'e.yaml': ''}) is Server


def test_factory_gets_the_environment(monkeypatch):
    below = environment.Environment({}, user_env=False)
    monkeypatch.setattr(environment, '_global_environment', below)
    below.register_template_resource_factory(
        lambda name, data, env: env)
    env = environment.Environment({'resource_registry': {'E': 'e.yaml'},
                                   'parameters': {}})
    assert env.get_class('E') is env


def test_without_factory_there_are_no_template_types(make):
    with pytest.raises(exception.NotSupported):
        make({'E': 'e.yaml'}).get_class('E')


# -- Hooks and restricted actions

HOOKED = {'resources': {
    'a': {'hooks': 'pre-create'},
    'b*': {'hooks': ['pre-update', 'post-delete'],
           'restricted_actions': 'replace'},
    'bc': {'restricted_actions': ['update'], 'hooks': None,
           'inner': {'hooks': 'pre-delete', 'X': 'Y',
                     'deep': {'restricted_actions': 'update'}}},
}}


@pytest.mark.parametrize(('name', 'hook', 'matches'), [
    ('a', 'pre-create', True), ('a', 'pre-update', False),
    ('bx', 'pre-update', True), ('bx', 'post-delete', True),
    ('bc', 'pre-update', True), ('c', 'pre-create', False),
    ('inner', 'pre-delete', False)])
def test_hooks(make, name, hook, matches):
    assert make(HOOKED).matches_hook(name, hook) is matches


@pytest.mark.parametrize(('name', 'actions'), [
    ('a', set()), ('bx', {'replace'}), ('bc', {'replace', 'update'}),
    ('unknown', set())])
def test_restricted_actions(make, name, actions):
    assert make(HOOKED).get_rsrc_restricted_actions(name) == actions


@pytest.mark.parametrize(('key', 'value', 'error'), [
    ('hooks', 'pre-creat', exception.InvalidBreakPointHook),
    ('hooks', ['pre-create', 1], exception.InvalidBreakPointHook),
    ('hooks', {'pre-create': 1}, exception.InvalidBreakPointHook),
    ('restricted_actions', 'delete', exception.InvalidRestrictedAction),
    ('restricted_actions', [['update']],
     exception.InvalidRestrictedAction)])
def test_wrong_hooks_and_actions(make, key, value, error):
    with pytest.raises(error, match=f'resource_registry.resources.r.{key}'):
        make({'resources': {'r': {key: value}}})


def test_hook_words():
    assert registries.valid_hook_type('pre-create')
    assert not registries.valid_hook_type('pre-check')
    assert registries.valid_restricted_actions('replace')
    assert not registries.valid_restricted_actions('delete')


def test_section_is_given_back(make):
    section = {'A': 'B', 'C*': 'D*', 'E': 'e.yaml', **HOOKED}
    given = make(section).as_dict()
    expected = {**section, 'resources': {
        **HOOKED['resources'],
        'bc': {key: value for key, value in HOOKED['resources']['bc'].items()
               if key != 'hooks'}}}
    assert given == expected
    assert make(given).as_dict() == given


def test_plugin_classes_are_not_given_back(below, make):
    registry = make()
    registry.register_class('Mine', Server)
    registry.register_class('Other', Server, path=['resources', 'r', 'X'])
    assert registry.as_dict() == {'resources': {'r': {}}}
    assert cls(registry, 'X', 'r') is Server
    assert below.as_dict() == {'resources': {}}


# -- For nested stacks

def test_entries_are_narrowed_to_a_resource(make):
    registry = make({**HOOKED, 'A': 'B'})
    registry.remove_resources_except('bc')
    assert registry.as_dict() == {'A': 'B', 'resources': {'inner': {
        'hooks': 'pre-delete', 'X': 'Y',
        'deep': {'restricted_actions': 'update'}}}}
    assert registry.matches_hook('inner', 'pre-delete')
    registry.remove_resources_except('nothing')
    assert registry.as_dict() == {'A': 'B', 'resources': {}}


def test_entries_of_all_matching_names_are_kept(make):
    registry = make({'resources': {
        'b*': {'x': {'hooks': 'pre-create'}, 'y': {'hooks': 'pre-update'}},
        'bc': {'x': {'hooks': 'pre-delete'}}}})
    registry.remove_resources_except('bc')
    assert registry.as_dict()['resources'] == {
        'x': {'hooks': 'pre-delete'}, 'y': {'hooks': 'pre-update'}}


def test_only_templates_are_removed(make):
    registry = make({'A': 'a.yaml', 'B': 'C', 'D::*': 'd.yaml'})
    for info in [registry._registry[name] for name in ('A', 'B', 'D::*')]:
        registry.remove_item(info)
        registry.remove_item(info)
    assert registry.as_dict() == {'resources': {}, 'B': 'C'}
    with pytest.raises(exception.EntityNotFound):
        registry.get_resource_info('D::X')


# -- Listing

def test_classes_of_types_without_mappings(below, make):
    below.use_template_types(registries.TemplateTypes(
        lambda name, data, env: Port))
    registry = make({'A': 'OS::Nova::Server', 'B': 'b.yaml', 'C*': 'D*'})
    assert registry.registered_classes() == {
        'B': Port, 'OS::Nova::Server': Server, 'OS::Neutron::Port': Port,
        'Tmpl::One': Port}


def test_type_that_cannot_be_loaded_is_not_listed(below, make):
    def fetch(location, of_user):
        raise exception.NotFound('no such template')

    below.use_template_types(registries.TemplateTypes(
        lambda name, data, env: Port, fetch=fetch))
    assert set(make({'B': 'b.yaml'}).registered_classes()) == {
        'OS::Nova::Server', 'OS::Neutron::Port'}


def test_entries_compare_by_content(make):
    one, two = make({'A': 'B'}), make({'A': 'B'})
    assert one._registry['A'] == two._registry['A']
    assert one._registry['A'] != make({'A': 'C'})._registry['A']
    assert one._registry['A'] != 'B'
    assert repr(one._registry['A']) == '[Mapping](User:True) A -> B'


@pytest.mark.parametrize(('section', 'resource_type', 'names'), [
    ({}, 'OS::Nova::Server', {'OS::Nova::Server'}),
    ({}, 'Old::Server', {'Old::Server', 'OS::Nova::Server'}),
    ({'A': 'B', 'B': 'OS::Nova::*', 'OS::Nova::*': 'OS::Neutron::Port'},
     'A', {'A', 'OS::Neutron::Port'}),
    ({'A::*': 'OS::Nova::*'}, 'A::Server',
     {'A::Server', 'OS::Nova::Server'}),
    ({'resources': {'one': {'X': 'OS::Neutron::Port'}}}, 'X',
     {'X', 'OS::Neutron::Port'}),
    ({'A': 'Tmpl::One'}, 'A', {'A', 'Tmpl::One'}),
    ({'A': 'B', 'B': 'A'}, 'A', {'A'}),
    ({}, 'No::Such', {'No::Such'}),
])
def test_names_that_policy_is_asked_about(make, section, resource_type,
                                          names):
    assert make(section).policy_names(resource_type, 'one') == names
