"""What a template names is looked for in the services, and missed readably.
"""
import json
import pathlib

import pytest

from tests.acceptance import templates

_FACTS = (pathlib.Path(__file__).resolve().parents[1] / 'facts' /
          'constraints.json')
_SERVICES = ('barbican', 'cinder', 'designate', 'glance', 'keystone',
             'neutron', 'nova', 'octavia', 'zaqar')
#: Load balancing in Neutron, and the networks of Nova, are no more; for
#: Zaqar, any name is one of a queue that is made when it is used.
_ELSEWHERE = ('neutron.lbaas.', 'nova.network', 'zaqar.queue')
NAMES = sorted(
    name for name in json.loads(_FACTS.read_text())['custom_constraints']
    if name.split('.')[0] in _SERVICES and not name.startswith(_ELSEWHERE))
#: What each cloud has, or each project.
PRESENT = {
    'cinder.vtype': '__DEFAULT__', 'glance.image': templates.IMAGE,
    'keystone.domain': 'Default', 'keystone.role': 'member',
    'keystone.service': 'keystone', 'neutron.network': 'public',
    'nova.flavor': 'm1.nano'}


def asked(stacks, constraint, value):
    """Return the answer to a stack with a parameter of a constraint."""
    return stacks.ask('POST', '/stacks', {
        'stack_name': 'nothing', 'parameters': {'it': value}, 'template': {
            'heat_template_version': 'wallaby', 'parameters': {'it': {
                'type': 'string', 'constraints': [
                    {'custom_constraint': constraint}]}}}})


@pytest.mark.parametrize('constraint', NAMES)
def test_what_is_not_there(admin_stacks, constraint):
    answer = asked(admin_stacks, constraint,
                   '8d4ac0d4-0000-4000-8000-000000000000')
    assert answer.status_code == 400, answer.text
    message = answer.json()['error']['message']
    assert 'it' in message
    assert '8d4ac0d4-0000-4000-8000-000000000000' in message
    assert 'http://' not in message


@pytest.mark.parametrize('constraint', sorted(PRESENT))
def test_what_is_there(admin_stacks, constraint):
    answer = asked(admin_stacks, constraint, PRESENT[constraint])
    assert answer.status_code == 201, answer.text
    path = '/stacks/nothing/' + answer.json()['stack']['id']
    admin_stacks.wait(path, 'CREATE_COMPLETE')
    admin_stacks.delete(path)
