"""Whoever speaks an older version of the RPC protocol is understood.

Each method is called over the broker as the oldest client that knows it
would: with its version, and without the arguments that came later.
"""
import json
import pathlib
import uuid

from oslo_config import cfg
import oslo_messaging
import pytest

from heat.common import context as heat_context
from heat.common import exception
from tests.fakes import servers
from tests.integration import cluster as cluster_module

FACTS = json.loads((pathlib.Path(__file__).resolve().parents[1] / 'facts' /
                    'rpc_api.json').read_text())
SCRIPT = {'group': 'script', 'name': 'c', 'config': 'echo', 'inputs': [],
          'outputs': [], 'options': {}}


def template(value='hi', seconds=0):
    return {'heat_template_version': '2018-08-31', 'resources': {'a': {
        'type': 'OS::Heat::TestResource', 'metadata': {'k': 1},
        'properties': {'value': value, 'action_wait_secs': {
            'create': seconds, 'update': seconds}}}},
        'outputs': {'said': {'value': {'get_attr': ['a', 'output']}}}}


@pytest.fixture(scope='module')
def cluster(tmp_path_factory):
    """One engine, and an API that tells when it is up."""
    with cluster_module.running(
            tmp_path_factory.mktemp('rpc'), servers.Server('mysql'),
            hosts=('one',), convergence_engine='true',
            enable_stack_abandon='true',
            apis=1) as one:
        one.use()
        yield one


class OldClient:
    """Calls methods of one RPC server as old clients do.

    :param part: engine, worker or listener, as in the facts.
    """

    def __init__(self, cluster, part, server=None):
        self._facts = FACTS[part]
        self.called = set()
        cfg.CONF([], project='heat', default_config_files=[],
                 default_config_dirs=[])
        self._transport = oslo_messaging.get_rpc_transport(
            cfg.CONF, cluster.broker.url,
            allowed_remote_exmods=['heat.common.exception'])
        self._client = oslo_messaging.get_rpc_client(
            self._transport, oslo_messaging.Target(
                exchange='heat', topic=self._facts['topic'], server=server),
            timeout=120)
        self._context = heat_context.RequestContext(
            project_id=uuid.uuid4().hex, user_id='u', is_admin=True,
            roles=['admin'], overwrite=False).to_dict()

    def close(self):
        self._transport.cleanup()

    def __call__(self, name, /, *, version=None, **arguments):
        """Call a method with what its first version knew."""
        facts = self._facts['methods'][name]
        later = facts.get('args_added', {})
        expected = {each['name'] for each in facts['args']
                    if each.get('required') and each['name'] not in later}
        assert set(arguments) == expected, (name, expected)
        self.called.add(name)
        oldest = version or facts.get('added_in') or '1.0'
        # A cast would not tell how it ended.
        return self._client.prepare(version=oldest).call(
            self._context, name, **arguments)

    def without_call(self):
        """Return the methods that nobody has called."""
        return set(self._facts['methods']) - self.called


@pytest.fixture
def old(cluster):
    """Return a function that makes old clients."""
    clients = []

    def make(part, server=None):
        clients.append(OldClient(cluster, part, server))
        return clients[-1]

    yield make
    for client in clients:
        client.close()


