"""What a project owns of each kind, and how to see that it is untouched."""
import contextlib
import dataclasses
import json
import re
import sqlite3
import uuid

from tests.functional import rest
from tests.functional.templates import hot

HANDLE = {'type': 'AWS::CloudFormation::WaitConditionHandle'}
#: What of the tables belongs to a project.
_ROWS = (
    'SELECT * FROM stack WHERE tenant = :tenant ORDER BY id',
    'SELECT * FROM resource WHERE stack_id IN (SELECT id FROM stack '
    'WHERE tenant = :tenant) ORDER BY id',
    'SELECT * FROM resource_data WHERE resource_id IN (SELECT resource.id '
    'FROM resource JOIN stack ON stack.id = resource.stack_id '
    'WHERE stack.tenant = :tenant) ORDER BY id',
    'SELECT * FROM event WHERE stack_id IN (SELECT id FROM stack '
    'WHERE tenant = :tenant) ORDER BY id',
    'SELECT * FROM snapshot WHERE tenant = :tenant ORDER BY id',
    'SELECT * FROM change_set WHERE tenant = :tenant ORDER BY id',
    'SELECT * FROM software_config WHERE tenant = :tenant ORDER BY id',
    'SELECT * FROM software_deployment WHERE tenant = :tenant ORDER BY id',
    'SELECT raw_template.* FROM raw_template JOIN stack '
    'ON stack.raw_template_id = raw_template.id '
    'WHERE stack.tenant = :tenant ORDER BY raw_template.id')


def _thing(mark):
    return {'type': 'Test::Thing', 'properties': {'value': mark},
            'metadata': {'note': mark}}


def _inner(mark):
    return hot({'handle': HANDLE, 'thing': _thing(mark)},
               outputs={'key': {'value': mark}})


def _template(mark):
    return hot({
        'nest': {'type': 'inner.yaml'}, 'handle': HANDLE,
        'thing': _thing(mark),
        'server': {'type': 'OS::Heat::DeployedServer', 'properties': {
            'software_config_transport': 'POLL_SERVER_HEAT'}}},
        description=mark,
        parameters={'p': {'type': 'string', 'default': mark}},
        outputs={'key': {'value': mark, 'description': mark},
                 'url': {'value': {'get_resource': 'handle'}}})


@dataclasses.dataclass(frozen=True)
class Treasure:
    """The ids and names of what a project owns.

    :ivar mark: a text that nobody but the owner may read, in all that can
        hold one
    """

    project: object
    mark: str
    stack: object
    nested_name: str
    nested_id: str
    values: dict

    @classmethod
    def of(cls, project):
        """Return what a project has, newly made."""
        api, mark = project.api, 'treasure-' + uuid.uuid4().hex
        stack = api.created(f'stack-{uuid.uuid4().hex}', _template(mark),
                            files={'inner.yaml': json.dumps(_inner(mark))})
        nested_id = stack.physical('nest')
        nested_name = api.request(
            'GET', f'stacks/{nested_id}', expect=302).headers[
                'Location'].split('/')[-2]
        snapshot = stack.request('POST', 'snapshots', {'name': mark},
                                 expect=200).json
        stack.wait('SNAPSHOT_COMPLETE')
        config = api.post('software_configs', {
            'name': mark, 'config': mark})['software_config']
        server = stack.physical('server')
        deployment = api.post('software_deployments', {
            'config_id': config['id'], 'server_id': server,
            'input_values': {'secret': mark}})['software_deployment']
        event = stack.get('resources/thing/events')['events'][0]
        change_set = stack.request('POST', 'change_sets', {
            'template': _template(mark), 'name': mark, 'existing': True},
            expect=201).json['change_set']
        rest.wait_for(
            lambda: not stack.get(f'change_sets/{change_set["id"]}')[
                'change_set']['status'].endswith('IN_PROGRESS'),
            'the plan')
        return cls(project, mark, stack, nested_name, nested_id, {
            'tenant_id': project.id,
            'stack_name': stack.name, 'stack_id': stack.id,
            'resource_name': 'thing', 'event_id': event['id'],
            'snapshot_id': snapshot['id'], 'output_key': 'key',
            'config_id': config['id'], 'deployment_id': deployment['id'],
            'change_set_id': change_set['id'],
            'server_id': server, 'type_name': 'OS::Heat::Value',
            'template_version': 'heat_template_version.2018-08-31'})

    def nested_values(self):
        """Return the same values for the nested stack."""
        return {**self.values, 'stack_name': self.nested_name,
                'stack_id': self.nested_id}

    def ghosts(self):
        """Return values of the same kind that stand for nothing."""
        same = ('tenant_id', 'type_name', 'template_version')
        return {name: value if name in same else (
            str(uuid.uuid4()) if re.fullmatch(
                r'[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}', value)
            else 'none-' + uuid.uuid4().hex)
            for name, value in self.values.items()}

    def state(self):
        """Return all that is stored of what the project owns."""
        path = self.project.world.service.database.partition('///')[2]
        with contextlib.closing(sqlite3.connect(path)) as database:
            return [database.execute(
                statement, {'tenant': self.project.id}).fetchall()
                for statement in _ROWS]

    def secrets(self):
        """Return what a foreign answer may not hold."""
        return [self.mark, self.stack.id, self.nested_id, self.nested_name,
                *(self.values[name] for name in (
                    'stack_name', 'event_id', 'snapshot_id', 'config_id',
                    'deployment_id', 'server_id', 'change_set_id'))]
