"""Schemas of the API for templates and resource types."""
from heat.api import declaration
from heat.api.openstack.v1.schemas import common
from heat.api.openstack.v1.schemas import stack_changes
from heat.common import param_utils

Error = declaration.Error
Operation = declaration.Operation

_PARAMETER = {
    'type': 'object',
    'properties': {
        'Type': {'enum': ['String', 'Number', 'CommaDelimitedList', 'Json',
                          'Boolean']},
        'Description': common.TEXT,
        'NoEcho': {'enum': ['true', 'false']},
        'Label': common.TEXT,
        'Default': common.ANY,
        'Value': common.ANY,
        'Tags': declaration.array(common.TEXT),
        'MinLength': common.ANY,
        'MaxLength': common.ANY,
        'MinValue': common.ANY,
        'MaxValue': common.ANY,
        'Step': common.ANY,
        'Offset': common.ANY,
        'AllowedValues': {'type': 'array'},
        'AllowedPattern': common.TEXT,
        'CustomConstraint': common.TEXT,
        'ConstraintDescription': common.TEXT,
    },
    'required': ['Type', 'Description', 'NoEcho', 'Label'],
    'additionalProperties': False,
}
_NESTED = {
    'type': 'object',
    'additionalProperties': {'type': 'object'},
}
COMPONENTS = {
    'ValidatedParameter': _PARAMETER,
    'ResourceType': declaration.record({
        'resource_type': common.TEXT,
        'properties': common.MAP,
        'attributes': common.MAP,
        'support_status': declaration.record({
            'status': common.TEXT,
            'version': common.TEXT_OR_NULL,
            'message': common.TEXT_OR_NULL,
            'previous_status': common.MAP_OR_NULL,
        }),
    }, {'description': common.TEXT}),
}
_UNKNOWN_TYPE = Error(404, 'EntityNotFound', 'there is no such type')
_HIDDEN_TYPE = Error(400, 'NotSupported', 'the type is hidden')

OPERATIONS = {
    'validate_template': Operation(
        'Check a template and show its parameters',
        query=(
            declaration.boolean(
                'show_nested', 'Check nested templates and show their '
                'parameters as well.'),
            declaration.comma_separated(
                'ignore_errors', 'Codes of errors to pass over, divided by '
                'commas; ``99001`` is a type whose service is not there.')),
        body=stack_changes.VALIDATED,
        response=declaration.record({
            'Description': common.TEXT_OR_NULL,
            'Parameters': {
                'type': 'object', 'additionalProperties': declaration.ref(
                    'ValidatedParameter')},
            'Environment': common.MAP,
        }, {
            'ParameterGroups': {'type': 'array'},
            'NestedParameters': _NESTED,
        }),
        errors=(
            Error(400, 'HTTPBadRequest', 'the template is invalid'),
            Error(400, 'Invalid',
                  '``ignore_errors`` has a code that is none'),
            Error(400, 'NotSupported',
                  'there is no object store to hold ``files_container``'),
            *stack_changes.TEMPLATE_ERRORS)),
    'list_resource_types': Operation(
        'List the resource types',
        'Those that policy denies are left out, and so are those whose '
        'service is not there, unless the option ``list_unavailable_types`` '
        'is on: then their descriptions begin with the service they need.',
        query=(
            # The engine knows the statuses and refuses others.
            declaration.text(
                'support_status', 'Types of this status.',
                enum=['UNKNOWN', 'SUPPORTED', 'DEPRECATED', 'UNSUPPORTED',
                      'HIDDEN']),
            declaration.text(
                'name', 'A regular expression for the begin of the name.'),
            declaration.text(
                'version', 'Types supported since this version.'),
            declaration.boolean('with_description',
                                'Add what the types are for.')),
        response=declaration.wrapped(
            'resource_types', declaration.array({'anyOf': [
                common.TEXT,
                declaration.record({'resource_type': common.TEXT,
                                    'description': common.TEXT_OR_NULL}),
            ]})),
        errors=(Error(400, 'Invalid', 'there is no such support status'),)),
    'resource_schema': Operation(
        'Show the properties and attributes of a resource type',
        response=declaration.ref('ResourceType'),
        errors=(
            _UNKNOWN_TYPE, _HIDDEN_TYPE,
            Error(400, 'ResourceTypeUnavailable',
                  'the type needs a service that is not there'),
            Error(403, 'Forbidden', 'the type is not for you'))),
    'generate_template': Operation(
        'Show a template that makes one resource of a type',
        query=(declaration.Parameter(
            'template_type', 'The language of the template.',
            {'type': 'string', 'enum': ['cfn', 'hot'], 'default': 'cfn'},
            lambda _name, text: param_utils.extract_template_type(text),
            default='cfn'),),
        response=common.MAP,
        errors=(
            Error(400, 'HTTPBadRequest', 'there is no such language'),
            _HIDDEN_TYPE, _UNKNOWN_TYPE)),
    'list_template_versions': Operation(
        'List the versions of templates',
        response=declaration.wrapped(
            'template_versions', declaration.array(declaration.record({
                'version': common.TEXT,
                'type': {'enum': ['hot', 'cfn']},
                'aliases': declaration.array(common.TEXT),
            })))),
    'list_template_functions': Operation(
        'List the functions of a version of templates',
        query=(declaration.boolean(
            'with_condition_func', 'Add functions for conditions.'),),
        response=declaration.wrapped(
            'template_functions', declaration.array(declaration.record({
                'functions': common.TEXT, 'description': common.TEXT}))),
        errors=(Error(404, 'NotFound', 'there is no such version'),)),
}
