"""Types of the identity service."""
import types

from openstack import exceptions
import pytest

from heat.engine.clients.os import keystone
from heat.engine.clients.os import neutron
from heat.engine.resources.openstack.keystone import domain
from heat.engine.resources.openstack.keystone import endpoint
from heat.engine.resources.openstack.keystone import group
from heat.engine.resources.openstack.keystone import project
from heat.engine.resources.openstack.keystone import region
from heat.engine.resources.openstack.keystone import role
from heat.engine.resources.openstack.keystone import role_assignments
from heat.engine.resources.openstack.keystone import service
from heat.engine.resources.openstack.keystone import user
from heat.objects import resource as resource_objects
from tests.fakes import cloud
from tests.fakes.services import keystone as identity_service

USER = """
resources:
  user: {type: OS::Keystone::User, properties: {%s}}
"""


@pytest.fixture
def identity():
    made = identity_service.Identity()
    for entity, name in (('domain', 'default'), ('project', 'demo'),
                         ('role', 'member'), ('role', 'reader'),
                         ('group', 'staff'), ('group', 'guests')):
        made.things[entity, name + '-id'] = {
            'id': name + '-id', 'name': name, '_next': []}
    return made


@pytest.fixture
def engine(cloud_engine, identity):
    cloud_engine.use(
        types.SimpleNamespace(client=identity),
        keystone.KeystoneClientPlugin, domain, endpoint, group, project,
        region, role, role_assignments, service, user)
    cloud_engine.network = cloud.FakeService()
    cloud_engine.use(cloud_engine.network, neutron.NeutronClientPlugin)
    return cloud_engine


def test_user_joins_groups_and_is_given_roles(engine, identity):
    stack = engine.create(USER % (
        'name: anna, password: secret, default_project: demo, '
        'groups: [staff], roles: [{role: member, project: demo}, '
        '{role: reader, domain: default}]'))
    assert stack.state == ('CREATE', 'COMPLETE')
    its_id = stack['user'].resource_id
    assert identity.body('create') == {
        'name': 'anna', 'password': 'secret', 'description': '',
        'domain_id': 'default', 'default_project_id': 'demo-id',
        'enabled': True}
    assert identity.members == {(its_id, 'staff-id')}
    assert identity.given == {
        ('project', 'demo-id', its_id, 'member-id'),
        ('domain', 'default-id', its_id, 'reader-id')}
    engine.delete(stack)
    assert ('user', its_id) not in identity.things


def test_update_changes_only_what_differs(engine, identity):
    stack = engine.create(USER % (
        'groups: [staff], roles: [{role: member, project: demo}]'))
    its_id = stack['user'].resource_id
    identity.log.clear()
    stack = engine.update(stack, USER % (
        'groups: [guests], roles: [{role: reader, project: demo}]'))
    assert stack['user'].resource_id == its_id
    assert identity.requests('update', 'create') == []
    assert identity.members == {(its_id, 'guests-id')}
    assert identity.given == {('project', 'demo-id', its_id, 'reader-id')}


def test_each_name_is_asked_for_once(engine, identity):
    engine.create(USER % (
        'roles: [{role: member, project: demo}, '
        '{role: reader, project: demo}]'))
    asked = [given for verb, _entity, given in identity.log
             if verb == 'find']
    assert len(asked) == len(set(asked))


def test_a_name_that_is_taken_is_the_reason_of_the_failure(engine, identity):
    identity.trouble['create_user'] = [
        exceptions.ConflictException('it is taken')]
    stack = engine.create(USER % 'name: anna')
    assert stack.state == ('CREATE', 'FAILED')
    assert 'it is taken' in stack.status_reason


@pytest.mark.parametrize(('roles', 'problem'), [
    ('[{role: member}]', 'requires a project or a domain'),
    ('[{role: member, project: demo, domain: default}]',
     'project|domain')])
def test_role_counts_in_one_place(engine, identity, roles, problem):
    with pytest.raises(Exception, match=problem):
        engine.create(USER % ('roles: ' + roles))
    assert not identity.requests('create')


ASSIGNMENT = """
resources:
  given:
    type: OS::Keystone::UserRoleAssignment
    properties: {user: %s, roles: [{role: %s, project: demo}]}
"""


@pytest.fixture
def people(identity):
    return [identity.create_user(name=name).id for name in ('anna', 'ben')]


