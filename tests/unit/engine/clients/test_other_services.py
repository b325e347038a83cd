"""Services that the SDK has no classes for, or only some."""
import json
import types

from openstack import exceptions
import pytest
import requests

from heat.common import exception
from heat.engine import clients
from heat.engine.clients import progress
from tests.fakes import stack as fake_stack


def answer_of(status, body=None):
    """Return an answer as the SDK gets it."""
    answer = requests.Response()
    answer.request = requests.Request('GET', 'http://service.test').prepare()
    answer.url = answer.request.url
    answer.status_code = status
    answer._content = b'' if body is None else json.dumps(body).encode()
    return answer


class Service:
    """Answers what a test has put at (method, path), else with 404."""

    default_microversion = None

    def __init__(self):
        self.answers, self.asked = {}, []
        self.endpoint = 'http://service.test'

    def get_endpoint(self):
        return self.endpoint

    def _ask(self, method, path, **more):
        self.asked.append((method, path, *more.values()))
        found = self.answers.get((method, path))
        return answer_of(404 if found is None else 200, found)

    def get(self, path, **more):
        return self._ask('GET', path, **more)

    def post(self, path, **more):
        return self._ask('POST', path, **more)

    def put(self, path, **more):
        return self._ask('PUT', path, **more)

    def delete(self, path, **more):
        return self._ask('DELETE', path, **more)

    def patch(self, path, **more):
        return self._ask('PATCH', path, **more)

    def find_node(self, value, ignore_missing):
        return types.SimpleNamespace(id='i1') if value == 'node' else None

    find_port_group = find_cluster_template = find_node

    def find_workflow(self, value, ignore_missing):
        if value != 'node' and not ignore_missing:
            raise exceptions.NotFoundException(value)
        return self.find_node(value, ignore_missing)


@pytest.fixture
def service():
    return Service()


@pytest.fixture
def plugin(service):
    """Return a function that gives the plugin of a name."""
    clients.plugins()
    # Plugins know it weakly.
    context = fake_stack.context(user_id='anna')
    context.auth_url = 'http://keystone.test'

    def make(name):
        made = clients.OpenStackClients(context).client_plugin(name)
        made.sdk = lambda version=None: service
        return made

    return make


LISTS = {
    ('manila', 'get_share_network'): ('share-networks', 'share_networks'),
    ('manila', 'get_share_snapshot'): ('snapshots', 'snapshots'),
    ('manila', 'get_share_type'): ('types', 'share_types'),
    ('manila', 'get_security_service'): ('security-services',
                                         'security_services'),
    ('trove', 'find_flavor_by_name_or_id'): ('flavors', 'flavors'),
}


@pytest.mark.parametrize(('name', 'finder'), LISTS)
def test_finders_in_lists(plugin, service, name, finder):
    path, key = LISTS[name, finder]
    service.answers['GET', path] = {key: [
        {'id': its_id, 'str_id': its_id, 'name': called}
        for its_id, called in (('i1', 'one'), ('i2', 'two'),
                               ('i3', 'two'), ('i4', 'i1'))]}
    find = getattr(plugin(name), finder)
    assert find('one') == find('i1') == 'i1'
    assert len(service.asked) == 1
    with pytest.raises(exception.EntityNotFound, match='three'):
        find('three')
    with pytest.raises(exception.PhysicalResourceNameAmbiguity):
        find('two')


@pytest.mark.parametrize(('name', 'finder'), [
    ('ironic', 'get_node'), ('ironic', 'get_portgroup'),
    ('magnum', 'get_cluster_template')])
def test_finders_of_the_sdk(plugin, name, finder):
    find = getattr(plugin(name), finder)
    assert find('node') == 'i1'
    with pytest.raises(exception.EntityNotFound):
        find('other')


@pytest.mark.parametrize(('kind', 'version', 'words'), [
    ('mysql', '5.7', None), ('mysql', None, None), (None, None, None),
    (None, '5.7', 'Not allowed - version without kind'),
    ('mysql', '9', 'none of: 5.6, 5.7'), ('other', None, 'no kind "other"')])
def test_kinds_of_databases(plugin, service, kind, version, words):
    service.answers['GET', 'datastores/mysql/versions'] = {
        'versions': [{'name': '5.7'}, {'name': '5.6'}]}
    validate = plugin('trove').validate_datastore
    if words is None:
        validate(kind, version, 'kind', 'version')
        return
    with pytest.raises(exception.StackValidationFailed, match=words):
        validate(kind, version, 'kind', 'version')


@pytest.mark.parametrize('wrapped', [True, False])
def test_reservations(plugin, service, wrapped):
    """The versions of the API differ in what is around a thing."""
    def around(key, thing):
        return {key: thing} if wrapped else thing

    service.answers.update({
        ('GET', 'os-hosts'): around('hosts', [{'id': '1'}]),
        ('GET', 'os-hosts/1'): around('host', {'id': '1'}),
        ('GET', 'leases/l'): around('lease', {'id': 'l'}),
        ('POST', 'leases'): around('lease', {'id': 'l'}),
        ('POST', 'os-hosts'): around('host', {'id': '2'})})
    blazar = plugin('blazar')
    assert blazar.has_host()
    assert blazar.get_host('1') == {'id': '1'}
    assert blazar.get_lease('l') == {'id': 'l'}
    assert blazar.create_host(name='h') == {'id': '2'}
    assert blazar.create_lease(name='l', start='today', end='soon') == {
        'id': 'l'}
    assert service.asked[-1][2] == {
        'name': 'l', 'start_date': 'today', 'end_date': 'soon'}
    with pytest.raises(exception.EntityNotFound):
        blazar.get_lease('other')


