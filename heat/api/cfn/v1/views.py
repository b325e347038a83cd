"""Translation of engine answers to those of the CloudFormation API."""
from collections.abc import Collection, Mapping
from typing import Any

from oslo_serialization import jsonutils

from heat.common import identifier
from heat.rpc import api as rpc_api

_STACK = {
    rpc_api.STACK_CREATION_TIME: 'CreationTime',
    rpc_api.STACK_UPDATED_TIME: 'LastUpdatedTime',
    rpc_api.STACK_NAME: 'StackName',
    rpc_api.STACK_STATUS_DATA: 'StackStatusReason',
}
_DESCRIBED = {
    rpc_api.STACK_DESCRIPTION: 'Description',
    rpc_api.STACK_NOTIFICATION_TOPICS: 'NotificationARNs',
    rpc_api.STACK_TIMEOUT: 'TimeoutInMinutes',
    rpc_api.STACK_DISABLE_ROLLBACK: 'DisableRollback',
    rpc_api.STACK_CAPABILITIES: 'Capabilities',
}
_EVENT = {
    rpc_api.EVENT_TIMESTAMP: 'Timestamp',
    rpc_api.EVENT_RES_NAME: 'LogicalResourceId',
    rpc_api.EVENT_RES_PHYSICAL_ID: 'PhysicalResourceId',
    rpc_api.EVENT_RES_TYPE: 'ResourceType',
    rpc_api.EVENT_RES_STATUS_DATA: 'ResourceStatusReason',
    rpc_api.EVENT_STACK_NAME: 'StackName',
}
_RESOURCE = {
    rpc_api.RES_NAME: 'LogicalResourceId',
    rpc_api.RES_PHYSICAL_ID: 'PhysicalResourceId',
    rpc_api.RES_TYPE: 'ResourceType',
    rpc_api.RES_STATUS_DATA: 'ResourceStatusReason',
}
_OUTPUT = {
    rpc_api.OUTPUT_DESCRIPTION: 'Description',
    rpc_api.OUTPUT_KEY: 'OutputKey',
    rpc_api.OUTPUT_VALUE: 'OutputValue',
}
_VERSIONS = ('AWSTemplateFormatVersion', 'HeatTemplateFormatVersion',
             'heat_template_version')
_HOT_HANDLE = 'OS::Heat::WaitConditionHandle'


def _renamed(record: Mapping[str, Any], names: Mapping[str, str]
             ) -> dict[str, Any]:
    return {name: record[key] for key, name in names.items()
            if key in record}


def arn(identity: Any) -> str:
    """Return the ARN of an identity that came over RPC."""
    return identifier.HeatIdentifier(**identity).arn()


def _stack_status(stack: Mapping[str, Any]) -> str:
    return '_'.join((stack[rpc_api.STACK_ACTION],
                     stack[rpc_api.STACK_STATUS]))


def _resource_status(record: Mapping[str, Any]) -> str:
    return '_'.join((record[rpc_api.RES_ACTION],
                     record[rpc_api.RES_STATUS]))


def _without_nothing(record: dict[str, Any], *names: str) -> dict[str, Any]:
    """Leave out names that have no value: clients expect a time there."""
    return {name: value for name, value in record.items()
            if name not in names or value is not None}


def summary(stack: Mapping[str, Any]) -> dict[str, Any]:
    """Return a stack as ListStacks shows it."""
    result = _renamed(stack, _STACK)
    result['TemplateDescription'] = stack.get(rpc_api.STACK_DESCRIPTION) or ''
    if stack.get(rpc_api.STACK_DELETION_TIME) is not None:
        result['DeletionTime'] = stack[rpc_api.STACK_DELETION_TIME]
    result['StackId'] = arn(stack[rpc_api.STACK_ID])
    result['StackStatus'] = _stack_status(stack)
    return _without_nothing(result, 'LastUpdatedTime')


def stack(record: Mapping[str, Any], protected: Collection[str] = ()
          ) -> dict[str, Any]:
    """Return a stack as DescribeStacks shows it.

    :param protected: the ids of stacks with termination protection
    """
    result = _renamed(record, {**_STACK, **_DESCRIBED})
    result['StackId'] = arn(record[rpc_api.STACK_ID])
    result['EnableTerminationProtection'] = (
        record[rpc_api.STACK_ID]['stack_id'] in protected)
    result['StackStatus'] = _stack_status(record)
    result['Outputs'] = [_output(output) for output in
                         record.get(rpc_api.STACK_OUTPUTS) or ()]
    result['Parameters'] = [
        {'ParameterKey': name, 'ParameterValue': value} for name, value in
        (record.get(rpc_api.STACK_PARAMETERS) or {}).items()]
    return _without_nothing(result, 'LastUpdatedTime', 'TimeoutInMinutes')


