import pytest

from heat.common import exception
from heat.engine import output
from tests.fakes import definitions


@pytest.fixture
def stack():
    return definitions.definition(definitions.hot(
        resources={'r': {'type': 'T'}},
        outputs={'o': {'value': {'get_attr': ['r', 'a']}}}))


def test_description():
    assert output.OutputDefinition('o', 1, 'd').description() == 'd'
    assert (output.OutputDefinition('o', 1).description()
            == 'No description given')


def test_references(stack):
    found = stack.output_definition('o')
    assert found.required_resource_names() == {'r'}
    assert list(found.all_dep_attrs()) == [('r', 'a')]
    assert list(found.dep_attrs('r')) == ['a']
    assert list(found.dep_attrs('s')) == []


def test_value_is_computed_until_there_is_one(stack):
    found = stack.output_definition('o')
    assert found.get_value() is None
    stack._resource_data['r'] = definitions.facts('r', {'a': 1})
    assert found.get_value() == 1


def test_rendering(stack):
    assert output.OutputDefinition('o', 1, 'd').render_hot() == {
        'description': 'd', 'value': 1}
    assert output.OutputDefinition('o', 1).render_hot() == {'value': 1}


def test_fault_is_located():
    stack = definitions.definition(definitions.hot(
        outputs={'o': {'value': [{'get_resource': 'nothing'}]}}))
    with pytest.raises(exception.StackValidationFailed,
                       match=r'outputs.o.value\[0\].get_resource: '):
        stack.output_definition('o').validate()
