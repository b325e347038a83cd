"""Types of the compute service other than servers."""
import types

import pytest
import sqlalchemy as sa

from heat.db import session
from heat.engine.clients.os import keystone
from heat.engine.clients.os import nova
from heat.engine.resources.openstack.nova import flavor
from heat.engine.resources.openstack.nova import host_aggregate
from heat.engine.resources.openstack.nova import keypair
from heat.engine.resources.openstack.nova import quota
from heat.engine.resources.openstack.nova import server_group
from tests.fakes import cloud

SECRET = 'the private key of nobody'


class Compute(cloud.FakeService):
    """A compute service with flavors, key pairs and aggregates."""

    def __init__(self):
        super().__init__()
        self.access = set()
        self.quotas = []

    def create_keypair(self, name, **values):
        if ('keypair', name) in self.things:
            raise RuntimeError('%s exists' % name)
        values.setdefault('public_key', 'ssh-rsa made')
        made = self._create('keypair', id=name, name=name, fingerprint=(
            'of ' + values['public_key']), **values)
        if values['public_key'] != 'ssh-rsa made':
            return made
        return cloud.Thing({**made.to_dict(), 'private_key': SECRET})

    def get_keypair(self, name, user_id=None):
        return self._get('keypair', name)

    def delete_keypair(self, name, ignore_missing, user_id=None):
        return self._delete('keypair', name)

    def create_flavor_extra_specs(self, flavor_id, specs):
        self.things['flavor', flavor_id].setdefault(
            'extra_specs', {}).update(specs)

    def delete_flavor_extra_specs_property(self, flavor_id, key):
        del self.things['flavor', flavor_id]['extra_specs'][key]

    def fetch_flavor_extra_specs(self, flavor_id):
        return self._shown('flavor', flavor_id)

    def get_flavor_access(self, flavor_id):
        return [{'tenant_id': project} for flavor_id, project in self.access]

    def flavor_add_tenant_access(self, flavor_id, project):
        self.access.add((flavor_id, project))

    def flavor_remove_tenant_access(self, flavor_id, project):
        self.access.remove((flavor_id, project))

    def set_aggregate_metadata(self, its_id, metadata):
        kept = self.things['aggregate', its_id].setdefault('metadata', {})
        for key, value in metadata.items():
            kept.pop(key, None)
            if value is not None:
                kept[key] = value

    def add_host_to_aggregate(self, its_id, host):
        self.things['aggregate', its_id].setdefault('hosts', []).append(host)

    def remove_host_from_aggregate(self, its_id, host):
        self.things['aggregate', its_id]['hosts'].remove(host)

    def update_quota_set(self, project_id, **quotas):
        self.quotas.append((project_id, quotas))

    def revert_quota_set(self, project_id):
        self.quotas.append((project_id, None))


@pytest.fixture
def compute():
    return Compute()


@pytest.fixture
def engine(cloud_engine, compute, monkeypatch):
    cloud_engine.use(compute, nova.NovaClientPlugin, flavor, host_aggregate,
                     keypair, quota, server_group)
    identity = cloud.FakeService()
    for name in ('demo', 'other'):
        identity.create_project(id=name + '-id', name=name)
    cloud_engine.use(types.SimpleNamespace(client=identity),
                     keystone.KeystoneClientPlugin)
    monkeypatch.setattr(nova.NovaClientPlugin, 'is_version_supported',
                        lambda self, version: version == '2.15')
    return cloud_engine


KEY = """
resources:
  key: {type: OS::Nova::KeyPair, properties: {name: mine, %s}}
outputs:
  public: {value: {get_attr: [key, public_key]}}
  private: {value: {get_attr: [key, private_key]}}
"""


def test_private_key_is_kept_encrypted(engine, compute, caplog):
    stack = engine.create(KEY % 'save_private_key: true')
    assert stack.state == ('CREATE', 'COMPLETE')
    assert engine.values(stack) == {'public': 'ssh-rsa made',
                                    'private': SECRET}
    with session.get_engine().connect() as kept:
        [(value, redact)] = kept.execute(sa.text(
            'select value, redact from resource_data'))
    assert redact
    assert SECRET not in value
    assert SECRET not in caplog.text
    engine.delete(stack)
    assert not compute.things


def test_private_key_is_not_kept_unasked(engine, compute):
    stack = engine.create(KEY % '')
    assert engine.values(stack)['private'] == ''
    assert stack['key'].data() == {}


def test_key_pair_makes_room_for_another_of_its_name(engine, compute):
    stack = engine.create(KEY % 'public_key: one')
    stack = engine.update(stack, KEY % 'public_key: two')
    assert stack.state == ('UPDATE', 'COMPLETE')
    assert compute.things['keypair', 'mine']['public_key'] == 'two'
    engine.delete(stack)
    assert not compute.things


def with_follower(template, name):
    """Return a template in which another key pair waits for the first."""
    return template.replace('outputs:', """\
  late: {type: OS::Nova::KeyPair, depends_on: key, properties: {name: %s}}
outputs:""" % name)


