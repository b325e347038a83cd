"""Cases: errors about resources, events, types, configs and engines."""
import oslo_messaging

from heat.rpc import client as rpc_client
from tests.functional import rest
from tests.functional.conformance import stacks
from tests.functional.conformance import world as worlds
from tests.functional.templates import hot
from tests.functional.templates import thing

HIDDEN = 'OS::Neutron::LoadBalancer'
ABSENT = 'OS::Nova::KeyPair'


# -- Resources

def _unknown_resource(method, path='', body=None):
    def case(world):
        yield world.stack().request(method, f'resources/x{path}', body)
    return case


for _action, _request in {
        'show': ('GET',), 'metadata': ('GET', '/metadata'),
        'signal': ('POST', '/signal', {}),
        'mark_unhealthy': ('PATCH', '', {'mark_unhealthy': True})}.items():
    worlds.error(f'resource.{_action}', 'ResourceNotFound')(
        _unknown_resource(*_request))


@worlds.error('resource.metadata', 'Forbidden')
def foreign_metadata(world):
    stack = world.stack()
    user = world.as_user('heat_stack_user')
    yield user.request('GET', f'{stack.path}/resources/a/metadata')


@worlds.error('resource.mark_unhealthy', 'HTTPBadRequest')
def wrong_marks(world):
    stack = world.stack()
    for body in ({'nonsense': 1, 'mark_unhealthy': True},
                 {'resource_status_reason': 'x'}, {'mark_unhealthy': 1},
                 {'mark_unhealthy': 'perhaps'}):
        yield stack.request('PATCH', 'resources/a', body)


@worlds.error('resource.mark_unhealthy', 'PhysicalResourceIDAmbiguity')
def ambiguous_id(world):
    stack = stacks.adopted(world, 'twin', 'twin')
    yield stack.request('PATCH', 'resources/twin', {'mark_unhealthy': True})


@worlds.error('resource.mark_unhealthy', 'ActionInProgress')
def mark_locked(world):
    world.legacy()
    stack = world.busy()
    yield stack.request('PATCH', 'resources/a', {'mark_unhealthy': True})
    world.gate.open()
    stack.wait('CREATE_COMPLETE')


@worlds.error('resource.signal', 'ResourceNotAvailable')
def signal_of_what_is_gone(world):
    stack = world.stack(hot({'a': thing(fail=['DELETE']),
                             'b': thing(depends_on='a')}))
    stack.request('DELETE', expect=204)
    rest.wait_for(lambda: stack.state == 'DELETE_FAILED', 'the failure')
    yield stack.request('POST', 'resources/b/signal', {})


@worlds.error('resource.signal', 'NotSupported')
def signal_of_what_sleeps(world):
    stack = world.stack()
    stack.act('suspend')
    stack.wait('SUSPEND_COMPLETE')
    yield stack.request('POST', 'resources/a/signal', {})


@worlds.error('resource.signal', 'InvalidBreakPointHook')
def unknown_hook(world):
    stack = world.stack()
    for hook in ('pre-create', 'nonsense'):
        yield stack.request('POST', 'resources/a/signal',
                            {'unset_hook': hook})


@worlds.error('resource.signal', 'ResourceActionNotSupported')
def signal_of_what_is_deaf(world):
    stack = world.stack(hot({'d': {'type': 'Test::Deaf'}}))
    yield stack.request('POST', 'resources/d/signal', {})


# -- Events

@worlds.error('events.index', 'HTTPNotFound')
def no_events(world):
    yield world.stack().request('GET', 'resources/x/events')


@worlds.error('events.show', 'HTTPNotFound')
def unknown_event(world):
    stack = world.stack()
    event = next(each['id'] for each in stack.get('events')['events']
                 if each['resource_name'] == 'a')
    yield stack.request('GET', f'resources/a/events/{worlds.UNKNOWN}')
    yield stack.request('GET', f'resources/x/events/{event}')


# -- Types

@worlds.error('stacks.list_resource_types', 'Invalid')
def unknown_support(world):
    yield world.api.request('GET', 'resource_types', support_status='x')


