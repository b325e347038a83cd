"""Fixtures: an engine whose load balancing service is in memory."""
from openstack import exceptions
import pytest

from heat.engine.clients.os import keystone
from heat.engine.clients.os import neutron
from heat.engine.clients.os import octavia
from heat.engine.resources.openstack.octavia import availability_zone
from heat.engine.resources.openstack.octavia import availability_zone_profile
from heat.engine.resources.openstack.octavia import flavor
from heat.engine.resources.openstack.octavia import flavor_profile
from heat.engine.resources.openstack.octavia import health_monitor
from heat.engine.resources.openstack.octavia import l7policy
from heat.engine.resources.openstack.octavia import l7rule
from heat.engine.resources.openstack.octavia import listener
from heat.engine.resources.openstack.octavia import loadbalancer
from heat.engine.resources.openstack.octavia import pool
from heat.engine.resources.openstack.octavia import pool_member
from heat.engine.resources.openstack.octavia import quota
from tests.fakes import cloud

MODULES = (availability_zone, availability_zone_profile, flavor,
           flavor_profile, health_monitor, l7policy, l7rule, listener,
           loadbalancer, pool, pool_member, quota)


class LoadBalancing(cloud.FakeService):
    """Octavia in memory: things know below which other they are.

    :ivar quotas: what was set, by project.
    """

    STATE = 'provisioning_status'

    def __init__(self):
        super().__init__()
        self.quotas = {}

    def _create(self, entity, *parents, **values):
        if parents:
            values['parent'] = parents[0]
        if entity == 'availability_zone':
            values['id'] = values['name']
        return super()._create(entity, *parents, **values)

    def _update(self, entity, thing_id, *parents, **values):
        kept = self._kept(entity, thing_id)
        assert parents == tuple(
            kept[name] for name in ('parent',) if name in kept)
        kept['_next'] = list(self.script.get(entity + ' changing', ()))
        return super()._update(entity, thing_id, *parents, **values)

    def _monitor_of(self, pool):
        return next((thing_id for (entity, thing_id), thing in
                     self.things.items() if entity == 'health_monitor' and
                     thing['pool_id'] == pool), None)

    def create_health_monitor(self, **values):
        if self._monitor_of(values['pool_id']):
            raise exceptions.ConflictException('has one')
        return self._create('health_monitor', **values)

    def get_pool(self, pool):
        found = self._get('pool', pool).to_dict()
        return cloud.Thing({**found,
                            'health_monitor_id': self._monitor_of(pool)})

    def update_quota(self, project, **limits):
        self.quotas.setdefault(project, {}).update(limits)

    def get_quota(self, project):
        return cloud.Thing(self.quotas[project])

    def delete_quota(self, project, ignore_missing=True):
        del self.quotas[project]


@pytest.fixture
def balancing():
    """Return a load balancing service in memory."""
    return LoadBalancing()


@pytest.fixture
def engine(cloud_engine, balancing, monkeypatch):
    """Return an engine with the resource types of Octavia."""
    network = cloud.FakeService()
    network.create_subnet(id='subnet-1', name='private')
    cloud_engine.use(balancing, octavia.OctaviaClientPlugin, *MODULES)
    cloud_engine.use(network, neutron.NeutronClientPlugin)
    cloud_engine.use(None, keystone.KeystoneClientPlugin)
    monkeypatch.setattr(
        keystone.KeystoneClientPlugin, 'get_project_id',
        lambda self, project, domain=None: 'id of %s' % project)
    return cloud_engine
