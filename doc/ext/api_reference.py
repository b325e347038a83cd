"""Write the references of the APIs from the declarations of their actions.

A page says ``.. api-reference::`` where that of the REST API is to stand,
``.. cfn-actions::`` where the actions of the CloudFormation API are.
"""
from docutils import nodes
from docutils import statemachine
from docutils.parsers import rst
from sphinx.util import nodes as sphinx_nodes

from heat.api import declaration
from heat.api import routing
from heat.api.cfn.v1 import change_sets as cfn_change_sets
from heat.api.cfn.v1 import drift as cfn_drift
from heat.api.cfn.v1 import routes as cfn_routes
from heat.api.cfn.v1 import stacks as cfn_stacks
from heat.api.openstack.v1 import openapi
from heat.api.openstack.v1.schemas import catalogue
from heat.api.openstack.v1.schemas import common

_SUCCESSES = {
    201: 'The header ``Location`` has the URL of what was created.',
    202: 'The answer has no body.',
    204: 'The answer has no body.',
    302: 'The header ``Location`` has the URL to ask instead.',
}
_NO_KEYS = 'The keys are up to the user.'
#: The classes of the controllers that actions of CloudFormation name.
_CFN_CONTROLLERS = {'stacks': cfn_stacks.StackController,
                    'change_sets': cfn_change_sets.ChangeSetController,
                    'drift': cfn_drift.DriftController}


def _title(text, mark):
    return [text, mark * len(text), '']


def _literal(text):
    return f'``{text}``'


def _label(name):
    return f'api-{name.lower()}'


def type_of(schema):
    """Return a short text for the type of a value."""
    if '$ref' in schema:
        name = schema['$ref'].rpartition('/')[2]
        return f':ref:`{name} <{_label(name)}>`'
    if 'anyOf' in schema:
        return ' or '.join(map(type_of, schema['anyOf']))
    if 'enum' in schema:
        return ' or '.join(map(_literal, schema['enum']))
    kinds = schema.get('type', 'anything')
    kinds = [kinds] if isinstance(kinds, str) else list(kinds)
    if kinds[0] == 'array' and 'items' in schema:
        kinds[0] = f'list of: {type_of(schema["items"])}'
    text = ' or '.join(kinds)
    if schema.get('format') in ('uuid', 'date-time', 'uri'):
        text += f' ({schema["format"]})'
    return text


def _keys(schema):
    """Yield the keys of an object as a list of definitions."""
    required = schema.get('required', ())
    for name, value in schema.get('properties', {}).items():
        mark = ', required' if name in required else ''
        yield f'{_literal(name)} : {type_of(value)}{mark}'
        yield f'    {value.get("description", "") or _nested(value)}'
    yield ''


def _nested(schema):
    """Return the keys of an object inside an object."""
    names = schema.get('properties') or schema.get('items', {}).get(
        'properties')
    return f'Keys: {", ".join(map(_literal, names))}.' if names else '|nbsp|'


def _query(declared):
    yield from ('Query:', '')
    for each in declared.query:
        schema = each.schema
        several = each.repeat is not declaration.Repeat.LAST
        kind = type_of(schema['items'] if several else schema)
        more = ', may be repeated' if several else ''
        if 'default' in schema:
            default = str(schema['default'])
            more += ', default ' + _literal(
                default.lower() if isinstance(schema['default'], bool)
                else default)
        yield f'{_literal(each.name)} : {kind}{more}'
        yield f'    {each.description}'
    yield ''


def _body(route, declared):
    optional = route.body is routing.Body.OPTIONAL
    yield 'Body, which may be left out:' if optional else 'Body:'
    yield ''
    if declared.body.get('properties'):
        yield from _keys(declared.body)
    else:
        yield from (_NO_KEYS, '')


def _answer(route, declared):
    yield f'Answer: {_literal(route.success)}. ' + _SUCCESSES.get(
        route.success, '')
    schema = declared.response
    if schema is None:
        yield ''
    elif schema.get('properties'):
        yield from ('', *_keys(schema))
    elif schema == common.NOTHING:
        yield from ('The body is ``null``.', '')
    else:
        yield from (f'The body is: {type_of(schema)}.', '')


def _errors(found):
    yield from ('Errors:', '')
    for error in found:
        kinds = ' or '.join(
            _literal(kind) for kind in error.kind.split('|') if kind)
        yield f'* {error.status} {kinds}: {error.when}'
    yield ''


def operation(requests, route, declared):
    """Yield the lines of one operation."""
    yield from _title(declared.summary, '-')
    yield from ('.. code-block:: text', '')
    yield from (f'    {request}' for request in requests)
    yield ''
    if declared.description:
        yield from (declared.description, '')
    rules = openapi.policies_of(route, declared)
    yield from (f'Policy: {" or ".join(map(_literal, rules))}.', '')
    if declared.query:
        yield from _query(declared)
    if declared.body is not None:
        yield from _body(route, declared)
    yield from _answer(route, declared)
    stack = (common.NO_SUCH_STACK,) if (
        common.NO_SUCH_STACK in openapi.errors_of(route, declared)) else ()
    errors = (*declared.errors, *stack)
    if errors:
        yield from _errors(errors)


def _grouped():
    """Return {group: {summary: (requests, route, declaration)}}."""
    groups = {title: {} for title, *_rest in catalogue.GROUPS}
    for path, route, declared in openapi.operations():
        group = groups[catalogue.TITLES[route.controller, route.action]]
        # What differs only in the method or path is told once.
        requests, *_first = group.setdefault(
            declared.summary, ([], route, declared))
        requests.append(f'{route.method} {path}')
    return groups


def reference():
    """Yield the lines of the whole reference."""
    yield from ('.. |nbsp| unicode:: 0xA0', '')
    for title, operations in _grouped().items():
        yield from _title(title, '=')
        for requests, route, declared in operations.values():
            yield from operation(requests, route, declared)
    yield from _title('Errors of every action', '=')
    yield from _errors(common.COMMON_ERRORS)
    yield from _title('Objects', '=')
    for name, schema in sorted(catalogue.COMPONENTS.items()):
        yield from (f'.. _{_label(name)}:', '')
        yield from _title(name, '-')
        yield from _keys(schema)


def cfn_actions():
    """Yield the lines that tell what the actions of CloudFormation do."""
    for action in cfn_routes.ACTIONS:
        told = getattr(_CFN_CONTROLLERS[action.controller],
                       action.method).__doc__
        what = ' '.join(told.partition(': ')[2].split())
        yield f'{_literal(action.name)}'
        yield (f'    {what[:1].upper()}{what[1:]} '
               f'Policy: {_literal(action.policy)}.')
    yield ''


class _Directive(rst.Directive):
    """Stands for lines that are made up."""

    lines = None

    def run(self):
        """Return the nodes that the lines make."""
        lines = statemachine.StringList(list(self.lines()), self.name)
        node = nodes.section()
        node.document = self.state.document
        sphinx_nodes.nested_parse_with_titles(self.state, lines, node)
        return node.children


class ApiReference(_Directive):
    """Stands for the reference of the REST API."""

    lines = staticmethod(reference)


class CfnActions(_Directive):
    """Stands for the actions of the CloudFormation API."""

    lines = staticmethod(cfn_actions)


def setup(app):
    """Tell Sphinx about the directives."""
    app.add_directive('api-reference', ApiReference)
    app.add_directive('cfn-actions', CfnActions)
    return {'parallel_read_safe': True}