def _type(name, path='', kind='EntityNotFound', action='resource_schema',
          **query):
    @worlds.error(f'stacks.{action}', kind)
    def case(world):
        yield world.api.request('GET', f'resource_types/{name}{path}',
                                **query)


_type('No::Such')
_type(HIDDEN, kind='NotSupported')
_type(ABSENT, kind='ResourceTypeUnavailable')
_type('No::Such', '/template', action='generate_template')
_type(HIDDEN, '/template', 'NotSupported', 'generate_template')
_type('OS::Heat::Value', '/template', 'HTTPBadRequest',
      'generate_template', template_type='x')


@worlds.error('stacks.resource_schema', 'Forbidden')
def forbidden_type(world):
    world.rules(**{'resource_types:Test::Thing': '!'})
    yield world.api.request('GET', 'resource_types/Test::Thing')


@worlds.error('stacks.list_template_functions', 'NotFound')
def unknown_version(world):
    for version in ('heat_template_version.1', 'x', 'a.b.c'):
        yield world.api.request('GET',
                                f'template_versions/{version}/functions')


# -- Software configs and deployments

@worlds.error('software_configs.create', 'HTTPBadRequest|'
                                         'StackValidationFailed')
def wrong_io(world):
    for body in ({'inputs': 'x'}, {'inputs': ['x']}, {'outputs': [{}]},
                 {'inputs': [{'name': 'a', 'nonsense': 1}]},
                 {'outputs': [{'name': 'a', 'type': 'nonsense'}]}):
        yield world.api.request('POST', 'software_configs', body)


@worlds.error('software_configs.create', 'RequestLimitExceeded')
def too_many_configs(world):
    world.config()
    world.conf('max_software_configs_per_tenant', 1)
    yield world.member().request('POST', 'software_configs', {})


@worlds.error('software_configs.delete', 'SoftwareConfigInUse')
def used_config(world):
    config = world.config()
    deployment = world.deployment(config)
    yield world.api.request('DELETE', f'software_configs/{config}')
    for path in (f'software_deployments/{deployment}',
                 f'software_configs/{config}'):
        world.api.request('DELETE', path, expect=204)


@worlds.error('software_deployments.create', 'NotFound')
def unknown_config(world):
    for more in ({}, {'config_id': worlds.UNKNOWN}, {'config_id': None}):
        yield world.api.request('POST', 'software_deployments',
                                {'server_id': 'v', **more})


@worlds.error('software_deployments.create', 'Invalid')
def long_project(world):
    yield world.api.request('POST', 'software_deployments', {
        'server_id': 'v', 'config_id': world.config(),
        'stack_user_project_id': 'x' * 65})
    yield world.api.request('POST', 'software_deployments', {
        'config_id': world.config()})


@worlds.error('software_deployments.create', 'RequestLimitExceeded')
def too_many_deployments(world):
    config = world.config()
    world.deployment(config)
    world.conf('max_software_deployments_per_tenant', 1)
    yield world.member().request('POST', 'software_deployments', {
        'server_id': 'v', 'config_id': config})


def _unknown(noun, method, body=None):
    def case(world):
        for name in (worlds.UNKNOWN, 'x'):
            yield world.api.request(method, f'{noun}/{name}', body)
    return case


for _key, _request in {
        'software_configs.show': ('software_configs', 'GET'),
        'software_configs.delete': ('software_configs', 'DELETE'),
        'software_deployments.show': ('software_deployments', 'GET'),
        'software_deployments.delete': ('software_deployments', 'DELETE'),
        'software_deployments.update': (
            'software_deployments', 'PUT', {'status': 'COMPLETE'}),
        }.items():
    worlds.error(_key, 'NotFound')(_unknown(*_request))


# -- Engines

@worlds.error('service.index', 'HTTPServiceUnavailable')
def no_engine(world):
    def call(*_args, **_kwargs):
        raise oslo_messaging.MessagingTimeout('nobody')

    world.monkeypatch.setattr(rpc_client.EngineClient, 'call', call)
    yield world.api.request('GET', 'services')
