"""Fixtures: an engine whose network service is in memory."""
import pytest

from heat.engine import clients
from heat.engine import environment
from heat.engine import resources
from heat.engine.clients.os import neutron
from heat.engine.clients.os import openstacksdk
from tests.fakes import network as fake_network
from tests.fakes import stacks


@pytest.fixture
def network(monkeypatch):
    """Return a network service in memory."""
    service = fake_network.FakeNetwork()
    for plugin in (neutron.NeutronClientPlugin,
                   openstacksdk.OpenStackSDKPlugin):
        monkeypatch.setattr(plugin, '_connect', lambda self, **_kw: service)
        monkeypatch.setattr(plugin, 'does_endpoint_exist',
                            lambda *_a, **_kw: True)
    return service


@pytest.fixture(params=['legacy', 'convergence'])
def engine(request, monkeypatch, network):
    """Return an engine with the resource types of a module."""
    engine = stacks.Engine(
        monkeypatch, convergence=request.param == 'convergence')
    known = {'neutron': neutron.NeutronClientPlugin,
             'openstack': openstacksdk.OpenStackSDKPlugin}
    monkeypatch.setattr(clients, 'plugins', lambda: known)
    for name, constraint in resources._OWN_CONSTRAINTS.items():
        environment.global_env().register_constraint(name, constraint)

    def register(*classes):
        for cls in classes:
            environment.global_env().register_class(cls.type_name, cls)

    engine.register = register
    return engine
