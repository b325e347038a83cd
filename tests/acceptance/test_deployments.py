"""Software deployments, seen from inside of the server.

What happens in a server happens here, with nothing but what the server was
started with: its user data leads to the metadata, which lead to the signal.
"""
import json

import pytest

from tests.acceptance import templates
from tests.acceptance import test_servers as servers
from tests.acceptance import test_signals as signals
from tests.acceptance.templates import ref

CLIENT = 'Client-ID: 00000000-0000-4000-8000-000000000001'


class Agent:
    """os-collect-config and its hooks in a server.

    :ivar config: what the server knows from its user data.
    """

    def __init__(self, tenant, server_id):
        data = servers.parts(servers.user_data(tenant, server_id))
        self.config = json.loads(data['cfn-init-data'])['os-collect-config']
        self._tenant = tenant
        self._read = []

    def metadata(self):
        """Return the metadata as they are now."""
        if 'cfn' in self.config:
            return servers.described(self.config['cfn'])
        if 'heat' in self.config:
            return signals.by_api(self.config, self._tenant, self._read)
        if 'zaqar' in self.config:
            return signals.by_queue(self.config, self._tenant, self._read)
        return signals.by_url(self.config, self._tenant, self._read)

    def inputs(self):
        """Return the inputs of the one deployment, None without it."""
        offered = self.metadata().get('deployments')
        return offered and {one['name']: one.get('value')
                            for one in offered[0]['inputs']}


def tell(deployment, tenant, inputs, outputs):
    """Signal the outputs of a deployment as its inputs say."""
    if 'deploy_queue_id' in inputs:
        signals.send('POST', '%s/queues/%s/messages' % (
            signals.url_of_queues(tenant), inputs['deploy_queue_id']),
            {'messages': [{'body': outputs, 'ttl': 300}]},
            'X-Auth-Token: ' + signals.token_for(
                signals._prefixed(inputs)), CLIENT)
    elif 'deploy_signal_id' in inputs:
        signals.send(inputs.get('deploy_signal_verb') or 'POST',
                     inputs['deploy_signal_id'], outputs)
    else:
        signals.signal_by_api(deployment, inputs, outputs)


def deploying(transport, signal, word='one'):
    return templates.hot({
        **templates.network(),
        'config': {'type': 'OS::Heat::SoftwareConfig', 'properties': {
            'group': 'script', 'config': 'echo $word',
            'inputs': [{'name': 'word'}], 'outputs': [{'name': 'said'}]}},
        'server': templates.server(
            {'network': ref('net')}, user_data_format='SOFTWARE_CONFIG',
            software_config_transport=transport),
        'deployment': {
            'type': 'OS::Heat::SoftwareDeployment', 'properties': {
                'config': ref('config'), 'server': ref('server'),
                'input_values': {'word': word},
                'signal_transport': signal}}},
        {'said': templates.attr('deployment', 'said'),
         'error': templates.attr('deployment', 'deploy_stderr')})


def begun(deployment, stacks, tenant, transport, signal):
    """Begin to create a stack; return its path and the agent."""
    tenant.heat_url = deployment.url
    path = stacks.create(f'{tenant.tag}-{transport}-{signal}',
                         deploying(transport, signal), wait=False)
    stacks.wait_resource(path, 'deployment', 'CREATE_IN_PROGRESS')
    return path, Agent(tenant, stacks.physical_ids(path)['server'])


@pytest.mark.parametrize(('transport', 'signal'), [
    ('POLL_SERVER_CFN', 'TEMP_URL_SIGNAL'),
    ('POLL_SERVER_CFN', 'CFN_SIGNAL'),
    ('POLL_SERVER_HEAT', 'HEAT_SIGNAL'),
    ('POLL_TEMP_URL', 'TEMP_URL_SIGNAL'),
    ('ZAQAR_MESSAGE', 'ZAQAR_SIGNAL')])
def test_deployment(deployment, stacks, tenant, transport, signal):
    path, agent = begun(deployment, stacks, tenant, transport, signal)
    inputs = stacks.until(agent.inputs)
    assert inputs['word'] == 'one'
    tell(deployment, tenant, inputs, {
        'said': 'one', 'deploy_status_code': 0})
    stacks.wait(path, 'CREATE_COMPLETE')
    assert stacks.outputs(path)['said'] == 'one'
    # The same server is given something else to do.
    stacks.update(path, deploying(transport, signal, 'two'), wait=False)
    inputs = stacks.until(lambda: _with_word(agent, 'two'))
    tell(deployment, tenant, inputs, {
        'said': 'two', 'deploy_stderr': 'hm', 'deploy_status_code': 0})
    stacks.wait(path, 'UPDATE_COMPLETE')
    assert stacks.outputs(path) == {'said': 'two', 'error': 'hm'}
    stacks.delete(path)


def _with_word(agent, word):
    inputs = agent.inputs()
    return inputs if inputs and inputs['word'] == word else None


def test_nobody_waits_for_a_signal(deployment, stacks, tenant):
    tenant.heat_url = deployment.url
    path = stacks.create(f'{tenant.tag}-none', deploying(
        'POLL_SERVER_HEAT', 'NO_SIGNAL'))
    agent = Agent(tenant, stacks.physical_ids(path)['server'])
    inputs = stacks.until(agent.inputs)
    assert inputs['word'] == 'one'
    assert 'deploy_signal_id' not in inputs
    stacks.delete(path)


def test_deployment_that_fails(deployment, stacks, tenant):
    path, agent = begun(deployment, stacks, tenant, 'POLL_SERVER_CFN',
                        'CFN_SIGNAL')
    tell(deployment, tenant, stacks.until(agent.inputs), {
        'deploy_stderr': 'no such thing', 'deploy_status_code': 7})
    shown = stacks.wait(path, 'CREATE_FAILED')
    assert 'resources.deployment' in shown['stack_status_reason']
    assert '7' in shown['stack_status_reason']
    assert stacks.outputs(path)['error'] == 'no such thing'
    stacks.delete(path)
