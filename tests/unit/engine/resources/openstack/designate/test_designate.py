"""Zones and record sets of DNS."""
from openstack.dns.v2 import _proxy
import pytest

from heat.engine.clients.os import designate
from heat.engine.resources.openstack.designate import recordset
from heat.engine.resources.openstack.designate import zone
from tests.fakes import cloud

ZONE = """
resources:
  zone:
    type: OS::Designate::Zone
    properties: {name: example.org., %s}
outputs:
  serial: {value: {get_attr: [zone, serial]}}
"""

RECORDS = """
resources:
  www:
    type: OS::Designate::RecordSet
    properties:
      {zone: example.org., name: www.example.org., type: A,
       records: [%s]}
"""

MAIL = 'email: a@example.org'


class DNS(cloud.FakeService):
    """Designate in memory: what is changed needs its zone again."""

    def update_recordset(self, recordset, zone_id, **values):
        assert zone_id == self.things['recordset', recordset]['zone']
        return self._update('recordset', recordset, **values)

    def _create(self, entity, *parents, **values):
        if entity == 'recordset':
            values['zone'], = parents
        return super()._create(entity, *parents, **values)


@pytest.fixture
def dns():
    return DNS()


@pytest.fixture
def engine(cloud_engine, dns):
    cloud_engine.use(dns, designate.DesignateClientPlugin, zone, recordset)
    return cloud_engine


def test_zone_is_created_changed_and_deleted(engine, dns):
    dns.script['zone'] = ['PENDING', 'PENDING', 'ACTIVE']
    stack = engine.create(ZONE % MAIL)
    assert stack.state == ('CREATE', 'COMPLETE')
    assert dns.body('create') == {
        'name': 'example.org.', 'type': 'PRIMARY', 'email': 'a@example.org'}
    zone_id = stack['zone'].resource_id
    dns.things['zone', zone_id]['serial'] = 5
    stack = engine.update(stack, ZONE % (MAIL + ', ttl: 60'))
    assert dns.body('update') == {'ttl': 60}
    assert engine.values(stack) == {'serial': 5}
    dns.script['zone going'] = ['PENDING', 'DELETED']
    dns.log.clear()
    stack = engine.delete(stack)
    assert stack.state == ('DELETE', 'COMPLETE')
    assert dns.requests() == ['delete zone', 'get zone', 'get zone']


def test_zone_in_error_fails(engine, dns):
    dns.script['zone'] = ['PENDING', 'ERROR']
    assert engine.create(ZONE % MAIL).state == ('CREATE', 'FAILED')


@pytest.mark.parametrize('name', ['masters', 'primaries'])
def test_copied_zone_has_servers_under_both_names(engine, dns, name):
    text = ZONE % 'type: SECONDARY, %s: [%s]'
    stack = engine.create(text % (name, '10.0.0.1'))
    assert dns.body('create')['masters'] == ['10.0.0.1']
    assert 'primaries' not in dns.body('create')
    stack = engine.update(stack, text % (name, '10.0.0.2'))
    assert dns.body('update') == {'masters': ['10.0.0.2']}


def test_servers_may_change_the_name_they_are_given_under(engine, dns):
    text = ZONE % 'type: SECONDARY, %s: [%s]'
    stack = engine.create(text % ('masters', '10.0.0.1'))
    stack = engine.update(stack, text % ('primaries', '10.0.0.2'))
    assert dns.body('update') == {'masters': ['10.0.0.2']}


@pytest.mark.parametrize(('given', 'wrong'), [
    ('ttl: 1', 'email'), ('type: SECONDARY', 'primaries')])
def test_zone_without_what_its_type_needs_is_refused(engine, dns, given,
                                                     wrong):
    with pytest.raises(Exception, match=wrong):
        engine.create(ZONE % given)
    assert not dns.log


def test_records_belong_to_the_zone_of_a_name(engine, dns):
    dns.create_zone(id='z', name='example.org.')
    dns.script['recordset'] = ['PENDING', 'PENDING', 'ACTIVE']
    stack = engine.create(RECORDS % '10.0.0.1')
    assert stack.state == ('CREATE', 'COMPLETE')
    assert dns.body('create') == {
        'name': 'www.example.org.', 'type': 'A', 'zone': 'z',
        'records': ['10.0.0.1']}
    before = stack['www'].resource_id
    stack = engine.update(stack, RECORDS % '10.0.0.2')
    assert stack['www'].resource_id == before
    assert dns.body('update') == {'records': ['10.0.0.2']}
    engine.delete(stack)
    assert list(dns.things) == [('zone', 'z')]


def test_unknown_zone_is_an_error_of_the_template(engine, dns):
    with pytest.raises(Exception, match='example.org'):
        engine.create(RECORDS % '10.0.0.1')


@pytest.mark.parametrize(('cls', 'sdk'), [
    (zone.DesignateZone, _proxy._zone.Zone),
    (recordset.DesignateRecordSet, _proxy._rs.Recordset)])
def test_openstacksdk_has_what_is_sent(cls, sdk):
    sent = {cls.rename.get(name, name) for name in cls.properties_schema
            if name != cls.parent}
    assert sent - set(sdk._body_mapping()) == set()
