"""Servers, deployments and wait conditions as Heat's database has them.

Servers exist in stacks only, so no compute service is asked; where agents
read and signal is told by the services of tests.fakes.swift.
"""
import json

import webob

from tests.fakes import heat_rows
from tests.functional import templates

#: Transports of servers, and of signals of the deployments to them.
TRANSPORTS = {'POLL_SERVER_CFN': 'CFN_SIGNAL',
              'POLL_SERVER_HEAT': 'HEAT_SIGNAL',
              'POLL_TEMP_URL': 'TEMP_URL_SIGNAL',
              'ZAQAR_MESSAGE': 'ZAQAR_SIGNAL'}
#: {kind: (config of the user, what the server is offered)}
CONFIGS = {'Software': ('echo $who', 'echo $who'),
           'Structured': ({'say': {'get_input': 'who'}}, {'say': 'anna'})}
#: What else the members of a group have of it.
_DEFAULTS = {'Software': {}, 'Structured': {
    'input_key': 'get_input', 'input_values_validate': 'LAX'}}
_KEYS = {'credential_id': 'cred', 'access_key': 'access',
         'secret_key': 'secret'}
_INPUTS = [{'name': 'who', 'type': 'String', 'default': 'world'}]
_OUTPUTS = [{'name': 'result', 'type': 'String', 'error_output': False}]
_URL = '%s/%s/%s?temp_url_sig=%s&temp_url_expires=1'


def ref(name):
    return {'get_resource': name}


def template(transport, *, who='anna', group=False, name=None,
             is_empty=False, kind='Software'):
    """Return the resources of a stack with a deployment, or with a group.

    :param is_empty: whether the group has no server
    :param kind: of the config and of its deployment, a word of the types
    """
    props = {'config': ref('config'), 'input_values': {'who': who},
             'signal_transport': TRANSPORTS[transport]}
    if name is not None:
        props['name'] = name
    if group:
        deployment = {'type': f'OS::Heat::{kind}DeploymentGroup',
                      'properties': {**props, 'servers': {} if is_empty else {
                          'one': ref('server')}}}
    else:
        deployment = {'type': f'OS::Heat::{kind}Deployment',
                      'properties': {**props, 'server': ref('server')}}
    return templates.hot({
        'config': {'type': f'OS::Heat::{kind}Config', 'properties': {
            'group': 'script', 'config': CONFIGS[kind][0],
            'inputs': [{'name': 'who', 'default': 'world'}],
            'outputs': [{'name': 'result'}]}},
        'server': {'type': 'OS::Heat::DeployedServer', 'properties': {
            'software_config_transport': transport}},
        'deployment': deployment}, outputs={
            'result': {'value': templates.attr('deployment', 'result')}})


class Cloud:
    """What agents read and signal by.

    Over HTTP it takes what is put at temporary URLs.

    :ivar rows: {name: Software}
    :ivar gone: (project, user) of users that were deleted
    """

    swift = zaqar = None

    def __init__(self):
        self.rows, self.gone = {}, []

    def url(self, container, name, method):
        """Return a temporary URL."""
        return _URL % (self.swift.get_endpoint(), container, name, method)

    def __call__(self, environ, start_response):
        request = webob.Request(environ)
        _v1, _account, container, name = request.path_info.strip(
            '/').split('/')
        self.swift.upload_object(container, name, request.body)
        return webob.Response(status=201)(environ, start_response)


