"""Validates templates without a cloud, and looks at what is said of them.

Resource types are the recorded ones: they have schemas, and do nothing.
"""
import contextlib
import re

from heat.common import context as heat_context
from heat.common import exception
from heat.engine import environment
from heat.engine import stack as stack_module
from heat.engine import template
from heat.engine.resources import template_resource
from heat.engine.rpc import definition as service_definition
from heat.engine.rpc import validate as service_validation
from tests.fakes import recorded_types


@contextlib.contextmanager
def recorded_world():
    """Have the recorded types be the ones that there are."""
    before = environment._global_environment
    below = recorded_types.global_environment()
    template_resource.register(below)
    environment.set_global_env(below)
    try:
        yield
    finally:
        environment.set_global_env(before)


def context():
    """Return the context of somebody without rights."""
    return heat_context.RequestContext(
        username='anna', user_id='anna-id', project_id='project',
        roles=['member'], is_admin=False, overwrite=False)


def faults_of(request):
    """Return (what is wrong, path of it) as the API would answer, or None.
    """
    definition = service_definition.of_request(
        context(), request.template, request.environment, request.files)
    try:
        answer = service_validation.describe(
            context(), definition, show_nested=False,
            ignorable_errors=set())
    except (exception.HeatException, ValueError) as error:
        return str(error), list(getattr(error, 'path', None) or [])
    if 'Error' in answer:
        return answer['Error'], list(answer['ErrorPath'])
    return None


def graph_of(request):
    """Return the names of the resources, each after those it requires."""
    tmpl = template.Template(
        request.template, files=request.files,
        env=environment.Environment(request.environment))
    stack = stack_module.Stack(context(), 'dummy', tmpl,
                               strict_validate=False)
    order = [resource.name for resource in stack.dependencies]
    for position, name in enumerate(order):
        required = stack.defn.resource_definition(
            name).required_resource_names()
        assert required <= set(order[:position]), name
    return order


def _strings_in(value):
    if isinstance(value, dict):
        for key, item in value.items():
            yield str(key)
            yield from _strings_in(item)
    elif isinstance(value, list):
        for item in value:
            yield from _strings_in(item)
    else:
        yield str(value)


def _names_circle(message, path, words):
    names = re.findall(r'[\w.-]+(?= -> )|(?<= -> )[\w.-]+', message)
    assert len(set(names)) >= 2, message
    assert names[0] == names[-1], message
    assert set(names) <= words, message


def _names_type(message, path, words):
    assert any('::' in word and word in message
               and word not in recorded_types.classes()
               for word in words), message


def _names_place(message, path, words):
    assert path, message
    assert str(path[-1]) in message, message
    assert str(path[-1]) in words, message


#: What the message says, by the reason a manifest gives.
_EXPECTED = {'CircularDependencyException': _names_circle,
             'UnknownResourceType': _names_type}


def check_fault(request, fault, why):
    """Check that a message names the fault a manifest speaks of."""
    assert fault is not None, f'accepted, in spite of {why}'
    message, path = fault
    _EXPECTED.get(why, _names_place)(message, path,
                                     set(_strings_in(request.template)))
