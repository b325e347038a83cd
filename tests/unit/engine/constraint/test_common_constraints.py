import datetime
import json
import pathlib

import pytest

from heat.common import timeutils
from heat.engine.constraint import common_constraints

FACTS = json.loads(
    (pathlib.Path(__file__).parents[3] / 'facts' / 'constraints.json')
    .read_text())

LABEL = 'a' * 63

CASES = {
    'IPConstraint': (
        ['1.1.1.1', '1.0.1.1', '255.255.255.255', '2001:db8::1', '::1'],
        ['1.1.1.', '1.1.1.1.', 'localhost', '', '1.1.1.256', '1::2::3',
         '1.1.1.1/24', None, 'x']),
    'MACConstraint': (
        ['01:23:45:67:89:ab', '01-23-45-67-89-ab', '0123.4567.89ab'],
        ['', '01:23', '01:23:45:67:89:gh', None, 5]),
    'DNSNameConstraint': (
        ['', 'example', 'example.org', 'example.org.', 'a-b.c1', LABEL,
         '.'.join(['a' * 50] * 5)],
        ['-a', 'a-', 'a..b', 'a_b', LABEL + 'a', 'a.-b', 'exa mple',
         '.'.join(['a' * 50] * 6), '*.org', 'org.1.']),
    'RelativeDNSNameConstraint': (
        ['', 'example', 'example.org', 'a' + '.a' * 125],
        ['example.', 'a' + '.a' * 126, '-a']),
    'DNSDomainConstraint': (
        ['', 'example.', 'example.org.'],
        ['example', 'example.org', '-a.']),
    'CIDRConstraint': (
        ['10.0.0.0/24', '10.0.0.1/24', '0.0.0.0/0', '::/0', 'fe80::1/64',
         '6000::/64', '8.8.8.8/32'],
        ['10.0.0.0', '10.0.0.0/255.255.255.0', '10.0/16', 'x/24', '/24',
         '10.0.0.0/', '10.0.0.0/33', '::/129', '', 'fe80::1', '10.0.0.0/-1',
         '10.0.0.0/24/1']),
    'IPCIDRConstraint': (
        ['10.0.0.1', '::1', '10.0.0.0/24', '::/64'],
        ['10.0.0', 'x', '', '10.0.0.0/33', '10.0.0.0/255.0.0.0']),
    'ISO8601Constraint': (
        ['2015-01-01T00:00:00Z', '2015-06-30T23:59:59+02:00', '2015-01-01',
         '2015-01-01T00:00'],
        ['', 'today', '2015-13-01T00:00:00Z', 'Jan 1 2015', None]),
    'CRONExpressionConstraint': (
        ['', '0 23 * * *', '*/5 1-3 * jan mon', '@daily', None],
        ['0 0 0', 'x', '60 * * * *', '* * * *', '0 25 * * *', 5]),
    'TimezoneConstraint': (
        ['', 'UTC', 'Asia/Taipei', 'Europe/Berlin', None],
        ['wrong_timezone', 'utc+5', '../UTC', 'Europe']),
    'ExpirationConstraint': (
        ['', None, '2030-01-01T00:00:01Z', '2030-01-01T02:00:01+02:00',
         '2031-01-01'],
        ['2030-01-01T00:00:00Z', '2029-12-31', '2030-01-01T01:00:00+02:00',
         'soon', 'Fri 13th, 2031']),
    'JsonStringConstraint': (
        ['', '{"a": 1}', '[]', '5', None],
        ['{a: 1}', '{"a": }', "{'a': 1}"]),
}


@pytest.fixture(autouse=True)
def new_year(monkeypatch):
    monkeypatch.setattr(timeutils, 'utcnow',
                        lambda: datetime.datetime(2030, 1, 1))


@pytest.mark.parametrize(('name', 'value'), [
    (name, value) for name, (good, _bad) in CASES.items()
    for value in good])
def test_accepts(name, value):
    constraint = getattr(common_constraints, name)()
    assert constraint.validate(value, None) is True


@pytest.mark.parametrize(('name', 'value'), [
    (name, value) for name, (_good, bad) in CASES.items() for value in bad])
def test_refuses(name, value):
    constraint = getattr(common_constraints, name)()
    assert constraint.validate(value, None) is False
    assert repr(value) in constraint.error(value)
    assert len(constraint.error(value)) > len(
        'Error validating value %r: ' % value)


def test_delay(monkeypatch):
    slept = []
    monkeypatch.setattr(timeutils, 'sleep', slept.append)

    class Context:
        project_id = 'p'
        clients = None

    constraint = common_constraints.TestConstraintDelay()
    assert constraint.validate(0.5, Context())
    assert slept == [0.5]


def test_every_recorded_local_constraint_is_here():
    recorded = {facts['class']
                for facts in FACTS['custom_constraints'].values()
                if facts['service'] is None}
    assert recorded == set(CASES) | {'TestConstraintDelay'}
