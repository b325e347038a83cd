"""Every function in every version: there or not, its shapes, its errors."""
import pytest

from heat.common import exception
from heat.engine import function
from tests.unit.conformance import cases_collections
from tests.unit.conformance import cases_logic
from tests.unit.conformance import cases_references
from tests.unit.conformance import cases_strings
from tests.unit.conformance import harness
from tests.unit.conformance import language

CASES = (cases_references.CASES + cases_logic.CASES + cases_strings.CASES
         + cases_collections.CASES)

TRIALS = [
    pytest.param(case, version, context,
                 id=f'{case.function}-{number}-{case.covers}-'
                    f'{language.VERSIONS[version]["version"]}-{context}')
    for number, case in enumerate(CASES)
    for version in case.versions()
    for context in harness.contexts(case, version)]


@pytest.mark.parametrize(('case', 'version', 'context'), TRIALS)
def test_case(case, version, context):
    harness.check(case, version, context)


# -- Nothing of the facts is left without a test

@pytest.mark.parametrize('name', sorted(language.FUNCTIONS))
def test_every_fact_of_a_function_is_covered(name):
    tried = {trial.values[0].covers for trial in TRIALS
             if trial.values[0].function == name}
    assert set(harness.facts_of(name)) == tried


def test_every_case_is_tried():
    tried = [trial.values[0] for trial in TRIALS]
    assert [case for case in CASES
            if not any(case is each for each in tried)] == []


@pytest.mark.parametrize('name', sorted(language.FUNCTIONS))
def test_every_function_is_tried_in_all_its_versions(name):
    known = language.FUNCTIONS[name]
    for key, context in (('versions', 'snippet'),
                         ('condition_versions', 'condition')):
        for wanted in ('value', 'error'):
            tried = {trial.values[1] for trial in TRIALS
                     if trial.values[0].function == name
                     and trial.values[2] == context
                     and (trial.values[0].error is None) == (
                         wanted == 'value')}
            without_errors = wanted == 'error' and not known['errors']
            assert without_errors or tried == set(known.get(key, ()))


# -- There or not

def good_call(name, version, context):
    """Return arguments that a function takes somewhere."""
    return next((harness.written(case.args, version) for case in CASES
                 if case.function == name and case.error is None
                 and case.context in ('', context)), None)


@pytest.mark.parametrize('name', sorted(language.FUNCTIONS))
@pytest.mark.parametrize(('spelling', 'version'), language.SPELLINGS)
def test_snippet(spelling, version, name):
    known = language.VERSIONS[version]
    stack = language.world(spelling, version)
    snippet = {name: good_call(name, version, 'snippet')}
    parsed = None
    if name in known['functions']:
        parsed = stack.t.parse(stack, snippet)
        assert isinstance(parsed, function.Function)
        return
    if name not in known['removed_functions']:
        # What is no function is data, also with the name of a condition.
        parsed = stack.t.parse(stack, snippet)
        assert type(parsed) is dict
        assert list(parsed) == [name]
        return
    parsed = stack.t.parse(stack, snippet)
    with pytest.raises(exception.StackValidationFailed, match=name):
        function.validate(parsed)
    with pytest.raises(exception.InvalidTemplateVersion, match=name):
        function.resolve(parsed)


@pytest.mark.parametrize('name', sorted(language.FUNCTIONS))
@pytest.mark.parametrize(('spelling', 'version'), language.SPELLINGS)
def test_condition(spelling, version, name):
    known = language.VERSIONS[version]
    stack = language.world(spelling, version)
    snippet = {name: good_call(name, version, 'condition')}
    if name in known['condition_functions']:
        parsed = stack.t.parse_condition(stack, snippet)
        assert isinstance(parsed, function.Function)
    elif name in (*known['functions'], *known['removed_functions']):
        with pytest.raises(exception.StackValidationFailed, match=name):
            stack.t.parse_condition(stack, snippet)
    else:
        assert type(stack.t.parse_condition(stack, snippet)) is dict


@pytest.mark.parametrize('version', sorted(language.VERSIONS))
def test_variants(version):
    facts = language.VERSIONS[version]['function_impl']
    functions = language.world(version).t.functions
    assert {name: functions[name].__name__ for name in facts} == facts
