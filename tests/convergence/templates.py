"""What the templates of simulated stacks consist of.

A story has the resources of a template as a dictionary, those of nested
stacks inside their definitions. written() makes a template and files of it
as users give them; read() is the way back.
"""
import json

VERSION = '2018-08-31'
GROUP = 'OS::Heat::ResourceGroup'
#: The parameter of each nested stack: ids of what its things may use.
GIVEN = 'given'
#: The output of each nested stack: the values of its things together.
TOLD = 'told'


def thing(value='', size=1, needs=(), steps=0, kind='Thing', borrows=False,
          **more):
    """Return the definition of a thing.

    :param borrows: whether it also uses what its stack was given
    """
    return {'type': 'Test::' + kind, 'properties': {
        'value': value, 'size': size, 'steps': steps,
        'uses': _uses(needs, borrows), **more}}


def nest(inside, needs=(), borrows=False):
    """Return the definition of a nested stack, of a type that is a file."""
    return {'type': 'nest', 'inside': inside,
            'properties': {GIVEN: _uses(needs, borrows)}}


def group(count, member, index_var='%index%', **policies):
    """Return the definition of a group of things or nested stacks.

    :param index_var: a group with another one is another group
    """
    definition = {'type': GROUP, 'properties': {
        'count': count, 'index_var': index_var, 'resource_def': member}}
    if policies:
        definition['update_policy'] = policies
    return definition


def told_by(name):
    """Return the value of a thing that a nested stack tells."""
    return {'get_attr': [name, TOLD]}


def _uses(needs, borrows):
    uses = [{'get_resource': name} for name in needs]
    if borrows:
        return {'list_concat': [uses, {'get_param': GIVEN}]}
    return uses


def _used_by(definition):
    given = definition['properties']
    if definition['type'] == GROUP:
        return _used_by(given['resource_def'])
    return given.get('uses', given.get(GIVEN, ()))


def is_local(definition):
    """Tell whether a resource is nowhere but in the database."""
    return definition['type'] == 'Test::LocalThing'


def borrows(definition):
    """Tell whether a resource uses what its stack was given."""
    return isinstance(_used_by(definition), dict)


def needs_of(definition):
    """Return the names of the resources that one depends on."""
    uses = _used_by(definition)
    if isinstance(uses, dict):
        uses = uses['list_concat'][0]
    given = definition['properties']
    if definition['type'] == GROUP:
        given = given['resource_def']['properties']
    value = given.get('value')
    teller = [value['get_attr'][0]] if isinstance(value, dict) else []
    return sorted({*(use['get_resource'] for use in uses), *teller})


def inside_of(definition):
    """Return the resources of a nested stack; None of what has none."""
    if definition['type'] != GROUP:
        return definition.get('inside')
    given = definition['properties']
    member = given['resource_def']
    # To the members the ids are known that are behind the names.
    uses = 'uses' if 'uses' in member['properties'] else GIVEN
    member = {**member, 'properties': {**member['properties'], uses: []}}
    return {str(number): member for number in range(given['count'])}


def value_of(definition, resources):
    """Return the value that a thing is to have among others."""
    value = definition['properties']['value']
    if not isinstance(value, dict):
        return str(value)
    inside = inside_of(resources[value['get_attr'][0]])
    return ''.join(value_of(inside[name], inside) for name in _told(inside))


def _told(resources):
    """Return the names of the things whose values a stack tells."""
    return sorted(name for name, definition in resources.items()
                  if inside_of(definition) is None)


def wanted(resources):
    """Return {name: [(value, size)]} of what the cloud is to have."""
    found = {}
    for name, definition in resources.items():
        inside = inside_of(definition)
        if is_local(definition):
            continue
        if inside is None:
            found.setdefault(name, []).append((
                value_of(definition, resources),
                definition['properties']['size']))
            continue
        for other, values in wanted(inside).items():
            found.setdefault(other, []).extend(values)
    return {name: sorted(values) for name, values in found.items()}


def all_wanted(stacks):
    """Return the same for the resources of several stacks."""
    found = {}
    for resources in stacks:
        for name, values in wanted(resources).items():
            found.setdefault(name, []).extend(values)
    return {name: sorted(values) for name, values in found.items()}


# -- as users write them ----------------------------------------------------

def written(resources):
    """Return (template, files) with these resources."""
    files = {}
    return _template(resources, files, ''), files


def _template(resources, files, path):
    return {'heat_template_version': VERSION, 'resources': {
        name: _written(definition, files, path + name)
        for name, definition in resources.items()}}


def _written(definition, files, path):
    if definition['type'] == GROUP:
        given = definition['properties']
        return {**definition, 'properties': {
            **given, 'resource_def': _written(given['resource_def'], files,
                                              path)}}
    inside = definition.get('inside')
    if inside is None:
        return definition
    told = [{'get_attr': [name, 'value']} for name in _told(inside)]
    files[path + '.yaml'] = json.dumps({
        **_template(inside, files, path + '-'),
        'parameters': {GIVEN: {'type': 'json', 'default': []}},
        'outputs': {TOLD: {'value': {'list_join': ['', told]}}}})
    return {'type': path + '.yaml', 'properties': definition['properties']}


def read(resources, files):
    """Return the resources of a stored template as stories have them."""
    return {name: _read(definition, files)
            for name, definition in (resources or {}).items()}


def _read(definition, files):
    if definition['type'] == GROUP:
        given = definition['properties']
        return {**definition, 'properties': {
            **given, 'resource_def': _read(given['resource_def'], files)}}
    text = files.get(definition['type'])
    if text is None:
        return definition
    return {'type': 'nest', 'properties': definition['properties'],
            'inside': read(json.loads(text)['resources'], files)}
