"""The measurements of tools/bench: that they measure, and what they say."""
import pytest

from tools.benchmarks import language
from tools.benchmarks import tables


def test_the_template_is_valid_and_has_five_properties_each():
    definition = language.validate(language.text_of(20))
    resources = definition.t.t['resources']
    assert len(resources) == 20
    assert {len(each['properties']) for each in resources.values()} == {5}


def test_properties_of_a_resource_are_resolved():
    values = language.resolve(language.created(10))
    assert values['value'] == 'x'
    assert values['client_name'] == 'small'
    assert values['wait_secs'] == 0


def test_a_circle_is_no_graph():
    definition = language.definition_of(
        'heat_template_version: 2018-08-31\n'
        'resources: {a: {type: T, depends_on: a}}')
    with pytest.raises(Exception, match='in a circle'):
        language.graph(definition)


@pytest.mark.parametrize(('seconds', 'verdict', 'code'), [
    (0.5, 'met', 0), (1.5, 'missed', 1)])
def test_verdict(monkeypatch, capsys, seconds, verdict, code):
    monkeypatch.setattr(
        language, 'measure',
        lambda rounds: [('parse', seconds, 'yaml', 1.0, 1.0)])
    assert language.main(['--repeat', '1']) == code
    line = capsys.readouterr().out.splitlines()[3]
    assert line.split() == ['parse', f'{seconds * 1000:.1f}', 'yaml',
                            '1000.0', f'{seconds:.2f}', '1.00', verdict]


def test_numbers_stand_to_the_right(capsys):
    tables.show(['a', 'b'], [['x', '10.5'], ['long', '1']])
    assert capsys.readouterr().out.splitlines() == [
        '====  ====', 'a        b', '====  ====', 'x     10.5',
        'long     1', '====  ====']
