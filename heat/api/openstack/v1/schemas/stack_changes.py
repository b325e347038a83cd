"""Schemas of the API for creating and updating stacks."""
from typing import Any

from heat.api import declaration
from heat.api.openstack.v1 import stack_request
from heat.api.openstack.v1.schemas import common
from heat.api.openstack.v1.schemas import protection
from heat.api.openstack.v1.schemas import stacks

Error = declaration.Error
Operation = declaration.Operation

DEFINITION = {
    'template': {
        'type': ['object', 'string', 'null'],
        'description': 'The template, as an object, or as JSON or YAML.'},
    'template_url': {
        'type': ['string', 'null'],
        'description': 'Where to fetch the template, over HTTP or HTTPS, '
                       'if there is none in the body.'},
    'parameters': {
        'type': ['object', 'null'],
        'description': 'Values of parameters. They go before those of the '
                       'environment.'},
    'environment': {
        'type': ['object', 'string', 'null'],
        'description': 'The environment, as an object, or as JSON or YAML. '
                       'It is ignored if there are environment files.'},
    'environment_files': {
        'type': ['array', 'null'], 'items': common.TEXT,
        'description': 'Names of those files that are environments, merged '
                       'in this order.'},
    'files': {
        'type': ['object', 'null'],
        'additionalProperties': common.TEXT,
        'description': 'The texts of files, by the names that templates '
                       'and environments call them.'},
    'files_container': {
        'type': ['string', 'null'],
        'description': 'A container of the object store that holds files.'},
}
OPTIONS = {
    'timeout_mins': {
        'type': ['integer', 'string', 'null'],
        'title': 'an integer that is 0 or more',
        'minimum': 0, 'maximum': declaration.MAX_INTEGER,
        'pattern': r'^\s*\d*\s*$',
        'description': 'After how many minutes the operation fails; 0 '
                       'is the same as nothing.'},
    'disable_rollback': {
        **common.FLAG,
        'description': 'Leave what a failure leaves. A new stack has '
                       '``true`` unless it says otherwise.'},
    'tags': {
        'type': ['string', 'null'],
        'description': 'Up to 1000 tags, divided by commas, of at most 80 '
                       'characters each.'},
}
_PROTECTED = {
    'termination_protection': {
        **common.FLAG,
        'description': 'Have the stack be neither deleted nor abandoned '
                       'before its protection is lifted.'}}
_NAMED = {
    'stack_name': {
        'type': 'string', 'minLength': 1,
        'description': 'The name: a letter, then at most 254 letters, '
                       'digits, dots, underscores or dashes.'}}
_CREATED = {
    **_NAMED, **DEFINITION, **OPTIONS, **_PROTECTED,
    'adopt_stack_data': {
        'type': ['string', 'null'],
        'description': 'An abandoned or exported stack, as JSON or YAML, '
                       'whose resources the new one takes over. The option '
                       'enable_stack_adopt has to be on.'},
}
_UPDATED = {
    **DEFINITION, **OPTIONS,
    'converge': {
        **common.FLAG,
        'description': 'Look at what is there really, and mend it.'},
    'clear_parameters': {
        'type': ['array', 'null'], 'items': common.TEXT,
        'description': 'Names of parameters that get their defaults back. '
                       'Of use in a partial update.'},
}
_OVERRIDING = {
    **_UPDATED,
    'override_stack_policy': {
        **common.FLAG,
        'description': 'Do what the policy of the stack does not allow. It '
                       'asks for the rule ``protection:override_policy``.'},
}


def _body(properties: Any, *required: Any) -> dict[str, Any]:
    # What is not known is ignored, as clients of all ages need it.
    schema = {'type': 'object', 'properties': properties}
    return {**schema, 'required': list(required)} if required else schema


_CREATION_FAULTS = Error(
    400, 'HTTPBadRequest',
    'a part of the body is missing, of another type or not well-formed; '
    '``converge`` is given')
_UPDATE_FAULTS = Error(
    400, 'HTTPBadRequest',
    'a part of the body is missing, of another type or not well-formed')
TEMPLATE_ERRORS = (
    Error(400, 'StackValidationFailed',
          'the template, a resource or a property is wrong'),
    Error(400, 'InvalidTemplateVersion', 'no such version is known'),
    Error(400, 'InvalidTemplateSection',
          'the version of the template has no such section'),
    Error(400, 'InvalidTemplateReference',
          'a resource that is referred to is not in the template'),
    Error(400, 'InvalidSchemaError', 'a parameter is declared wrongly'),
    Error(400, 'UserParameterMissing', 'a parameter has no value'),
    Error(400, 'UnknownUserParameter',
          'the template has no such parameter'),
    Error(400, 'ResourceTypeUnavailable',
          'a resource type needs a service that is not there'),
    Error(400, 'CircularDependencyException',
          'resources depend on each other in a circle'),
    Error(400, 'RequestLimitExceeded',
          'more stacks, resources, text or nesting than an option allows'),
    Error(400, 'InvalidMergeStrategyForParam|'
               'ConflictingMergeStrategyForParam',
          'environment files disagree on how a parameter is merged'),
    Error(403, 'Forbidden', 'a resource type is not for you'),
)
CREATE_ERRORS = (
    _CREATION_FAULTS, *TEMPLATE_ERRORS,
    Error(400, 'NotSupported', 'the option enable_stack_adopt is off'),
    Error(409, 'StackExists', 'the name is taken'))
PREVIEW_UPDATE_ERRORS = (
    _UPDATE_FAULTS, *TEMPLATE_ERRORS,
    Error(400, 'NotSupported',
          'a partial update has no template, and none is known that the '
          'stack was well with'),
    Error(400, 'ImmutableParameterModified',
          'the value of an immutable parameter differs'))