class Software:
    """The rows of a stack with software deployments.

    :param state: of the stack and of the deployment
    :param group: whether the deployment is in a group
    :param is_added: whether the update that was going on has brought the
        server into the group
    :param is_signalled: whether the server is done, which no engine saw
    :ivar offered: the id of the config that the server has been offered
    :ivar deployed: the row of the deployment
    :ivar users: the ids of the users of server and deployment
    """

    def __init__(self, database, cloud, name, transport, *,
                 convergence=True, state=('CREATE', 'COMPLETE'),
                 group=False, is_added=False, is_signalled=False,
                 kind='Software'):
        self.cloud, self.transport, self.state = cloud, transport, state
        self.is_signalled = is_signalled
        self.is_added, self.kind = is_added, kind
        self.action = state[0]
        going = state[1] == 'IN_PROGRESS'
        before = None
        whole = template(transport, group=group, kind=kind)
        if self.action == 'UPDATE' and going:
            before = database.template(template(
                transport, who='anna' if is_added else 'before',
                group=group, is_empty=is_added, kind=kind))
        self.stack = database.stack(
            name, database.template(whole), convergence=convergence,
            action=self.action, status=state[1], before=before)
        self.config = self.stack.config(
            inputs=_INPUTS, outputs=_OUTPUTS, config=CONFIGS[kind][0])
        self.config_row = self.stack.resource(
            'config', physical=self.config,
            properties=whole['resources']['config']['properties'])
        database.update('software_config', self.config,
                        name=self.config_row.physical_name)
        self.server_id, self.deployment_id, self.offered = (
            heat_rows.new_id(), heat_rows.new_id(), heat_rows.new_id())
        self.users = [] if transport == 'POLL_TEMP_URL' else [
            'user of server', 'user of deployment']
        self.server = self._server()
        if group:
            self._group(database, convergence)
        else:
            self.deployed = self._deployment(self.stack, 'deployment')
            self._graph(self.deployed)
        self._offer()
        if not convergence and going:
            self.stack.lock()

    def _graph(self, deployed):
        if not self.stack.convergence:
            return
        going = self.state[1] == 'IN_PROGRESS'
        edges = [(deployed.update, self.config_row.update),
                 (deployed.update, self.server.update)]
        if self.action == 'UPDATE':
            edges += [(row.clean, row.update) for row in
                      (deployed, self.config_row, self.server)]
        self.stack.graph(*edges, going=going, done=[
            self.config_row.update, self.server.update])

    # -- the server ----------------------------------------------------------

    def _server(self):
        data = {} if self.transport == 'POLL_TEMP_URL' else {
            'user_id': 'user of server'}
        secret = {} if not data else _KEYS if (
            self.transport == 'POLL_SERVER_CFN') else {'password': 'pw'}
        row = self.stack.resource(
            'server', data=data, secret=secret, physical=self.server_id,
            properties={'software_config_transport': self.transport})
        keep = self.stack.database.insert
        if self.transport == 'POLL_TEMP_URL':
            self.cloud.swift.create_container(row.physical_name)
            self.object = heat_rows.new_id()
            kept = {'metadata_object_name': self.object,
                    'metadata_put_url': self.cloud.url(
                        row.physical_name, self.object, 'put')}
        elif self.transport == 'ZAQAR_MESSAGE':
            self.cloud.zaqar.queues[row.physical_name] = {}
            kept = {'metadata_queue_id': row.physical_name}
        else:
            kept = {}
        for key, value in kept.items():
            keep('resource_data', resource_id=row.id, key=key, value=value,
                 redact=False, decrypt_method='')
        return row

    def agent(self):
        """Return the part of the metadata that the agent reads."""
        name = self.server.physical_name
        user = {'user_id': 'user of server', 'password': 'pw',
                'auth_url': 'http://keystone.test/v3',
                'project_id': self.stack.user_project, 'region_name': None}
        source, values = {
            'POLL_SERVER_CFN': ('cfn', {
                'metadata_url': 'http://cfn.test:8000/v1/',
                'access_key_id': 'access', 'secret_access_key': 'secret',
                'stack_name': self.stack.name, 'path': 'server.Metadata'}),
            'POLL_SERVER_HEAT': ('heat', {
                **user, 'stack_id': f'{self.stack.name}/{self.stack.id}',
                'resource_name': 'server'}),
            'POLL_TEMP_URL': ('request', {'metadata_url': self.cloud.url(
                name, getattr(self, 'object', ''), 'get')}),
            'ZAQAR_MESSAGE': ('zaqar', {**user, 'queue_id': name}),
        }[self.transport]
        return {'collectors': [source, 'local'], source: values}

    # -- the deployment ------------------------------------------------------

    def _properties(self, **more):
        who = 'before' if self._is_being_changed() else 'anna'
        return {'config': self.config, 'input_values': {'who': who},
                'signal_transport': TRANSPORTS[self.transport],
                'server': self.server_id, **more}

    def _is_being_changed(self):
        return self.state == ('UPDATE', 'IN_PROGRESS') and not self.is_added

    def _deployment(self, stack, name, *, properties=None):
        how = TRANSPORTS[self.transport]
        data = {} if how == 'TEMP_URL_SIGNAL' else {
            'user_id': 'user of deployment'}
        secret = {**_KEYS, 'ec2_signed_url': 'http://cfn.test:8000/v1/'
                  'signal/x'} if how == 'CFN_SIGNAL' else (
                      {} if not data else {'password': 'pw'})
        is_done = self.state[1] == 'COMPLETE'
        action = 'CREATE' if self.is_added else self.action
        row = stack.resource(
            name, physical=self.deployment_id, data=data, secret=secret,
            action=action, status=self.state[1],
            claimed=stack.convergence and not is_done,
            properties=properties or self._properties(),
            template_id=stack.before if action == 'UPDATE' else None,
            requires=() if stack is not self.stack else (
                self.config_row, self.server))
        kept = {'TEMP_URL_SIGNAL': {
                    'swift_signal_object_name': row.physical_name,
                    'swift_signal_url': self.cloud.url(
                        stack.id, row.physical_name, 'put')},
                'ZAQAR_SIGNAL': {
                    'zaqar_signal_queue_id': row.physical_name},
                'HEAT_SIGNAL': {'heat_signal_url': 'http://localhost/v1/x'},
                }.get(how, {})
        for key, value in kept.items():
            stack.database.insert('resource_data', resource_id=row.id,
                                  key=key, value=value, redact=False,
                                  decrypt_method='')
        if how == 'TEMP_URL_SIGNAL':
            self.cloud.swift.create_container(stack.id)
            self.cloud.swift.upload_object(stack.id, row.physical_name,
                                           'in progress')
        elif how == 'ZAQAR_SIGNAL':
            self.cloud.zaqar.queues[row.physical_name] = {}
        self._store_config(row, how)
        row.deploy(self.deployment_id, self.server_id, self.offered,
                   action=action, inputs={'who': 'anna'}, **({
                       'status': 'COMPLETE', 'outputs': {
                           'deploy_stdout': '', 'deploy_stderr': '',
                           'deploy_status_code': 0, 'result': 'hello anna'}}
                       if is_done or self.is_signalled else
                       {'status': self.state[1]}))
        return row

    def _store_config(self, row, how):
        """Store the config made for the server, in the words of Heat."""
        told = {'deploy_server_id': self.server_id,
                'deploy_action': row.action,
                'deploy_stack_id': f'{row.stack.name}/{row.stack.id}',
                'deploy_resource_name': row.name,
                'deploy_signal_transport': how,
                'deploy_signal_id': 'http://cfn.test:8000/v1/signal/x'}
        self.stack.config(
            config_id=self.offered, name=self.config_row.physical_name,
            config=CONFIGS[self.kind][1], outputs=_OUTPUTS, inputs=[
                {**_INPUTS[0], 'value': 'anna'},
                *({'name': name, 'type': 'String', 'value': value,
                   'description': 'As Heat says'}
                  for name, value in told.items())])

    def _members(self, database, **members):
        """Store the nested template as Heat makes it; return its number.

        :param members: their properties by their names
        """
        return database.template({
            'heat_template_version': '2015-04-30',
            'resources': {name: {
                'type': f'OS::Heat::{self.kind}Deployment',
                'properties': props} for name, props in members.items()},
            'outputs': {'refs_map': {'value': {
                name: {'get_resource': name} for name in members}},
                'result': {'value': {
                    name: {'get_attr': [name, 'result']}
                    for name in members}}}})

    def _group(self, database, convergence):
        """Store the group."""
        props = self._properties(name=None, actions=['CREATE', 'UPDATE'],
                                 **_DEFAULTS[self.kind])
        before, inner = None, self._members(
            database, one={**props, 'input_values': {'who': 'anna'}})
        if self.stack.before is not None:
            before = self._members(
                database, **{} if self.is_added else {'one': props})
        child_id = heat_rows.new_id()
        group = self.stack.resource(
            'deployment', physical=child_id, action=self.action,
            status=self.state[1],
            claimed=convergence and self.state[1] == 'IN_PROGRESS',
            template_id=self.stack.before,
            requires=(self.config_row, self.server), properties={
                'servers': {} if self.is_added else {
                    'one': self.server_id}, 'config': self.config,
                'input_values': props['input_values'],
                'signal_transport': props['signal_transport']})
        self.child = database.stack(
            group.physical_name, inner, stack_id=child_id,
            convergence=convergence, action=self.action, before=before,
            status=self.state[1], parent=(self.stack, 'deployment'))
        self.deployed = self._deployment(self.child, 'one',
                                         properties=props)
        if convergence:
            self.child.graph((self.deployed.update, None), *(
                [(self.deployed.clean, self.deployed.update)]
                if self.deployed.action == 'UPDATE' else []),
                going=self.state[1] == 'IN_PROGRESS')
            self._graph(group)

    def _offer(self):
        """Put into the metadata of the server what it is offered."""
        self.metadata = {
            'deployments': [{'id': self.offered,
                             'name': self.config_row.physical_name,
                             'group': 'script',
                             'config': CONFIGS[self.kind][1]}],
            'os-collect-config': self.agent()}
        self.stack.database.update('resource', self.server.id,
                                   rsrc_metadata=self.metadata)
        if self.transport == 'POLL_TEMP_URL':
            self.cloud.swift.upload_object(
                self.server.physical_name, self.object,
                json.dumps(self.metadata))
