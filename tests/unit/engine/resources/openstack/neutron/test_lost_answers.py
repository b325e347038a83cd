"""A service that does what it is asked, but whose answer is lost."""
import types

from keystoneauth1 import exceptions as ks_exceptions
import pytest

from heat.engine.resources.openstack.neutron import floatingip
from heat.engine.resources.openstack.neutron import net

NET = """
resources:
  net:
    type: OS::Neutron::Net
    properties: {%s}
"""


@pytest.fixture
def lossy(engine, network):
    """Return a service that loses the answers to requests that create."""
    engine.register(net.Net, floatingip.FloatingIP)
    make, find = network._create, network._find
    network.unseen = 0

    def create(*args, **kwargs):
        make(*args, **kwargs)
        raise ks_exceptions.ConnectFailure('closed')

    def find_late(*args, **kwargs):
        if network.unseen:
            network.unseen -= 1
            return None
        return find(*args, **kwargs)

    network._create, network._find = create, find_late
    return network


def test_what_was_made_is_found_by_the_name_we_gave_it(engine, lossy):
    stack = engine.create(NET % '')
    assert stack.state == ('CREATE', 'COMPLETE')
    assert [thing['id'] for thing in lossy.of('network')] == [
        stack['net'].resource_id]
    engine.delete(stack)
    assert not lossy.things


@pytest.mark.parametrize(('name', 'state', 'left'), [
    ('', 'COMPLETE', 0), ('name: shared', 'FAILED', 1)])
def test_an_answer_without_an_id_is_a_lost_one(engine, network, name, state,
                                               left):
    engine.register(net.Net)
    make = network._create

    def create(*args, **kwargs):
        make(*args, **kwargs)
        return types.SimpleNamespace(id=None)

    network._create = create
    stack = engine.create(NET % name)
    assert stack.state == ('CREATE', state)
    if left:
        assert 'before the id of what it created' in stack.status_reason
    engine.delete(stack)
    assert len(network.of('network')) == left


def test_what_has_no_name_is_found_by_its_description(engine, lossy):
    lossy.things['ip', 'theirs'] = {'id': 'theirs', 'description': '',
                                    '_next': []}
    stack = engine.create("""
resources:
  ip:
    type: OS::Neutron::FloatingIP
    properties: {floating_network: {get_resource: net}}
  net: {type: OS::Neutron::Net}
""")
    assert stack.state == ('CREATE', 'COMPLETE')
    its_id = stack['ip'].resource_id
    assert {thing['id'] for thing in lossy.of('ip')} == {its_id, 'theirs'}
    engine.delete(stack)
    assert [thing['id'] for thing in lossy.of('ip')] == ['theirs']


def test_what_shows_late_is_deleted_with_the_stack(engine, lossy):
    lossy.unseen = 1
    stack = engine.create(NET % '')
    assert stack.state == ('CREATE', 'FAILED')
    assert 'closed' in stack.status_reason
    assert len(lossy.of('network')) == 1
    engine.delete(stack)
    assert not lossy.things


def test_a_name_of_the_template_may_be_somebody_elses(engine, lossy):
    stack = engine.create(NET % 'name: shared')
    assert stack.state == ('CREATE', 'FAILED')
    engine.delete(stack)
    assert len(lossy.of('network')) == 1


def test_an_error_of_the_request_looks_for_nothing(engine, lossy):
    lossy.trouble['create_network'] = [ValueError('wrong')]
    stack = engine.create(NET % '')
    assert stack.state == ('CREATE', 'FAILED')
    assert lossy.requests('find') == []
