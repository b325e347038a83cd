"""What is said of policy files before a service uses them."""
import json
import pathlib

from oslo_config import cfg
from oslo_policy import opts
import pytest
import yaml

from heat.common import policy_check

FACTS = pathlib.Path(__file__).parents[2] / 'facts' / 'policies.json'


@pytest.fixture
def check(tmp_path):
    """Return a function that checks a file of rules."""
    path = tmp_path / 'policy.yaml'

    def make(rules, **options):
        path.write_text(yaml.safe_dump(rules))
        conf = cfg.ConfigOpts()
        opts._register(conf)
        conf([], default_config_files=[], default_config_dirs=[])
        conf.set_override('policy_file', str(path), 'oslo_policy')
        for name, value in options.items():
            conf.set_override(name, value, 'oslo_policy')
        return [[text.replace(f'{path}, ', '') for text in texts]
                for texts in policy_check.check(conf)]
    return make


def test_unknown_rules_are_named(check):
    errors, warnings = check({'stacks:indx': 'role:x', 'nothing': '!',
                              'stacks:index': 'role:y'})
    assert errors == []
    assert sorted(warnings) == [
        'line 1: the rule "nothing" is unknown and ignored',
        'line 3: the rule "stacks:indx" is unknown and ignored; is it '
        '"stacks:index"?']


def test_every_rule_of_heat_is_known(check):
    rules = json.loads(FACTS.read_text())['rules']
    names = list(rules)
    assert len(names) >= 100
    assert check(dict.fromkeys(names, 'role:x')) == [[], []]


@pytest.mark.parametrize('rule', [
    'role:x or rule:mine', '(role:x and not rule:mine)',
    ['rule:mine'], [['role:x', 'rule:mine'], ['role:y']]])
def test_parts_of_rules_are_known(check, rule):
    assert check({'stacks:index': rule, 'mine': 'role:y'}) == [[], []]


def test_the_default_rule_is_known(check):
    assert check({'default': '!'}) == [[], []]
    assert check({'other': '!'}, policy_default_rule='other') == [[], []]


def test_rules_of_types_are_known(check):
    assert check({'resource_types:Mine::Own::Type': 'role:x',
                  'resource_types:OS::Nova::*': 'role:x'}) == [[], []]


@pytest.mark.parametrize('rule', ['rule:none', [['role:x', 'rule:none']]])
def test_missing_parts_are_named(check, rule):
    assert check({'stacks:index': rule}) == [[], [
        'line 1: the rule "stacks:index" refers to "none", which is not '
        'defined; it is refused to everybody']]


@pytest.mark.parametrize('rule', ['rule:stacks:index',
                                  [['role:x', 'rule:stacks:index']]])
def test_circles_are_refused(check, rule):
    assert check({'stacks:index': rule}) == [[
        'line 1: the rule "stacks:index" refers to itself'], []]