def test_assignment_is_given_changed_and_taken(engine, identity, people):
    anna, ben = people
    stack = engine.create(ASSIGNMENT % ('anna', 'member'))
    assert identity.given == {('project', 'demo-id', anna, 'member-id')}
    stack = engine.update(stack, ASSIGNMENT % ('anna', 'reader'))
    assert identity.given == {('project', 'demo-id', anna, 'reader-id')}
    stack = engine.update(stack, ASSIGNMENT % ('ben', 'member'))
    assert identity.given == {('project', 'demo-id', ben, 'member-id')}
    engine.delete(stack)
    assert not identity.given


def test_assignment_of_heat_may_have_no_id(engine, identity, people):
    anna, _ben = people
    stack = engine.create(ASSIGNMENT % ('anna', 'member'))

    def forget(stack):
        resource_objects.Resource.update_by_id(
            stack.context, stack['given'].id, {'physical_resource_id': None})
        return engine.reload(stack)

    stack = engine.update(forget(stack), ASSIGNMENT % ('anna', 'reader'))
    assert identity.given == {('project', 'demo-id', anna, 'reader-id')}
    stack = forget(stack)
    stack.check()
    engine.pool.run()
    stack = engine.reload(stack)
    assert stack.state == ('CHECK', 'COMPLETE')
    engine.delete(forget(stack))
    assert not identity.given


def test_who_may_give_no_roles_has_none_to_take(engine, identity, people,
                                                monkeypatch):
    def refuse(*_args, **_kwargs):
        raise cloud.refusal(403, {'error': {'message': 'Forbidden'}})

    monkeypatch.setattr(identity_service.Identity,
                        'assign_project_role_to_user', refuse, raising=False)
    monkeypatch.setattr(identity_service.Identity, 'role_assignments', refuse)
    stack = engine.create(ASSIGNMENT % ('anna', 'member'))
    assert stack.state == ('CREATE', 'FAILED')
    assert engine.delete(stack).state == ('DELETE', 'COMPLETE')


def test_check_finds_roles_that_were_taken(engine, identity, people):
    stack = engine.create(ASSIGNMENT % ('anna', 'member'))
    stack.check()
    engine.pool.run()
    assert engine.reload(stack).state == ('CHECK', 'COMPLETE')
    identity.given.clear()
    stack = engine.reload(stack)
    stack.check()
    engine.pool.run()
    assert engine.reload(stack).state == ('CHECK', 'FAILED')


def test_domain_is_switched_off_before_it_is_deleted(engine, identity):
    stack = engine.create("""
resources:
  domain: {type: OS::Keystone::Domain}
""")
    identity.log.clear()
    engine.delete(stack)
    assert identity.requests() == ['update domain', 'delete domain']
    assert identity.body('update') == {'enabled': False}


def test_default_security_group_goes_with_the_project(engine, identity):
    stack = engine.create("""
resources:
  project: {type: OS::Keystone::Project, properties: {tags: [a]}}
""")
    network = engine.network
    group_id = network.create_security_group(name='default').id
    network.security_groups = lambda **asked: [
        cloud.Thing({'id': group_id})] if asked == {
            'project_id': stack['project'].resource_id,
            'name': 'default'} else []
    assert engine.delete(stack).state == ('DELETE', 'COMPLETE')
    assert not network.things


def test_catalogue(engine, identity):
    stack = engine.create("""
resources:
  region: {type: OS::Keystone::Region, properties: {id: north}}
  service: {type: OS::Keystone::Service, properties: {type: test}}
  endpoint:
    type: OS::Keystone::Endpoint
    properties:
      region: {get_resource: region}
      service: {get_resource: service}
      interface: public
      url: http://test.example
""")
    assert stack.state == ('CREATE', 'COMPLETE')
    body = identity.body('create')
    assert body['service_id'] == stack['service'].resource_id
    assert body['region_id'] == stack['region'].resource_id
    engine.delete(stack)
    assert not [entity for entity, _id in identity.things
                if entity in ('region', 'service', 'endpoint')]


def test_region_is_switched_off_and_on(engine, identity):
    text = """
resources:
  it: {type: OS::Keystone::Region, properties: {id: north, enabled: %s}}
"""
    stack = engine.create(text % 'false')
    path = '/regions/' + stack['it'].resource_id
    off, on = ((path, {'region': {'enabled': value}})
               for value in (False, True))
    assert identity.patches == [off]
    engine.update(stack, text % 'true')
    assert identity.patches == [off, on]
