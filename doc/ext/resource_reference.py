"""Write the reference of resource types from what their classes declare.

A page says ``.. resource-reference:: OS::Nova`` where the types of a service
are to stand, or ``AWS`` for those of all services.
"""
import json

from docutils import nodes
from docutils import statemachine
from docutils.parsers import rst
from sphinx.util import nodes as sphinx_nodes

from heat.engine import constraints
from heat.engine import environment
from heat.engine import properties
from heat.engine import resources
from heat.engine import support


def _title(text, mark):
    return [text, mark * len(text), '']


def _literal(value):
    return f'``{value}``'


def _is_shown(each):
    return each.support_status.status != support.HIDDEN


def types(prefix):
    """Return {name: class} of the types that templates may use."""
    resources.initialise()
    found = environment.global_env().registered_classes()
    return {name: cls for name, cls in sorted(found.items())
            if name.startswith(prefix + '::') and _is_shown(cls)}


def _status(each):
    status = each.support_status
    if status.status == support.SUPPORTED:
        return
    text = f'*{status.status.capitalize()}'
    text += f' since {status.version}.*' if status.version else '.*'
    yield f'{text} {status.message or ""}'.rstrip()
    yield ''


def _kind(schema):
    kind = schema.type.lower()
    inner = schema.schema or {}
    if kind == 'list' and '*' in inner:
        kind = f'list of: {_kind(inner["*"])}'
    return kind


def _constraint(constraint):
    """Return what a constraint asks for, as a sentence."""
    [told] = [value for key, value in dict(constraint).items()
              if key != 'description']
    if isinstance(constraint, constraints.AllowedValues):
        return f'One of {", ".join(map(_literal, told))}.'
    if isinstance(constraint, constraints.AllowedPattern):
        return f'Matches {_literal(told)}.'
    if isinstance(constraint, constraints.Modulo):
        return f'A multiple of {told["step"]} plus {told["offset"]}.'
    if isinstance(constraint, constraints.CustomConstraint):
        return f'Checked by the constraint {_literal(told)}.'
    what = ('Length' if isinstance(constraint, constraints.Length)
            else 'Value')
    return f'{what}: ' + ', '.join(
        f'{bound} {value}' for bound, value in told.items()) + '.'


def _default(schema):
    if schema.default is None:
        return ''
    return f', default {_literal(json.dumps(schema.default))}'


def _property(name, schema):
    """Yield one property, and indented below it what is inside."""
    mark = ', required' if schema.required else ''
    yield f'{_literal(name)} : {_kind(schema)}{mark}{_default(schema)}'
    yield f'    {schema.description or "|nbsp|"}'
    yield ''
    yield from (f'    {line}'.rstrip() for line in _status(schema))
    for each in schema.constraints:
        yield f'    {_constraint(each)}'
        yield ''
    for line in _inside(schema):
        yield f'    {line}'.rstrip()


def _inside(schema):
    inner = schema.schema or {}
    if '*' in inner:
        inner = inner['*'].schema or {}
    for name, each in sorted(inner.items()):
        if _is_shown(each) and each.implemented and name != '*':
            yield from _property(name, each)


def _properties(cls):
    """Yield the properties in three parts: by what a change of them does."""
    parts = {'Properties that can be changed': [],
             'Properties whose change makes a replacement': [],
             'Properties that cannot be changed': []}
    in_place, replaced, never = parts.values()
    for name, schema in sorted(
            properties.schemata(cls.properties_schema).items()):
        if _is_shown(schema) and schema.implemented:
            (in_place if schema.update_allowed else
             never if schema.immutable else replaced).append((name, schema))
    for title, declared in parts.items():
        if declared:
            yield from (f'**{title}**', '')
            for name, schema in declared:
                yield from _property(name, schema)


def _attributes(cls):
    shown = {name: each for name, each in {
        **cls.base_attributes_schema, **cls.attributes_schema}.items()
        if _is_shown(each)}
    yield from ('**Attributes**', '')
    for name, each in sorted(shown.items()):
        kind = f' : {each.type.lower()}' if each.type else ''
        yield f'{_literal(name)}{kind}'
        yield f'    {each.description or "|nbsp|"}'
        yield ''
        yield from (f'    {line}'.rstrip() for line in _status(each))


def _example(name, cls):
    """Yield a snippet with what the type cannot do without."""
    yield from ('.. code-block:: yaml', '', '    resources:', '      it:',
                f'        type: {name}')
    needed = [key for key, schema in sorted(
        properties.schemata(cls.properties_schema).items())
        if schema.required and _is_shown(schema)]
    if needed:
        yield '        properties:'
        yield from (f'          {key}: …' for key in needed)
    yield ''


def of_type(name, cls):
    """Yield the lines of one type."""
    yield from (f'.. index:: {name.replace(":", "-")}', '')
    yield from _title(name, '-')
    yield from _status(cls)
    for paragraph in (cls.getdoc() or '').split('\n\n'):
        yield from (' '.join(paragraph.split()), '')
    yield from _example(name, cls)
    yield from _properties(cls)
    yield from _attributes(cls)


def reference(prefix):
    """Yield the lines of the types of a service."""
    yield from ('.. |nbsp| unicode:: 0xA0', '')
    for name, cls in types(prefix).items():
        yield from of_type(name, cls)


class ResourceReference(rst.Directive):
    """Stands for the types of a service."""

    required_arguments = 1

    def run(self):
        """Return the nodes of the reference."""
        lines = statemachine.StringList(
            list(reference(self.arguments[0])), 'resource-reference')
        node = nodes.section()
        node.document = self.state.document
        sphinx_nodes.nested_parse_with_titles(self.state, lines, node)
        return node.children


def setup(app):
    """Tell Sphinx about the directive."""
    app.add_directive('resource-reference', ResourceReference)
    return {'parallel_read_safe': True}
