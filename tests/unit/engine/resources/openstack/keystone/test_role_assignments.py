"""Roles that are given by updates that fail, and by those that follow."""
import types

from openstack import exceptions
import pytest

from heat.engine.clients.os import keystone
from heat.engine.comparison import live
from heat.engine.lifecycle import decision
from heat.engine.resources.openstack.keystone import role_assignments
from heat.engine.resources.openstack.keystone import user
from tests.fakes.services import keystone as identity_service

_TEXT = """
resources:
  given:
    type: OS::Keystone::UserRoleAssignment
    properties:
      user: %s
      roles: [%s]
"""
_REFUSED = 'refused'
_FOREIGN = {('project', 'demo-id', 'anna-id', 'foreign-id')}


class _Identity(identity_service.Identity):
    """Refuses to give a role while `is_refusing`."""

    is_refusing = True

    def __getattr__(self, name):
        change = super().__getattr__(name)
        if name != 'assign_project_role_to_user':
            return change

        def give(where, who, role_id):
            if self.is_refusing and role_id == _REFUSED + '-id':
                raise exceptions.BadRequestException('refused')
            change(where, who, role_id)
        return give


@pytest.fixture
def identity():
    made = _Identity()
    for entity, name in (
            ('domain', 'default'), ('project', 'demo'), ('user', 'anna'),
            ('user', 'ben'), ('role', 'a'), ('role', 'b'), ('role', 'c'),
            ('role', 'foreign'), ('role', _REFUSED)):
        made.things[entity, name + '-id'] = {
            'id': name + '-id', 'name': name, '_next': []}
    made.given |= _FOREIGN
    return made


@pytest.fixture
def engine(cloud_engine, identity):
    cloud_engine.use(types.SimpleNamespace(client=identity),
                     keystone.KeystoneClientPlugin, role_assignments, user)
    return cloud_engine


def _text(roles, who='anna'):
    return _TEXT % (who, ', '.join(
        '{role: %s, project: demo}' % role for role in roles.split()))


def _roles(identity, who='anna'):
    """Return the roles of somebody, but for one that others gave."""
    return {role.removesuffix('-id') for *_where, whose, role in
            identity.given if whose == who + '-id'} - {'foreign'}


@pytest.fixture
def failed(engine, identity):
    """Return a stack whose update gave role b, but not the next one."""
    stack = engine.create(_text('a c'))
    stack = engine.update(stack, _text('b c ' + _REFUSED))
    assert stack.state == ('UPDATE', 'FAILED')
    assert _roles(identity) >= {'b', 'c'}
    identity.is_refusing = False
    return stack


@pytest.mark.parametrize('roles', ['a c', 'a', 'c', 'b', 'b refused', ''])
def test_update_after_failure_gives_and_takes(engine, identity, failed,
                                              roles):
    stack = engine.update(failed, _text(roles))
    assert stack.state == ('UPDATE', 'COMPLETE')
    assert _roles(identity) == set(roles.split())
    engine.delete(stack)
    assert identity.given == _FOREIGN


def test_roles_go_to_another_holder_after_failure(engine, identity, failed):
    stack = engine.update(failed, _text('c', who='ben'))
    assert _roles(identity) == set()
    assert _roles(identity, 'ben') == {'c'}
    engine.delete(stack)
    assert identity.given == _FOREIGN


def test_roles_come_back_from_another_holder(engine, identity):
    stack = engine.create(_text('a'))
    stack = engine.update(stack, _text('b ' + _REFUSED, who='ben'))
    assert stack.state == ('UPDATE', 'FAILED')
    assert _roles(identity, 'ben') == {'b'}
    engine.update(stack, _text('a'))
    assert _roles(identity) == {'a'}
    assert _roles(identity, 'ben') == set()


def test_delete_after_failure_takes_all_roles(engine, identity, failed):
    assert engine.delete(failed).state == ('DELETE', 'COMPLETE')
    assert identity.given == _FOREIGN


def test_failed_update_is_rolled_back(engine, identity):
    stack = engine.create(_text('a c'), disable_rollback=False)
    stack = engine.update(stack, _text('b c ' + _REFUSED))
    assert stack.state == ('ROLLBACK', 'COMPLETE')
    assert _roles(identity) == {'a', 'c'}


def test_roles_that_were_taken_are_given_again(engine, identity):
    stack = engine.create(_text('a c'))
    identity.given = set(_FOREIGN)
    stack.check()
    engine.pool.run()
    stack = engine.update(engine.reload(stack), _text('a c'))
    assert stack.state == ('UPDATE', 'COMPLETE')
    assert stack['given'].state == ('UPDATE', 'COMPLETE')
    assert _roles(identity) == {'a', 'c'}


@pytest.mark.parametrize('who', ['anna', 'ben'])
def test_update_after_failed_create(engine, identity, who):
    stack = engine.create(_text('a ' + _REFUSED))
    assert stack.state == ('CREATE', 'FAILED')
    stack = engine.update(stack, _text('a c', who=who))
    assert stack.state == ('UPDATE', 'COMPLETE')
    assert _roles(identity, who) == {'a', 'c'}
    engine.delete(stack)
    assert identity.given == _FOREIGN


def test_update_gives_only_what_is_new(engine, identity):
    stack = engine.create(_text('a c'))
    before = set(identity.given)
    identity.given.remove(('project', 'demo-id', 'anna-id', 'a-id'))
    engine.update(stack, _text('a b c'))
    # Nobody asked whether role a is still given.
    assert identity.given - before == {
        ('project', 'demo-id', 'anna-id', 'b-id')}
    assert _roles(identity) == {'b', 'c'}


def test_roles_that_somebody_has_taken_are_given_again(engine, identity):
    """An update that is to change the roles to what they were, does."""
    stack = engine.create(_text('a c'))
    given = stack['given']
    identity.given.remove(('project', 'demo-id', 'anna-id', 'a-id'))
    found = decision.gather(given, given.t, drift_seen=live.LiveState())
    assert found.drift.actual == {'roles': given.properties['roles'][1:]}
    with given.frozen_properties():
        given.handle_update(given.t, None, found.prop_diff)
    assert _roles(identity) == {'a', 'c'}


def test_user_has_its_roles_after_failure(engine, identity):
    text = """
resources:
  user:
    type: OS::Keystone::User
    properties: {roles: [%s]}
"""
    roles = [_text(each).partition('roles: [')[2].rpartition(']')[0]
             for each in ('a c', 'b c ' + _REFUSED, 'a c')]
    stack = engine.create(text % roles[0])
    stack = engine.update(stack, text % roles[1])
    assert stack.state == ('UPDATE', 'FAILED')
    stack = engine.update(stack, text % roles[2])
    assert stack.state == ('UPDATE', 'COMPLETE')
    assert {role for *_where, who, role in identity.given
            if who == stack['user'].resource_id} == {'a-id', 'c-id'}