class Story:
    """All that an engine is asked, in an order that makes sense."""

    def __init__(self, cluster, engine):
        self._cluster = cluster
        self.call = engine

    def wait(self, status, stack=None):
        self._cluster.wait_for(lambda: self.state(stack) == status,
                               f'{status}, not {self.state(stack)}')

    def state(self, stack=None):
        [shown] = self.call('show_stack',
                            stack_identity=stack or self.stack)
        return f'{shown["stack_action"]}_{shown["stack_status"]}'

    def create(self, name, **more):
        return self.call('create_stack', **{
            'stack_name': name, 'template': template(), 'params': {},
            'files': {}, 'args': {}, **more})

    def catalogue(self):
        call = self.call
        # There is no Keystone that could have accepted anything.
        assert call('authenticated_to_backend') is False
        assert call('get_revision')
        assert [each['status'] for each in call('list_services')] == ['up']
        assert 'OS::Heat::Value' in call('list_resource_types')
        assert call('resource_schema', type_name='OS::Heat::Value')[
            'resource_type'] == 'OS::Heat::Value'
        assert 'HeatTemplateFormatVersion' in call(
            'generate_template', type_name='OS::Heat::Value')
        assert len(call('list_template_versions')) == 13
        assert call('list_template_functions', template_version=(
            'heat_template_version.2018-08-31'))
        assert call('validate_template', template=template())[
            'Description'] is not None
        assert call('preview_stack', stack_name='x', template=template(),
                    params={}, files={}, args={})['stack_name'] == 'x'

    def look(self):
        self.stack = self.create('s')
        self.wait('CREATE_COMPLETE')
        call, stack = self.call, {'stack_identity': self.stack}
        assert call('identify_stack', stack_name='s') == self.stack
        assert [each['stack_name'] for each in call('list_stacks')] == ['s']
        assert call('count_stacks') == 1
        assert call('get_template', **stack) == template()
        assert call('get_environment', **stack)['parameters'] == {}
        assert call('get_files', **stack) == {}
        assert call('list_outputs', **stack)[0]['output_key'] == 'said'
        assert call('show_output', **stack, output_key='said')[
            'output_value'] == 'hi'
        [listed] = call('list_stack_resources', **stack)
        assert listed['resource_name'] == 'a'
        shown = call('describe_stack_resource', **stack, resource_name='a')
        assert shown['resource_status'] == 'COMPLETE'
        [shown] = call('describe_stack_resources', **stack,
                       resource_name='a')
        found = call('find_physical_resource', physical_resource_id=shown[
            'physical_resource_id'])
        assert found['stack_id'] == self.stack['stack_id']
        assert len(call('list_events', **stack)) == 4
        assert call('export_stack', **stack)['name'] == 's'

    def act(self):
        call, stack = self.call, {'stack_identity': self.stack}
        with pytest.raises(Exception, match='signal'):
            call('resource_signal', **stack, resource_name='a', details={})
        call('resource_mark_unhealthy', **stack, resource_name='a',
             mark_unhealthy=True)
        for action in ('check', 'suspend', 'resume'):
            call(f'stack_{action}', **stack)
            self.wait(f'{action.upper()}_COMPLETE')
        snapshot = call('stack_snapshot', **stack, name='x')
        self.wait('SNAPSHOT_COMPLETE')
        which = {**stack, 'snapshot_id': snapshot['id']}
        assert call('show_snapshot', **which)['status'] == 'COMPLETE'
        assert len(call('stack_list_snapshots', **stack)) == 1
        call('stack_restore', **which)
        self.wait('RESTORE_COMPLETE')
        call('delete_snapshot', **which)
        update = {**stack, 'template': template('ho'), 'params': {},
                  'files': {}, 'args': {}}
        assert call('preview_update_stack', **update)['updated']
        call('update_stack', **update)
        self.wait('UPDATE_COMPLETE')
        call('update_stack', **{**update, 'template': template('x', 20)})
        self.wait('UPDATE_IN_PROGRESS')
        call('stack_cancel_update', **stack)
        self.wait('ROLLBACK_COMPLETE')
        with pytest.raises(exception.NotSupported, match='convergence'):
            call('migrate_convergence_1', stack_id=self.stack['stack_id'])

    def software(self):
        call = self.call
        config = call('create_software_config', **SCRIPT)
        assert call('show_software_config', config_id=config['id'])[
            'config'] == 'echo'
        assert len(call('list_software_configs')) == 1
        made = call('create_software_deployment', server_id='srv',
                    config_id=config['id'], input_values={},
                    action='CREATE', status='IN_PROGRESS',
                    status_reason='', stack_user_project_id=None)
        which = {'deployment_id': made['id']}
        assert call('show_software_deployment', **which)['id'] == made['id']
        assert len(call('list_software_deployments', server_id='srv')) == 1
        assert call('metadata_software_deployments', server_id='srv')[0][
            'id'] == config['id']
        assert call('check_software_deployment', **which, timeout=5)
        call('update_software_deployment', **which, config_id=None,
             input_values=None, output_values={'deploy_stdout': 'o'},
             action=None, status='IN_PROGRESS', status_reason='so')
        call('signal_software_deployment', **which,
             details={'deploy_status_code': 0}, updated_at=None)
        assert call('show_software_deployment', **which)[
            'status'] == 'COMPLETE'
        call('delete_software_deployment', **which)
        call('delete_software_config', config_id=config['id'])

    def end(self):
        call = self.call
        other = self.create('t')
        self.wait('CREATE_COMPLETE', other)
        assert call('abandon_stack', stack_identity=other)['name'] == 't'
        call('delete_stack', stack_identity=self.stack)
        self._cluster.wait_for(lambda: call('count_stacks') == 0, 'the end')


def test_engine(cluster, old):
    engine = old('engine')
    story = Story(cluster, engine)
    story.catalogue()
    story.look()
    story.act()
    story.software()
    story.end()
    assert engine.without_call() == set()


def test_newer_clients_are_told(old):
    engine = old('engine')
    with pytest.raises(oslo_messaging.RemoteError) as raised:
        engine('get_revision', version='1.99')
    assert raised.value.exc_type == 'UnsupportedVersion'


def test_worker(cluster, old):
    engine = old('engine')
    story = Story(cluster, engine)
    story.stack = stack = story.create('w')
    story.wait('CREATE_COMPLETE')
    snapshot = engine('stack_snapshot', stack_identity=stack, name='x')
    story.wait('SNAPSHOT_COMPLETE')
    [(row, traversal)] = cluster.sql(
        'SELECT resource.id, stack.current_traversal FROM resource '
        'JOIN stack ON stack.id = resource.stack_id WHERE stack.id = :id',
        id=stack['stack_id'])
    [engine_id] = cluster.engine_ids().values()
    worker = old('worker', engine_id)
    # What is done already is not done again.
    worker('check_resource', resource_id=row, current_traversal=traversal,
           data={}, is_update=True)
    worker('check_resource', resource_id=row, current_traversal='overtaken',
           data={}, is_update=False)
    worker('check_resource', resource_id=0, current_traversal=traversal,
           data={}, is_update=True)
    assert story.state() == 'SNAPSHOT_COMPLETE'
    worker('cancel_check_resource', stack_id=stack['stack_id'])
    worker('check_resource_delete_snapshot', snapshot_id=snapshot['id'],
           resource_name='a')
    cluster.wait_for(lambda: not engine(
        'stack_list_snapshots', stack_identity=stack), 'the deletion')
    assert worker.without_call() == set()


def test_listener(cluster, old):
    [engine_id] = cluster.engine_ids().values()
    listener = old('listener', engine_id)
    identity = {'tenant': 'p', 'stack_name': 's', 'stack_id': 'i',
                'path': ''}
    assert listener('listening') is True
    for message in FACTS['listener']['thread_messages']:
        listener('send', stack_identity=identity, message=message)
    listener('stop_stack', stack_identity=identity)
    assert listener.without_call() == set()
