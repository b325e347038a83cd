"""Cases: errors of requests that define stacks.

Creation, update and their previews refuse the same templates.
"""
from tests.functional.conformance import stacks
from tests.functional.conformance import world as worlds
from tests.functional.templates import hot
from tests.functional.templates import thing

REQUIRED = {'p': {'type': 'string'}}


def _merge(*strategies):
    """Return a body whose environment files merge parameters so."""
    names = [f'{number}.yaml' for number in range(len(strategies))]
    return {
        'template': hot(parameters={'p': {
            'type': 'comma_delimited_list', 'default': 'a'}}),
        'environment_files': names,
        'files': {name: f'parameters: {{p: [x]}}\n'
                        f'parameter_merge_strategies: {{p: {strategy}}}\n'
                  for name, strategy in zip(names, strategies,
                                            strict=True)}}


BODIES = {
    'StackValidationFailed': [
        {'template': hot({'a': {'type': 'Test::Thin'}})},
        {'template': hot({'a': thing(valeu='x')})}],
    'InvalidTemplateVersion': [
        {'template': hot(version='2000-01-01')}],
    'InvalidTemplateSection': [{'template': hot(nothing={})}],
    'InvalidTemplateReference': [
        {'template': hot({'a': thing(depends_on='b')})},
        {'template': hot({'a': thing(value={'get_resource': 'b'})})}],
    'InvalidSchemaError': [
        {'template': hot(parameters={'p': {'type': 'nonsense'}})}],
    'UserParameterMissing': [{'template': hot(parameters=REQUIRED)}],
    'UnknownUserParameter': [
        {'template': hot(), 'parameters': {'p': 'x'}}],
    'ResourceTypeUnavailable': [
        {'template': hot({'a': {'type': 'OS::Nova::KeyPair',
                                'properties': {'name': 'k'}}})}],
    'CircularDependencyException': [
        {'template': hot({'a': thing(depends_on='b'),
                          'b': thing(depends_on='a')})}],
    'InvalidMergeStrategyForParam|ConflictingMergeStrategyForParam': [
        _merge('merge', 'deep_merge'), _merge('deep_merge', 'merge')],
}
PARTS = [{'template': 'a: ['}, {'template': 7},
         {'template': hot(), 'environment': 'a: ['},
         {'template': hot(), 'environment': {'nonsense': {}}},
         {'template': hot(), 'timeout_mins': 'x'},
         {'template': hot(), 'tags': 'x' * 81},
         {'template': hot(), 'tags': ['a']},
         {'template': hot(), 'disable_rollback': 'perhaps'}]


def _creating(path):
    def send(world, body, api=None):
        return (api or world.api).request(
            'POST', path, {'stack_name': 'new', **body})
    return send


def _updating(method, path=''):
    def send(world, body, api=None):
        values = world.values
        stack = f'stacks/{values["stack_name"]}/{values["stack_id"]}'
        return (api or world.api).request(method, stack + path, body)
    return send


CREATING = {'stacks.create': _creating('stacks'),
            'stacks.preview': _creating('stacks/preview')}
UPDATING = {'stacks.update': _updating('PUT'),
            'stacks.update_patch': _updating('PATCH'),
            'stacks.preview_update': _updating('PUT', '/preview'),
            'stacks.preview_update_patch': _updating('PATCH', '/preview')}


def _register_templates(action, send):
    for kind, bodies in BODIES.items():
        @worlds.error(action, kind)
        def refused(world, bodies=bodies):
            for body in bodies:
                yield send(world, body)

    @worlds.error(action, 'RequestLimitExceeded')
    def too_much(world):
        big = hot({name: thing() for name in 'abc'})
        nested = {'template': hot({'a': {'type': 'a.yaml'}}), 'files': {
            'a.yaml': 'heat_template_version: 2018-08-31\n'
                      'resources: {a: {type: b.yaml}}\n',
            'b.yaml': 'heat_template_version: 2018-08-31\n'
                      'resources: {a: {type: "Test::Thing"}}\n'}}
        world.values  # noqa: B018 (made before there are limits)
        world.conf('max_nested_stack_depth', 1)
        yield send(world, nested)
        world.conf('max_resources_per_stack', 2)
        yield send(world, {'template': big})
        world.conf('max_template_size', 100)
        yield send(world, {'template': 'heat_template_version: 2018-08-31\n'
                           + '#' * 100})
        world.conf('max_json_body_size', 100)
        yield send(world, {'template': big})

    @worlds.error(action, 'Forbidden')
    def forbidden_type(world):
        world.values  # noqa: B018 (made before it is forbidden)
        world.rules(**{'resource_types:Test::Thing': '!'})
        yield send(world, {'template': hot({'a': thing()})})


def _register_creation(action, send):
    @worlds.error(action, 'HTTPBadRequest')
    def parts(world):
        yield send(world, {})
        yield send(world, {'template': hot(), 'stack_name': None})
        yield send(world, {'template': hot(), 'converge': True})
        for body in PARTS:
            yield send(world, body)

    @worlds.error(action, 'NotSupported')
    def adopting(world):
        yield send(world, {'adopt_stack_data': stacks.exported('x')})

    @worlds.error(action, 'StackExists')
    def taken(world):
        stack = world.stack()
        yield send(world, {'stack_name': stack.name, 'template': hot()})


def _register_update(action, send):
    @worlds.error(action, 'HTTPBadRequest')
    def parts(world):
        if 'patch' not in action:
            yield send(world, {})
        for body in PARTS:
            yield send(world, body)

    @worlds.error(action, 'NotSupported', 'PATCH without template')
    def unknown_template(world):
        world.legacy()
        stack = world.api.create('failed', hot({'a': thing(
            fail=['CREATE'])}))
        stack.wait('CREATE_FAILED')
        method = 'PATCH'
        path = '/preview' if 'preview' in action else ''
        yield world.api.request(method, stack.path + path,
                                {'disable_rollback': True})

    @worlds.error(action, 'ImmutableParameterModified')
    def immutable(world):
        template = hot(parameters={'p': {
            'type': 'string', 'default': 'a', 'immutable': True}})
        stack = world.stack(template)
        world.values.update(stack_name=stack.name, stack_id=stack.id)
        yield send(world, {'template': template, 'parameters': {'p': 'b'}})

    if 'preview' in action:
        return

    @worlds.error(action, 'NotSupported', 'SUSPEND or DELETE')
    def suspended(world):
        stack = world.stack()
        stack.act('suspend')
        stack.wait('SUSPEND_COMPLETE')
        world.values.update(stack_name=stack.name, stack_id=stack.id)
        yield send(world, {'template': hot()})

    @worlds.error(action, 'ActionInProgress')
    def locked(world):
        world.legacy()
        stack = world.busy()
        world.values.update(stack_name=stack.name, stack_id=stack.id)
        yield send(world, {'template': hot()})
        world.gate.open()
        stack.wait('CREATE_COMPLETE')


for _action, _send in {**CREATING, **UPDATING}.items():
    _register_templates(_action, _send)
for _action, _send in CREATING.items():
    _register_creation(_action, _send)
for _action, _send in UPDATING.items():
    _register_update(_action, _send)
