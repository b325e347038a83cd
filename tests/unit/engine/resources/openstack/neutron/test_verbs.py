"""The client library has the verbs that declared types rely on."""
import importlib
import pkgutil

from openstack.network.v2 import _proxy
import pytest

from heat.engine.resources import plugin_loader
from heat.engine.resources.openstack import neutron as package
from heat.engine.resources.openstack.neutron import neutron

CLASSES = {
    name: cls for info in pkgutil.iter_modules(package.__path__)
    for name, cls in plugin_loader.resource_types(importlib.import_module(
        '%s.%s' % (package.__name__, info.name)))
    if (cls.noun or cls.entity) and not issubclass(
        cls, neutron.ExtensionResource)}


def test_there_are_many():
    assert len(CLASSES) > 25


@pytest.mark.parametrize('name', sorted(CLASSES))
def test_verbs(name):
    cls = CLASSES[name]
    verbs = ['create', 'get', 'delete']
    if any(schema.update_allowed
           for schema in cls.properties_schema.values()):
        verbs.append('update')
    for verb in verbs:
        assert callable(getattr(_proxy.Proxy, '%s_%s' % (
            verb, cls.noun or cls.entity)))
