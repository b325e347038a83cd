"""The clients that plugins ask their resource for."""
import types

import pytest

from heat.engine.lifecycle import client_access


class Clients:
    """Answers with what it was asked for."""

    def client(self, name, version=None):
        return 'client', name, version

    def sdk(self, name, version=None):
        return 'sdk', name, version

    def client_plugin(self, name):
        return 'plugin', name


class Resource(client_access.Clients):
    stack = types.SimpleNamespace(clients=Clients())


class OfCompute(Resource):
    default_client_name = 'nova'


@pytest.mark.parametrize('service', [
    'keystone', 'nova', 'swift', 'neutron', 'cinder', 'trove', 'glance',
    'heat'])
def test_method_of_a_service(service):
    """Whatever the default service of the type is."""
    for res in (Resource(), OfCompute()):
        assert getattr(res, service)() == ('client', service, None)


def test_default_service_of_the_type():
    res = OfCompute()
    assert res.client() == ('client', 'nova', None)
    assert res.sdk() == ('sdk', 'nova', None)
    assert res.client_plugin() == ('plugin', 'nova')


def test_named_service():
    res = OfCompute()
    assert res.client('cinder') == ('client', 'cinder', None)
    assert res.sdk('cinder', version=3) == ('sdk', 'cinder', 3)
    assert res.client('cinder', 3) == ('client', 'cinder', 3)
    assert res.client_plugin('cinder') == ('plugin', 'cinder')


def test_type_without_service_has_no_client():
    res = Resource()
    assert res.client() is None
    assert res.sdk() is None
    assert res.client_plugin() is None
