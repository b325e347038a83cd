"""Stack definitions to try the template language with."""
from heat.common import identifier
from heat.engine import environment
from heat.engine import function
from heat.engine import node_data
from heat.engine import stk_defn
from heat.engine import template

LATEST = '2021-04-16'


def hot(version=LATEST, **sections):
    """Return raw data of a HOT template."""
    return {'heat_template_version': version, **sections}


def cfn(**sections):
    """Return raw data of a cfn template."""
    return {'AWSTemplateFormatVersion': '2010-09-09', **sections}


def facts(name, attributes=None, action='CREATE', status='COMPLETE',
          reference_id=None):
    """Return what is known of a resource that has been created."""
    return node_data.NodeData(1, name, 'uuid-' + name,
                              reference_id or 'ref-' + name,
                              attributes or {}, action, status)


class ParentResource:
    """The resource that a provider template stands for."""

    name = 'parent'

    def __init__(self, definition):
        self.t = definition

    def metadata_get(self):
        """Return the metadata of the resource."""
        return self.t.metadata()


def definition(data, params=None, known=(), files=None, parent=None):
    """Return the StackDefinition of a template.

    known are the NodeData of the resources that exist.
    """
    tmpl = template.Template(
        data, files=files, env=environment.Environment(
            {'parameters': params or {}}))
    return stk_defn.StackDefinition(
        None, tmpl, identifier.HeatIdentifier('tenant', 'stack', 'id'),
        {each.name: each for each in known}, parent)


def resolved(name, args):
    """Return the value of a function in a template."""
    stack = definition(hot())
    call = stack.t.parse(stack, {name: args})
    function.validate(call)
    return function.resolve(call)
