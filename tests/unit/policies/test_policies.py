"""The default policy is that of the facts."""
import json
import pathlib

import pytest

from heat import policies
from tests import additions

FACTS = json.loads((pathlib.Path(__file__).parents[2] / 'facts' /
                    'policies.json').read_text())['rules']
RULES = {rule.name: rule for rule in policies.list_rules()}


def facts_of(rule):
    found = {
        'default': rule.check_str,
        'scope_types': rule.scope_types,
        'operations': [dict(each)
                       for each in getattr(rule, 'operations', ())],
    }
    if rule.deprecated_rule is not None:
        old = rule.deprecated_rule
        found['deprecated_rule'] = {
            'name': old.name, 'default': old.check_str,
            'since': old.deprecated_since}
    return found


def test_no_rule_is_missing_or_doubled():
    assert set(RULES) == {*FACTS, *additions.POLICIES,
                          *additions.CLOUDWATCH_POLICIES,
                          *additions.ROUTES.values()}
    assert len(policies.list_rules()) == len(RULES)


def test_rules_about_the_rest_api():
    names = policies.rest_rules()
    assert {'stacks:delete', 'actions:check', 'drift:detect',
            'service:index'} <= set(names) <= set(RULES)
    assert not {name for name in names if name.startswith((
        'cloudformation:', 'cloudwatch:', 'resource_types:'))}
    # The rules that others refer to are no answer.
    assert [name for name in names if ':' not in name] == []


@pytest.mark.parametrize('name', sorted(FACTS))
def test_rule_equals_the_facts(name):
    assert facts_of(RULES[name]) == FACTS[name]


@pytest.mark.parametrize('name', sorted(RULES))
def test_rule_is_explained(name):
    assert RULES[name].description
    if RULES[name].deprecated_rule is not None:
        assert RULES[name].deprecated_rule.deprecated_reason
