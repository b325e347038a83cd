"""A new stack begins without resources, to take over what exists."""
import pytest

from heat.common import exception
from heat.engine import stack as stack_module
from heat.engine.plans import new_stack
from heat.engine.plans import requested
from heat.objects import resource as resource_objects
from tests.fakes import stacks

TEXT = """
parameters: {word: {type: string, default: x}}
resources:
  b: {type: Test::Thing, properties: {value: {get_param: word}}}
outputs:
  made: {value: {get_resource: b}}
"""


@pytest.fixture(params=[False, True])
def engine(request, monkeypatch):
    return stacks.Engine(monkeypatch, convergence=request.param)


def goal(engine, **options):
    return stack_module.Stack(
        engine.context, 'new', engine.template(
            TEXT, {'word': 'y'}, resource_registry={
                'resources': {'b': {'import': 'lasting'}}}),
        convergence=engine.convergence, tags=['one'], **options)


def test_imports_are_those_of_request_and_environment(engine):
    assert new_stack.imports_of(goal(engine), []) == [
        requested.Import(('b',), 'lasting', lasting=True)]
    asked = requested.Import(('b',), 'mine')
    assert new_stack.imports_of(goal(engine), [asked]) == [asked]


def test_adopted_stacks_import_nothing(engine):
    with pytest.raises(exception.NotSupported, match='adopted'):
        new_stack.imports_of(goal(engine, adopt_stack_data={'resources': {}}),
                             [])


def test_beginning_has_the_parameters_and_no_resources(engine):
    stack = new_stack.beginning_of(goal(engine))
    assert list(stack) == []
    assert stack.outputs == {}
    assert stack.parameters['word'] == 'y'
    assert (stack.name, stack.tags) == ('new', ['one'])
    assert stack.convergence == engine.convergence


def test_planned_beginning_is_not_stored(engine):
    stack = new_stack.planned_beginning_of(goal(engine))
    assert stack.id is not None
    assert stack.db_row('b') is None
    with pytest.raises(exception.EntityNotFound):
        engine.reload(stack)


def test_stack_that_did_not_begin_is_found(engine):
    assert new_stack.interrupted(engine.context, None) is None
    assert new_stack.interrupted(engine.context, 'nothing') is None
    stack = new_stack.beginning_of(goal(engine))
    stack.store()
    assert stack.state == ('CREATE', 'IN_PROGRESS')
    assert new_stack.interrupted(engine.context, stack.id).id == stack.id


def test_stack_that_began_is_left_alone(engine):
    stack = engine.create(TEXT)
    assert resource_objects.Resource.get_summaries(engine.context, stack.id)
    assert new_stack.interrupted(engine.context, stack.id) is None
    engine.delete(stack)
    assert new_stack.interrupted(engine.context, stack.id) is None


def test_stack_that_engines_created_without_resources_is_found(engine):
    stack = new_stack.beginning_of(goal(engine))
    stack.store()
    stack.create()
    engine.pool.run()
    stack = engine.reload(stack)
    assert stack.state == ('CREATE', 'COMPLETE')
    assert new_stack.interrupted(engine.context, stack.id).id == stack.id
