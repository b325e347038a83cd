"""What the cases of the conformance suite are about, and how they ask."""
import dataclasses
import json
import pathlib
import re
import uuid

import webob

from heat.api.middleware import fault
from heat.api.middleware import version_negotiation
from heat.api.openstack.v1 import routes
from heat.common import context
from heat.rpc import client as rpc_client
from tests.functional import described
from tests.functional import rest
from tests.functional.templates import hot
from tests.functional.templates import thing

FACTS = json.loads((pathlib.Path(__file__).resolve().parents[2] /
                    'facts' / 'rest_api.json').read_text())
#: What the recorded service answered by mistake, and what is right.
MENDED = {
    'InvalidRestrictedAction': (409, 'SoftwareConfigInUse'),
    # Of these types the answer does not show the text, so nobody would
    # know what is wrong.
    'ValueError|TypeError': (400, 'HTTPBadRequest|StackValidationFailed'),
    'InvalidMergeStrategyForParam|ConflictingMergeStrategyForParam':
        (400, 'InvalidMergeStrategyForParam|'
              'ConflictingMergeStrategyForParam'),
}
UNKNOWN = 'd5ae4bc8-0d42-4d30-8d57-5b2ef8ef2bf7'
#: Filled by the modules of cases: (action, index of the error) -> case.
ERRORS = {}


@dataclasses.dataclass(frozen=True)
class Row:
    """A route of the facts, with one of the paths it may have."""

    method: str
    path: str
    action: str
    status: int
    sub_path: str = ''
    arn: bool = False

    def __str__(self):
        return (f'{self.method} {self.path} {self.sub_path}'
                f'{" by ARN" if self.arn else ""}')


def rows():
    """Return a row for each route and path of the facts."""
    return [Row(row['method'], row['path'],
                f'{row["controller"]}.{row["action"]}',
                row['success_status'], sub, 'path_pattern' in row)
            for row in FACTS['routes']
            for sub in row.get('path_values', [''])]


def errors_of(action):
    """Return [(status, type, when)] that the facts list for an action."""
    found = []
    for error in FACTS['actions'][action].get('errors', ()):
        kind = error.get('type', 'HTTPBadRequest')
        status, kind = MENDED.get(kind, (error['status'], kind))
        found.append((status, kind, error.get('when', '')))
    return found


def all_errors():
    """Return (action, index, status, type) of each error of the facts."""
    return [(action, index, status, kind)
            for action in FACTS['actions']
            for index, (status, kind, _when) in enumerate(
                errors_of(action))]


def error(action, kind, when=''):
    """Return a decorator: the function yields answers with that error."""
    [index] = [index for index, (_status, known, text) in enumerate(
        errors_of(action)) if known == kind and when in text]

    def register(case):
        assert (action, index) not in ERRORS, (action, index)
        ERRORS[action, index] = case
        return case
    return register


