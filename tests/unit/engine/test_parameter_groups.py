import pytest

from heat.common import exception
from heat.engine import parameter_groups
from heat.engine import template

PARAMETERS = {name: {'type': 'string'} for name in ('flavor', 'image')}


def make(groups, **version):
    return parameter_groups.ParameterGroups(template.Template({
        'heat_template_version': '2018-08-31', 'parameters': PARAMETERS,
        'parameter_groups': groups}))


@pytest.mark.parametrize('groups', [
    None,
    [],
    [{'parameters': []}],
    [{'label': 'L', 'description': 'D', 'parameters': ['flavor']},
     {'parameters': ['image'], 'anything': 'goes'}],
])
def test_good_groups(groups):
    make(groups).validate()


@pytest.mark.parametrize(('groups', 'path', 'message'), [
    ({'a': 1}, 'parameter_groups', 'list'),
    ('flavor', 'parameter_groups', 'list'),
    (['flavor'], 'parameter_groups[0]', 'map'),
    ([{}], 'parameter_groups[0]', 'list of parameters'),
    ([{'parameters': []}, {'parameters': 'flavor'}],
     'parameter_groups[1].parameters', 'list'),
    ([{'parameters': ['flavor', 'imgae']}],
     'parameter_groups[0].parameters[1]', 'Did you mean "image"'),
    ([{'parameters': ['flavor']}, {'parameters': ['flavor']}],
     'parameter_groups[1].parameters[0]', 'more than once'),
    ([{'parameters': [['flavor']]}], 'parameter_groups[0].parameters[0]',
     'name'),
])
def test_bad_groups(groups, path, message):
    with pytest.raises(exception.StackValidationFailed) as caught:
        make(groups).validate()
    text = str(caught.value)
    assert text.startswith('Parameter Groups error: %s: ' % path)
    assert message in text


def test_parameters_are_made_only_for_groups(monkeypatch):
    def make_none(*_args, **_options):
        raise AssertionError('parameters are made')

    tmpl = template.Template({
        'heat_template_version': '2018-08-31', 'parameters': PARAMETERS})
    monkeypatch.setattr(tmpl, 'parameters', make_none)
    parameter_groups.ParameterGroups(tmpl).validate()
    monkeypatch.undo()
    assert set(parameter_groups.ParameterGroups(tmpl).parameters) > set(
        PARAMETERS)


def test_templates_without_groups():
    groups = parameter_groups.ParameterGroups(template.Template({
        'HeatTemplateFormatVersion': '2012-12-12'}))
    groups.validate()
    assert groups.parameter_groups is None
