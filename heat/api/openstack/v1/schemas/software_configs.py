"""Schemas of the API for software configs."""
from heat.api import declaration
from heat.api.openstack.v1.schemas import common

Error = declaration.Error
Operation = declaration.Operation

_KEYS = {
    'id': common.UUID,
    'name': common.TEXT_OR_NULL,
    'group': common.TEXT_OR_NULL,
    'creation_time': common.TIME,
}
_IO = declaration.array(common.MAP)
COMPONENTS = {
    'ListedSoftwareConfig': declaration.record(
        _KEYS, {'project': common.TEXT}),
    'SoftwareConfig': declaration.record({
        **_KEYS,
        'config': common.ANY,
        'inputs': _IO,
        'outputs': _IO,
        'options': common.MAP,
    }),
}
_ONE = declaration.wrapped('software_config',
                           declaration.ref('SoftwareConfig'))
_UNKNOWN = Error(404, 'NotFound', 'there is no such config')

OPERATIONS = {
    'index': Operation(
        'List software configs',
        query=(
            declaration.text('marker', common.MARKER),
            declaration.natural('limit', common.LIMIT),
            common.global_tenant('software_configs:global_index')),
        response=declaration.wrapped(
            'software_configs',
            declaration.array(declaration.ref('ListedSoftwareConfig'))),
        errors=(Error(403, 'Forbidden', '``global_tenant`` is not for you'),
                )),
    'show': Operation('Show a software config', response=_ONE,
                      errors=(_UNKNOWN,)),
    'create': Operation(
        'Store a software config',
        'It never changes afterwards.',
        body={'type': 'object', 'properties': {
            'name': {'type': ['string', 'null'],
                     'description': 'What to call it.'},
            'group': {'type': ['string', 'null'],
                      'description': 'Which tool on the server takes it, '
                                     'like ``script``.'},
            'config': {'description': 'The configuration itself.'},
            # What an item may have is said by the engine.
            'inputs': {'type': ['array', 'null'],
                       'description': 'The inputs, each an object with '
                                      '``name`` at least.'},
            'outputs': {'type': ['array', 'null'],
                        'description': 'The outputs, each an object with '
                                       '``name`` at least.'},
            'options': {'type': ['object', 'null'],
                        'description': 'Options of the tool.'},
        }},
        response=_ONE,
        errors=(
            Error(400, 'HTTPBadRequest|StackValidationFailed',
                  'a part is of another type, or an input or output has '
                  'not the form of one'),
            Error(400, 'RequestLimitExceeded',
                  'the project has as many as the option '
                  'max_software_configs_per_tenant allows'))),
    'delete': Operation(
        'Delete a software config',
        errors=(_UNKNOWN, Error(409, 'SoftwareConfigInUse',
                                'a deployment uses it'))),
}