UPDATE_ERRORS = (
    *PREVIEW_UPDATE_ERRORS,
    Error(400, 'NotSupported', 'the stack is suspended, or being deleted'),
    common.STACK_LOCKED)

_STACK_UPDATE_ERRORS = (
    *UPDATE_ERRORS, protection.VIOLATED,
    Error(403, 'Forbidden',
          'overriding the policy of the stack is not for you'))

_PREVIEWED_RESOURCE = declaration.record({
    'resource_name': common.TEXT,
    'resource_type': common.TEXT,
    'resource_action': common.TEXT,
    'resource_status': common.TEXT,
    'resource_status_reason': common.TEXT_OR_NULL,
    'resource_identity': declaration.ref('Identity'),
    'stack_identity': declaration.ref('Identity'),
    'stack_name': common.TEXT,
    'physical_resource_id': common.TEXT_OR_NULL,
    'creation_time': common.TIME_OR_NULL,
    'updated_time': common.TIME_OR_NULL,
    'required_by': declaration.array(common.TEXT),
}, {
    'description': common.TEXT_OR_NULL,
    'metadata': common.MAP_OR_NULL,
    'attributes': common.MAP_OR_NULL,
    'properties': common.MAP,
    'parent_resource': common.TEXT_OR_NULL,
    'nested_stack_id': declaration.ref('Identity'),
})
_CHANGED = declaration.array(declaration.ref('PreviewedResource'))
COMPONENTS = {
    'CreatedStack': declaration.record(
        {'id': common.UUID, 'links': common.LINKS}),
    'PreviewedStack': declaration.record({
        **stacks.PREVIEWED,
        # The resources of a nested stack are a list in the list.
        'resources': declaration.array({'anyOf': [
            declaration.ref('PreviewedResource'), {'type': 'array'}]}),
    }, {'outputs': stacks.OUTPUTS}),
    'PreviewedResource': _PREVIEWED_RESOURCE,
    'ResourceChanges': declaration.record(
        dict.fromkeys(('added', 'deleted', 'replaced', 'unchanged',
                       'updated'), _CHANGED)),
}
_SHOW_NESTED = declaration.boolean(
    'show_nested', 'Show the changes in nested stacks as well.')
_CHANGES = declaration.wrapped('resource_changes',
                               declaration.ref('ResourceChanges'))

OPERATIONS = {
    'create': Operation(
        'Create a stack',
        'The answer comes when the template is found valid; the resources '
        'are made afterwards.',
        body=_body(_CREATED, 'stack_name'),
        response=declaration.wrapped('stack',
                                     declaration.ref('CreatedStack')),
        errors=CREATE_ERRORS),
    'preview': Operation(
        'Show the stack that a creation would make',
        body=_body(_CREATED, 'stack_name'),
        response=declaration.wrapped('stack',
                                     declaration.ref('PreviewedStack')),
        errors=CREATE_ERRORS),
    'update': Operation(
        'Update a stack',
        'What the body leaves out is as in a new stack; time-out and '
        'rollback stay.',
        body=_body(_OVERRIDING), errors=_STACK_UPDATE_ERRORS),
    'update_patch': Operation(
        'Update parts of a stack',
        'What the body leaves out stays: the template, files, parameters, '
        'tags. A body that changes nothing asks for the rule '
        '``stacks:update_no_change``.',
        policies=('stacks:update_patch', 'stacks:update_no_change'),
        policies_of_body=lambda body: (
            'stacks:update_no_change' if stack_request.is_no_change(body)
            else 'stacks:update_patch',),
        body=_body(_OVERRIDING), errors=_STACK_UPDATE_ERRORS),
    'preview_update': Operation(
        'Show what an update would do', query=(_SHOW_NESTED,),
        body=_body(_UPDATED), response=_CHANGES,
        errors=PREVIEW_UPDATE_ERRORS),
    'preview_update_patch': Operation(
        'Show what an update of parts would do', query=(_SHOW_NESTED,),
        body=_body(_UPDATED), response=_CHANGES,
        errors=PREVIEW_UPDATE_ERRORS),
}
VALIDATED = _body(DEFINITION)
CHANGE_SET_BODY = _body({
    **_UPDATED,
    'stack_name': {
        'type': ['string', 'null'],
        'description': 'The name of a stack to be created.'},
    'change_set_name': {
        'type': ['string', 'null'],
        'description': 'A name for the change set.'},
    'name': {
        'type': ['string', 'null'],
        'description': 'The same as change_set_name.'},
    'description': {
        'type': ['string', 'null'],
        'description': 'What the change set is for.'},
    'moves': {
        'type': ['array', 'null'],
        'items': {'type': 'object', 'properties': {
            'from': {'anyOf': [
                {'type': 'string'},
                {'type': 'object', 'properties': {
                    'stack': {'type': 'string'},
                    'resource': {'type': 'string'}}}]},
            'to': {'type': 'string'}}},
        'description': 'Resources that get another name or place, as paths '
                       'through nested stacks, or come from another stack '
                       'of the project, given by name or ID; nothing that '
                       'exists is touched by that.'},
    'imports': {
        'type': ['array', 'null'],
        'items': {'type': 'object', 'properties': {
            'resource': {'type': 'string'}, 'id': {'type': 'string'}}},
        'description': 'What exists in the project, and the paths of the '
                       'resources of the template that take it over.'},
    'existing': {
        **common.FLAG,
        'description': 'Keep what the body leaves out, as PATCH does.'},
    'revert_drift': {
        **common.FLAG,
        'description': 'Bring resources that have been changed or deleted '
                       'without the stack back to their definitions.'},
})
