"""Load balancing in Neutron, which few clouds have any more."""
import types

import pytest

from heat.common import exception
from heat.engine.clients.os.neutron import lbaas_constraints

FOUND = {'loadbalancer': 'lb', 'listener': 'li', 'pool': 'po'}


class Neutron:
    """The plugin of Neutron, with or without the extension."""

    def __init__(self, *extensions):
        self.extensions = extensions

    def has_extension(self, name):
        return name in self.extensions

    def find_resourceid_by_name_or_id(self, noun, value):
        if value != FOUND[noun]:
            raise exception.EntityNotFound(entity=noun, name=value)
        return value

    def sdk(self):
        return types.SimpleNamespace(service_providers=lambda service_type: [
            types.SimpleNamespace(name='haproxy')]
            if service_type == 'LOADBALANCERV2' else [])

    def client_plugin(self, _name):
        return self


NAMES = [('neutron.lbaas.' + noun, value) for noun, value in FOUND.items()]


@pytest.mark.parametrize(('name', 'value'), NAMES)
def test_thing_of_the_extension(name, value):
    check = lbaas_constraints.CONSTRAINTS[name]().validate_with_client
    check(Neutron('lbaasv2'), value)
    with pytest.raises(exception.EntityNotFound, match='other'):
        check(Neutron('lbaasv2'), 'other')
    with pytest.raises(exception.EntityNotFound, match='lbaasv2'):
        check(Neutron(), value)


def test_provider():
    check = lbaas_constraints.CONSTRAINTS[
        'neutron.lbaas.provider']().validate_with_client
    check(Neutron(), 'haproxy')
    with pytest.raises(exception.StackValidationFailed, match='other'):
        check(Neutron(), 'other')