@dataclasses.dataclass
class World:
    """A service, a client of it, and a stack with all that hangs on it.

    What a test may change is a fixture of that name.
    """

    service: object
    api: described.Client
    conf: object
    gate: object
    rules: object
    monkeypatch: object
    caplog: object
    #: Something real for each placeholder of a path.
    known: dict = dataclasses.field(default_factory=dict)

    # -- Things

    def stack(self, template=None, **kwargs):
        """Return a new stack at rest."""
        return self.api.created(f's-{uuid.uuid4().hex[:8]}',
                                template or hot({'a': thing()}), **kwargs)

    def busy(self, **properties):
        """Return a stack that is being created until the gate opens."""
        stack = self.api.create(f's-{uuid.uuid4().hex[:8]}', hot({
            'a': thing(gate=self.gate, **properties)}))
        rest.wait_for(
            lambda: stack.states().get('a') == 'CREATE_IN_PROGRESS',
            lambda: stack.states())
        return stack

    def snapshot(self, stack):
        """Return the id of a snapshot of a stack that is complete."""
        made = stack.request('POST', 'snapshots', {'name': 'n'},
                             expect=200).json['id']
        rest.wait_for(
            lambda: stack.get(f'snapshots/{made}')['snapshot']['status'] ==
            'COMPLETE', 'the snapshot')
        stack.wait('SNAPSHOT_COMPLETE')
        return made

    def config(self, api=None, **body):
        """Return the id of a new config."""
        return (api or self.api).post('software_configs', body)[
            'software_config']['id']

    def deployment(self, config=None, **body):
        """Return the id of a new deployment."""
        return self.api.post('software_deployments', {
            'config_id': config or self.config(), 'server_id': 'v',
            **body})['software_deployment']['id']

    def legacy(self):
        """Have stacks made from now on by the legacy driver."""
        self.conf('convergence_engine', False)

    # -- Who asks

    def as_user(self, *roles, project=None, user_id='someone'):
        """Return a client of a user with these roles, no administrator."""
        served = version_negotiation.VersionNegotiation(
            routes.build(rpc_client.EngineClient()), 'orchestration')

        def application(environ, start_response):
            webob.Request(environ).context = context.RequestContext(
                user_id=user_id, is_admin=False, roles=list(roles),
                project_id=project or self.api.project)
            return served(environ, start_response)

        return described.Client(fault.FaultWrapper(application),
                                self.api.project)

    def member(self):
        """Return a client of an ordinary user of the project."""
        return self.as_user('member', 'reader')

    # -- Rows of the facts

    @property
    def values(self):
        """Return something real for each placeholder of a path."""
        if not self.known:
            stack = self.stack(hot(
                {'a': thing(value='x')},
                outputs={'o': {'value': {'get_attr': ['a', 'value']}}}))
            snapshot = self.snapshot(stack)
            event = next(each for each in stack.get('events')['events']
                         if each['resource_name'] == 'a')
            self.known.update({
                'tenant_id': self.api.project, 'stack_name': stack.name,
                'stack_id': stack.id, 'resource_name': 'a',
                'event_id': event['id'], 'snapshot_id': snapshot,
                'output_key': 'o', 'config_id': self.config(),
                'deployment_id': self.deployment(), 'server_id': 'v',
                'type_name': 'OS::Heat::Value',
                'template_version': 'heat_template_version.2018-08-31'})
        return self.known

    def path(self, row, **values):
        """Return the path of a row, about real things."""
        values = {**self.values, 'path': row.sub_path, **values}
        if row.arn:
            values['stack_name'] = (
                f'arn:openstack:heat::{self.api.project}:stacks/'
                f'{values["stack_name"]}/{values["stack_id"]}')
        return re.sub(r'{(\w+)}', lambda found: values[found[1]], row.path)

    def body(self, row):
        """Return the body of the request that a row stands for, or None."""
        make = BODIES.get(row.action)
        return make(self) if make else None

    def ask(self, row, api=None, **kwargs):
        """Send the request that a row stands for."""
        return (api or self.api).request(
            row.method, self.path(row), self.body(row), **kwargs)


def _definition(**more):
    return lambda _world: {'template': hot({'a': thing(value='y')}), **more}


BODIES = {
    'stacks.validate_template': _definition(),
    'stacks.create': _definition(stack_name='new'),
    'stacks.preview': _definition(stack_name='new'),
    'stacks.update': _definition(),
    'stacks.update_patch': _definition(),
    'stacks.preview_update': _definition(),
    'stacks.preview_update_patch': _definition(),
    'stacks.snapshot': lambda _world: {'name': 'other'},
    'resource.signal': lambda _world: {'a': 1},
    'resource.mark_unhealthy': lambda _world: {'mark_unhealthy': 'TRUE'},
    'actions.action': lambda _world: {'check': None},
    'software_configs.create': lambda _world: {'name': 'n'},
    'software_deployments.create': lambda world: {
        'server_id': 'v', 'config_id': world.values['config_id']},
    'software_deployments.update': lambda _world: {'status': 'COMPLETE'},
}