def _output(output: Mapping[str, Any]) -> dict[str, Any]:
    result = _renamed(output, _OUTPUT)
    result.setdefault('Description', '')
    return result


def export(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return an export."""
    value = record[rpc_api.EXPORT_VALUE]
    return {'ExportingStackId': arn(record[rpc_api.EXPORT_STACK_ID]),
            'Name': record[rpc_api.EXPORT_NAME],
            'Value': value if isinstance(value, str)
            else jsonutils.dumps(value)}


def event(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return an event."""
    result = _renamed(record, _EVENT)
    identity = identifier.EventIdentifier(**record[rpc_api.EVENT_ID])
    result['EventId'] = identity.event_id
    result['StackId'] = arn(record[rpc_api.EVENT_STACK_ID])
    result['ResourceStatus'] = _resource_status(record)
    if record.get(rpc_api.EVENT_RES_PROPERTIES) is not None:
        # Lists of events come without.
        result['ResourceProperties'] = record[rpc_api.EVENT_RES_PROPERTIES]
    return result


def resource_summary(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return a resource as ListStackResources shows it."""
    result = _renamed(record, _RESOURCE)
    result['LastUpdatedTimestamp'] = record[rpc_api.RES_UPDATED_TIME]
    result['ResourceStatus'] = _resource_status(record)
    return result


def resource(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return a resource as DescribeStackResources shows it."""
    result = _renamed(record, _RESOURCE)
    result.update(_of_stack(record))
    result['Timestamp'] = record[rpc_api.RES_UPDATED_TIME]
    result['ResourceStatus'] = _resource_status(record)
    return result


def resource_detail(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return a resource as DescribeStackResource shows it."""
    result = resource_summary(record)
    result.update(_of_stack(record))
    result['Metadata'] = record.get(rpc_api.RES_METADATA) or {}
    return result


def _of_stack(record: Mapping[str, Any]) -> dict[str, Any]:
    return {'Description': record.get(rpc_api.RES_DESCRIPTION) or '',
            'StackId': arn(record[rpc_api.RES_STACK_ID]),
            'StackName': record[rpc_api.RES_STACK_NAME]}


def template_parameter(name: str, record: Mapping[str, Any]) -> dict[str, Any]:
    """Return a parameter as ValidateTemplate shows it."""
    result = {
        'ParameterKey': name,
        'NoEcho': str(record.get(rpc_api.PARAM_NO_ECHO, 'false')).lower(),
        'Description': record.get(rpc_api.PARAM_DESCRIPTION) or '',
    }
    if record.get(rpc_api.PARAM_DEFAULT) is not None:
        result['DefaultValue'] = _default(record)
    return result


def _default(record: Mapping[str, Any]) -> Any:
    """Return a default as it may be given as the value of a parameter."""
    value = record[rpc_api.PARAM_DEFAULT]
    if isinstance(value, list) and (
            record.get(rpc_api.PARAM_TYPE) == 'CommaDelimitedList'):
        return ','.join(str(item) for item in value)
    return value


def _parameter_declaration(name: str, record: Mapping[str, Any]
                           ) -> dict[str, Any]:
    """Return a parameter as GetTemplateSummary shows it."""
    result = template_parameter(name, record)
    result['ParameterType'] = record.get(rpc_api.PARAM_TYPE) or 'String'
    allowed = record.get(rpc_api.PARAM_ALLOWED_VALUES)
    if allowed is not None:
        result['ParameterConstraints'] = {'AllowedValues': allowed}
    return result


def template_summary(template: Any, found: Mapping[str, Any]
                     ) -> dict[str, Any]:
    """Return a template as GetTemplateSummary shows it.

    :param found: what the engine answers when it validates the template.
    """
    resources = template.get('Resources') or template.get('resources') or {}
    result = {
        'Capabilities': [],
        'CapabilitiesReason': '',
        'DeclaredTransforms': [],
        'Description': found.get('Description') or '',
        'Parameters': [_parameter_declaration(name, parameter)
                       for name, parameter in
                       (found.get('Parameters') or {}).items()],
        'ResourceTypes': sorted({
            declared.get('Type') or declared.get('type')
            for declared in resources.values()}),
        'Version': str(next((template[key] for key in _VERSIONS
                             if key in template), '')),
    }
    if 'Metadata' in template:
        result['Metadata'] = template['Metadata']
    return result


def signal(resource: Any, status: Any, unique_id: Any) -> dict[str, Any]:
    """Return what SignalResource says in the words of the resource's type.
    """
    if resource[rpc_api.RES_TYPE] == _HOT_HANDLE:
        return {'status': status, 'id': unique_id}
    return {'Status': status, 'UniqueId': unique_id, 'Reason': '',
            'Data': ''}
