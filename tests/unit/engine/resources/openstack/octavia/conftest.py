"""Fixtures: an engine whose load balancing service is in memory."""
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
from tests.fakes.services import octavia as octavia_service

MODULES = (availability_zone, availability_zone_profile, flavor,
           flavor_profile, health_monitor, l7policy, l7rule, listener,
           loadbalancer, pool, pool_member, quota)


@pytest.fixture
def balancing():
    """Return a load balancing service in memory."""
    return octavia_service.LoadBalancing()


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
