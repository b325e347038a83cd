"""What each type of a service tells of drift, with services in memory.

A thing that is as it was asked for has not drifted, whatever the service
adds; one whose property has been changed has.
"""
import pytest

from heat.common import drift_words
from heat.common import exception
from heat.engine import properties
from heat.engine.comparison import judgement
from heat.engine.comparison import live
from heat.engine.comparison import support
from heat.engine.drift import examine
from heat.engine.resources.openstack.keystone import keystone
from tests.fakes import cloud
from tests.unit.engine.resources import test_contract
from tests.unit.engine.resources import test_empty_values as samples

Schema = properties.Schema
F = drift_words.Finding
resource_of = samples.resource_of

#: The types whose requests hold what the services show.
TYPES = [
    name for name in samples.of_service(
        'nova', 'neutron', 'cinder', 'octavia', 'designate', 'keystone')
    if name.startswith('OS::') and name != 'OS::Nova::Server' and
    test_contract.TYPES[name].support_status.status == 'SUPPORTED' and
    # What tells in a way of its own has tests of its own.
    '_show_resource' not in {
        key for cls in test_contract.TYPES[name].__mro__
        if cls.__name__ not in ('SDKResource', 'Resource', 'Comparable')
        for key in vars(cls)}]
#: Values that stand for another one of a type.
OTHERS = {Schema.STRING: 'another', Schema.INTEGER: 77, Schema.NUMBER: 7.5,
          Schema.BOOLEAN: False}


class Service(samples.Service):
    """Shows what it was asked for, and what it has chosen."""

    def _create(self, entity, *parents, **values):
        self.log.append(('create', entity, dict(values)))
        its_id = f'{getattr(entity, "__name__", entity)}-id'
        found = {'description': 'chosen, too', **values, 'id': its_id,
                 'status': 'available', 'chosen': 'by the service'}
        self.things[entity, its_id] = found
        return cloud.Thing(found)

    def _kept(self, entity, thing_id):
        # Some are asked for by another id than their own.
        found = self.things.get((entity, thing_id)) or next(
            (thing for (kind, _id), thing in self.things.items()
             if kind == entity), None) or super()._kept(entity, thing_id)
        return {'_next': [], **found}


@pytest.fixture
def service(monkeypatch):
    found = Service()
    monkeypatch.setattr(keystone.KeystoneResource, '_service',
                        lambda self: found)
    return found


def made(resource_of, service, name, **given):
    """Return a resource of a type, and the thing that it has made."""
    resource = resource_of(samples.definition(name, given))
    service.things.clear()
    resource.handle_create()
    return resource, list(service.things.values())[-1]


def found_of(resource):
    found, _actual = judgement.differences(resource, resource.properties,
                                           resource.drift_data())
    return found


@pytest.mark.parametrize('name', TYPES)
def test_what_is_as_asked_for_has_not_drifted(resource_of, service, name):
    resource, thing = made(resource_of, service, name)
    assert found_of(resource) == []


def changeable(name):
    """Return the properties of plain values that a service shows."""
    schemata = samples.described(name)
    return [each for each in support.compared(test_contract.TYPES[name])
            if schemata[each].type in OTHERS and
            schemata[each].support_status.status == 'SUPPORTED' and
            schemata[each].implemented and
            not any(hasattr(rule, 'custom_constraint') or hasattr(
                rule, 'name') for rule in schemata[each].constraints)]


@pytest.mark.parametrize('name', TYPES)
def test_what_was_changed_has_drifted(resource_of, service, name):
    """Each plain value that the service shows is compared."""
    resource, thing = made(resource_of, service, name)
    schemata = samples.described(name)
    for each in changeable(name):
        wire = type(resource).rename.get(each, each)
        given = resource.properties.get(each)
        if thing.get(wire) is None or given == '' or (
                given is None and each != resource.name_property):
            continue
        before = thing[wire]
        other = OTHERS[schemata[each].type]
        thing[wire] = not before if isinstance(before, bool) else other
        assert found_of(resource) != [], each
        thing[wire] = before


@pytest.fixture
def volume(resource_of, service):
    """Return a volume that has been created, and what Cinder has of it."""
    resource, thing = made(resource_of, service, 'OS::Cinder::Volume',
                           size=1)
    resource.action, resource.status = 'CREATE', 'COMPLETE'
    return resource, thing


def entry_of(resource, secret=()):
    return examine.of_resource(resource, live.LiveState(1), secret)


def test_what_is_found_of_a_thing(volume, monkeypatch):
    resource, thing = volume
    entry = entry_of(resource)
    assert (entry['status'], entry['reason']) == (F.IN_SYNC, '')
    thing['size'] = 4711
    entry = entry_of(resource)
    assert entry['status'] == F.MODIFIED
    assert entry['differences'] == [
        {'property': 'size', 'expected': 1, 'actual': 4711}]
    assert entry_of(resource, {'size'})['differences'] == [
        {'property': 'size', 'expected': '******', 'actual': '******'}]


def test_a_thing_that_is_gone_is_deleted(volume, monkeypatch):
    def gone(self):
        raise exception.EntityNotFound(entity='Volume', name='v')

    resource, _thing = volume
    monkeypatch.setattr(type(resource), 'get_live_resource_data', gone)
    assert entry_of(resource)['status'] == F.DELETED


def test_a_thing_that_cannot_be_read_is_not_compared(volume, monkeypatch):
    def broken(self):
        raise ValueError('out of order')

    resource, _thing = volume
    monkeypatch.setattr(type(resource), 'get_live_resource_data', broken)
    entry = entry_of(resource)
    assert entry['status'] == F.UNSUPPORTED
    assert 'out of order' in entry['reason']


def test_a_resource_that_changes_is_not_compared(volume):
    resource, _thing = volume
    resource.status = 'IN_PROGRESS'
    assert entry_of(resource)['status'] == F.UNSUPPORTED
