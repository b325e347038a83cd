"""Helpers for the tests of moves."""
import json

from tests.functional import templates
from tests.functional.templates import hot

NESTED = {'word': {'type': 'string', 'default': 'x'}}


def of(**kwargs):
    """Return a resource that stands for something in a cloud."""
    return templates.thing(**kwargs)


def ref(name):
    """Return a reference to a resource."""
    return {'get_resource': name}


def by_path(found):
    """Return {path: change} of a change set."""
    return {'/'.join(each['path']): each for each in found['changes']}


def actions(found):
    """Return {path: action} of a change set."""
    return {path: each['action'] for path, each in by_path(found).items()}


def inner(*names, **more):
    """Return the text of a template for a nested stack."""
    return json.dumps(hot({name: of(value='x') for name in names},
                          parameters=NESTED, **more))


def nest(name='inner.yaml', **properties):
    """Return a resource with a stack inside."""
    return {'type': name, 'properties': properties}


def paths(stack):
    """Return {(resource, parent): physical id} of a whole tree."""
    found = stack.get('resources', nested_depth=5)['resources']
    return {(each['resource_name'], each.get('parent_resource')):
            each['physical_resource_id'] for each in found}
