"""What keeps a stack from being stored."""
from oslo_config import cfg
import pytest

from heat.common import exception
from heat.engine.stacks import validation as stack_validation
from heat.objects import stack as stack_objects
from tests.fakes import stacks

CHAIN = stacks.CHAIN


@pytest.mark.parametrize('name', [
    '', '1st', 'with space', 'sl/ash', 'x' * 256, None])
def test_bad_stack_names(name):
    with pytest.raises(exception.StackValidationFailed):
        stack_validation.check_name(name)


@pytest.mark.parametrize('name', ['a', 'A_b.c-9', 'x' * 255])
def test_good_stack_names(name):
    assert stack_validation.check_name(name) is None


@pytest.mark.parametrize(('text', 'expected'), [
    ('resources: {a: {type: Test::Nothing}}', 'resources.a.type'),
    ('resources: {a: {type: Test::Thing, properties: {x: 1}}}',
     'resources.a'),
    ('resources: {a: {type: Test::Thing, properties: {polls: many}}}',
     'resources.a'),
    ('resources: {a: {type: Test::Thing, depends_on: b}}', 'b'),
    ('resources: {a: {type: Test::Thing, properties: '
     '{polls: {get_attr: [x, y]}}}}', 'resources.a.properties.polls'),
    ('parameters: {a: {type: string, default: x}}\n'
     'resources: {a: {type: Test::Thing}}', 'Duplicate'),
    ('resources: {a: {type: Test::Thing, depends_on: b}, '
     'b: {type: Test::Thing, depends_on: a}}', 'a'),
    ('resources: {a: {type: Test::Thing, update_policy: {x: y}}}',
     'resources.a'),
])
def test_errors_tell_where(engine, text, expected):
    with pytest.raises((exception.HeatException, ValueError)) as caught:
        engine.stack(text)
    assert expected in str(caught.value)
    assert stack_objects.Stack.get_all(engine.context) == []


def test_missing_parameter(engine):
    with pytest.raises(exception.UserParameterMissing):
        engine.stack('parameters: {p: {type: string}}\nresources: {}')


def test_number_of_resources(engine):
    cfg.CONF.set_override('max_resources_per_stack', 1)
    try:
        with pytest.raises(exception.RequestLimitExceeded):
            stack_validation.check_number_of_resources(
                engine.template(CHAIN))
    finally:
        cfg.CONF.clear_override('max_resources_per_stack')
