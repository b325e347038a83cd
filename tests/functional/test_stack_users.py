"""Users that belong to a stack, policies for them, and types that are gone.
"""
import pytest

from heat.engine import stack as stack_module
from tests.fakes import stack as fake_stack
from tests.functional.templates import attr
from tests.functional.templates import hot
from tests.functional.templates import thing

USER = {'type': 'AWS::IAM::User', 'properties': {'Policies': ['policy']}}
POLICY = {'type': 'OS::Heat::AccessPolicy',
          'properties': {'AllowedResources': ['a']}}
KEY = {'type': 'AWS::IAM::AccessKey',
       'properties': {'UserName': {'get_resource': 'user'}}}


def template(**changed):
    return hot({'a': thing(), 'b': thing(), 'policy': POLICY, 'user': USER,
                'key': KEY, **changed}, outputs={
        'secret': {'value': attr('key', 'SecretAccessKey')},
        'name': {'value': attr('key', 'UserName')},
        'user': {'value': {'get_resource': 'user'}}})


def test_keys_of_a_user(driver, api):
    stack = api.created('u', template())
    seen = stack.outputs()
    assert len(seen['secret']) >= 32
    assert seen['name'] == seen['user']
    assert seen['name'].startswith('u-user-')
    # The policy decides what the keys, and the user, may ask for.
    context = fake_stack.context(project_id=api.project)
    loaded = stack_module.Stack.load(context, stack_id=stack.id)
    for credential in (stack.physical('key'), stack.physical('user')):
        assert loaded.access_allowed(credential, 'a')
        assert not loaded.access_allowed(credential, 'b')
    assert not loaded.access_allowed('somebody', 'a')
    stack.deleted()


def test_policy_of_what_is_not_there(api):
    answer = api.create('u', template(policy={
        **POLICY, 'properties': {'AllowedResources': ['x']}}), expect=400)
    assert answer.error == 'StackValidationFailed'
    assert 'resources.policy.properties.AllowedResources' in answer.message


def test_user_whose_policy_is_none(driver, api):
    tmpl = template(user={'type': 'AWS::IAM::User',
                          'properties': {'Policies': ['a']}})
    stack = api.create('u', tmpl)
    stack.wait('CREATE_FAILED')
    assert 'Policies' in stack.show()['stack_status_reason']


@pytest.mark.parametrize('kind', ['OS::Heat::HARestarter',
                                  'OS::Sahara::Cluster',
                                  'OS::Neutron::LBaaS::Pool'])
def test_removed_types_do_nothing(driver, api, kind):
    assert kind not in api.get('resource_types')['resource_types']
    stack = api.created('r', hot({
        'r': {'type': kind, 'properties': {'any': 'thing'}}}))
    stack.deleted()


@pytest.mark.parametrize('kind', ['SwiftSignalHandle', 'SwiftSignal'])
def test_signals_by_swift_need_swift(api, kind):
    props = {} if kind == 'SwiftSignalHandle' else {
        'handle': 'http://x/v1/AUTH_x/c/o', 'timeout': 1}
    answer = api.create('s', hot({'s': {'type': f'OS::Heat::{kind}',
                                        'properties': props}}), expect=400)
    assert answer.error == 'ResourceTypeUnavailable'
    assert 'swift' in answer.message