# What has a follower is there until that one is gone.
@pytest.mark.parametrize('made', ['not', 'alone', 'beside'])
@pytest.mark.parametrize(('before', 'after'), [
    ('public_key: one', 'public_key: two'),
    ('save_private_key: true', 'public_key: two'),
    ('public_key: one', 'save_private_key: true'),
    ('public_key: one', 'public_key: one, type: ssh'),
], ids=['imported', 'generated', 'generating', 'same key'])
def test_key_pair_comes_back_when_its_replacement_is_given_up(
        engine, compute, monkeypatch, made, before, after):
    monkeypatch.setattr(nova.NovaClientPlugin, 'is_version_supported',
                        lambda self, version: True)
    first, wanted = KEY % before, KEY % after
    if made == 'beside':
        first = with_follower(first, 'late')
    stack = engine.create(first)
    values = engine.values(stack)
    compute.create_keypair('taken', public_key='of another one')
    wanted = (wanted.replace('mine', 'taken') if made == 'not'
              else with_follower(wanted, 'taken'))
    stack = engine.update(stack, wanted, disable_rollback=False)
    assert stack.state == ('ROLLBACK', 'COMPLETE')
    assert engine.values(stack) == values
    assert compute.things['keypair', 'mine']['public_key'] == (
        values['public'])
    assert stack['key'].resource_id == 'mine'
    assert compute.things['keypair', 'taken']['public_key'] == (
        'of another one')
    engine.delete(stack)
    assert [*compute.things] == [('keypair', 'taken')]


@pytest.mark.parametrize(('properties', 'problem'), [
    ('public_key: a, save_private_key: true', 'save_private_key'),
    ('type: x509', '2.2')])
def test_key_pair_that_cannot_be(engine, compute, properties, problem):
    with pytest.raises(Exception, match=problem):
        engine.create(KEY % properties)
    assert not compute.log


FLAVOR = """
resources:
  flavor:
    type: OS::Nova::Flavor
    properties: {ram: 512, vcpus: 1, is_public: false, %s}
outputs:
  specs: {value: {get_attr: [flavor, extra_specs]}}
"""


def test_flavor(engine, compute):
    stack = engine.create(FLAVOR % (
        'tenants: [demo], extra_specs: {a: b, c: d}, flavorid: small'))
    assert stack['flavor'].resource_id == 'small'
    assert compute.body('create')['os-flavor-access:is_public'] is False
    assert compute.access == {('small', 'demo-id')}
    stack = engine.update(stack, FLAVOR % (
        'tenants: [other], extra_specs: {a: e}, flavorid: small'))
    assert compute.access == {('small', 'other-id')}
    assert engine.values(stack) == {'specs': {'a': 'e'}}
    engine.delete(stack)
    assert not compute.things


def test_flavor_that_keeps_its_name_is_not_replaced(engine, compute):
    fixed = FLAVOR % 'name: small'
    stack = engine.create(fixed)
    before = compute.of('flavor')
    compute.trouble['create_flavor'] = [cloud.refusal(409, {
        'conflictingRequest': {
            'message': 'Flavor with name small already exists.'}})]
    stack = engine.update(stack, fixed.replace('512', '1024'))
    assert stack.state == ('UPDATE', 'FAILED')
    assert 'Flavor with name small already exists' in stack.status_reason
    assert 'requires another name' in stack.status_reason
    # It is said at once, and the one that there was is kept.
    assert not compute.trouble['create_flavor']
    assert compute.of('flavor') == before
    stack = engine.update(stack, fixed.replace('512', '1024').replace(
        'small', 'large'))
    assert stack.state == ('UPDATE', 'COMPLETE')
    assert [each['name'] for each in compute.of('flavor')] == ['large']


AGGREGATE = """
resources:
  hosts: {type: OS::Nova::HostAggregate, properties: {name: %s, %s}}
"""


def test_aggregate(engine, compute):
    for name in ('one', 'two'):
        compute.create_hypervisor(name=name)
    stack = engine.create(AGGREGATE % (
        'fast', 'hosts: [one], metadata: {a: b, c: d}'))
    key = 'aggregate', stack['hosts'].resource_id
    stack = engine.update(stack, AGGREGATE % (
        'faster', 'hosts: [two], metadata: {a: e}'))
    kept = compute.things[key]
    assert (kept['name'], kept['hosts'], kept['metadata']) == (
        'faster', ['two'], {'a': 'e'})
    engine.delete(stack)
    assert key not in compute.things
    assert kept['hosts'] == []


GROUP = """
resources:
  group: {type: OS::Nova::ServerGroup, properties: {%s}}
"""


def test_server_group(engine, compute):
    engine.create(GROUP % 'policies: [soft-affinity]')
    body = compute.body('create')
    assert body['policies'] == ['soft-affinity']
    assert 'rules' not in body
    with pytest.raises(Exception, match='2.64'):
        engine.create(GROUP % 'rules: {max_server_per_host: 2}', 'other')


def test_quota(engine, compute):
    stack = engine.create("""
resources:
  quota: {type: OS::Nova::Quota, properties: {project: demo, cores: 5}}
""")
    engine.delete(stack)
    assert compute.quotas == [('demo-id', {'cores': 5}), ('demo-id', None)]