def test_no_hosts_to_reserve(plugin, service):
    service.answers['GET', 'os-hosts'] = {'hosts': []}
    assert not plugin('blazar').has_host()


def test_alarms(plugin, service):
    alarm = {'alarm_id': 'a', 'enabled': True, 'event_rule': {
        'event_type': '*', 'query': []}}
    service.answers.update({
        ('POST', 'v2/alarms'): alarm, ('GET', 'v2/alarms/a'): alarm,
        ('PUT', 'v2/alarms/a'): alarm, ('DELETE', 'v2/alarms/a'): {}})
    aodh = plugin('aodh')
    assert aodh.create_alarm(name='n') == aodh.get_alarm('a') == alarm
    aodh.update_alarm('a', enabled=False,
                      event_rule={'event_type': 'compute.*'})
    assert service.asked[-1] == ('PUT', 'v2/alarms/a', {
        'alarm_id': 'a', 'enabled': False,
        'event_rule': {'event_type': 'compute.*', 'query': []}})
    aodh.update_alarm('a', enabled=None, event_rule={'event_type': None})
    assert service.asked[-1] == ('PUT', 'v2/alarms/a', {
        'alarm_id': 'a', 'event_rule': {'query': []}})
    aodh.delete_alarm('a', ignore_missing=False)
    assert service.asked[-1] == ('DELETE', 'v2/alarms/a')
    aodh.delete_alarm('gone')
    with pytest.raises(exceptions.NotFoundException):
        aodh.delete_alarm('gone', ignore_missing=False)
    with pytest.raises(exception.EntityNotFound, match='gone'):
        aodh.get_alarm('gone')


def test_alarms_of_a_service_that_lists_its_versions(plugin, service):
    service.endpoint += '/v2'
    service.answers['GET', 'alarms/a'] = {'alarm_id': 'a'}
    assert plugin('aodh').get_alarm('a') == {'alarm_id': 'a'}


def test_workflows(plugin):
    mistral = plugin('mistral')
    assert mistral.get_workflow_by_identifier('node').id == 'i1'
    with pytest.raises(exception.EntityNotFound, match='other'):
        mistral.get_workflow_by_identifier('other')


def test_containers(plugin, service):
    service.answers.update({
        ('PATCH', 'containers/c'): {'uuid': 'c'},
        ('POST', 'containers/c/network_attach'): {},
        ('GET', 'containers/c/network_list'): {
            'networks': [{'port_id': 'p1'}]}})
    zun = plugin('zun')
    zun.update_container('c')
    assert service.asked == []
    zun.update_container('c', memory='512')
    assert service.asked[-1] == ('PATCH', 'containers/c', {'memory': '512'})
    assert zun.check_network_attach('c', 'p1')
    assert not zun.check_network_attach('c', 'p2')
    assert zun.check_network_detach('c', 'p2')
    # The container is gone, and its networks with it.
    assert zun.check_network_detach('gone', 'p1')
    assert zun.network_detach('gone', 'p1')
    with pytest.raises(exceptions.NotFoundException):
        zun.network_attach('gone', net_id='n', fip='10.0.0.1')
    assert service.asked[-1] == (
        'POST', 'containers/gone/network_attach',
        {'network': 'n', 'fixed_ip': '10.0.0.1'})


@pytest.mark.parametrize('name', [
    'aodh', 'blazar', 'ironic', 'magnum', 'manila', 'mistral', 'trove',
    'zun'])
def test_errors(plugin, name):
    judge = plugin(name)
    gone = exceptions.NotFoundException('x')
    assert judge.is_not_found(gone)
    assert judge.is_client_exception(gone)
    assert judge.is_conflict(exceptions.ConflictException('x'))
    with pytest.raises(exceptions.HttpException) as caught:
        exceptions.raise_from_response(answer_of(413))
    assert judge.is_over_limit(caught.value)
    assert not judge.is_not_found(ValueError())


def test_progress_of_a_change():
    made = progress.ServerUpdateProgress(
        's', 'resize', handler_extra={'args': ('big',)},
        checker_extra={'args': ('big',), 'kwargs': {'slow': True}})
    assert (made.server_id, made.handler, made.checker) == (
        's', 'resize', 'check_resize')
    assert (made.handler_args, made.handler_kwargs) == (('s', 'big'), {})
    assert (made.checker_args, made.checker_kwargs) == (
        ('s', 'big'), {'slow': True})
    assert not made.called
    assert not made.complete


def test_progress_of_what_needs_nothing():
    assert progress.VolumeDeleteProgress(True).backup == {
        'called': True, 'complete': True}
    done = progress.VolumeDetachProgress('s', 'v', 'a', task_complete=True)
    assert done.called
    assert done.cinder_complete
    assert done.nova_complete
