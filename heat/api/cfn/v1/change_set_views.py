"""Translation of change sets to those of the CloudFormation API."""
from collections.abc import Mapping
import re
from typing import Any

from oslo_serialization import jsonutils

from heat.api.aws import exception
from heat.api.cfn.v1 import views
from heat.common import change_words
from heat.common.i18n import _

_Status = change_words.Status

#: What AWS says of a change set that changes nothing; its command-line tool
#: reads the text.
_NO_CHANGES = ("The submitted information didn't contain changes. Submit "
               'different information to create a change set.')
#: Status of ours -> Status, ExecutionStatus.
_STATUSES = {
    _Status.AVAILABLE: ('CREATE_COMPLETE', 'AVAILABLE'),
    _Status.NO_CHANGES: ('FAILED', 'UNAVAILABLE'),
    _Status.FAILED: ('FAILED', 'UNAVAILABLE'),
    _Status.EXECUTED: ('CREATE_COMPLETE', 'EXECUTE_COMPLETE'),
    _Status.STALE: ('CREATE_COMPLETE', 'OBSOLETE'),
}
#: What is in the making, whatever it is called.
_UNFINISHED = ('CREATE_IN_PROGRESS', 'UNAVAILABLE')
_ACTIONS = {change_words.CREATE: 'Add', change_words.UPDATE: 'Modify',
            change_words.REPLACE: 'Modify', change_words.DELETE: 'Remove',
            change_words.RETAIN: 'Remove', change_words.MOVE: 'Modify',
            change_words.IMPORT: 'Import'}
_REPLACEMENTS = {change_words.NEVER: 'False',
                 change_words.MAYBE: 'Conditional',
                 change_words.ALWAYS: 'True'}
_ARN = re.compile(
    r'arn:openstack:heat::(?P<tenant>[^:]*):changeSet/[^/]*/(?P<id>[^/]+)')
_SOURCES = {'parameter': 'ParameterReference',
            'attribute': 'ResourceAttribute',
            'resource': 'ResourceReference'}


def arn(tenant: str, found: Mapping[str, Any]) -> str:
    """Return the ARN of a change set of a project."""
    return 'arn:openstack:heat::%s:changeSet/%s/%s' % (
        tenant, _name(found), found['id'])


def _name(found: Mapping[str, Any]) -> str:
    return found['name'] or found['id']


def id_from_arn(tenant: str, text: str) -> str:
    """Return the id of a change set from its ARN.

    :raises HeatAPIException: it is none, or that of another project.
    """
    parts = _ARN.fullmatch(text)
    if parts is None:
        raise exception.HeatInvalidParameterValueError(
            _('%s is no ARN of a change set.') % text)
    if parts['tenant'] != tenant:
        raise exception.HeatAccessDeniedError(
            _('The change set belongs to another project.'))
    return parts['id']


def summary(tenant: str, found: Mapping[str, Any]) -> dict[str, Any]:
    """Return a change set as ListChangeSets shows it."""
    status, execution = _STATUSES.get(found['status'], _UNFINISHED)
    result = {
        'ChangeSetId': arn(tenant, found),
        'ChangeSetName': _name(found),
        'StackName': found['stack_name'],
        'Description': found['description'] or '',
        'CreationTime': found['creation_time'],
        'Status': status,
        'StatusReason': (_NO_CHANGES
                         if found['status'] == _Status.NO_CHANGES
                         else found['status_reason'] or ''),
        'ExecutionStatus': execution,
    }
    if found['stack_id'] is not None:
        result['StackId'] = views.arn({
            'tenant': tenant, 'stack_name': found['stack_name'],
            'stack_id': found['stack_id']})
    return result


def described(tenant: str, found: Mapping[str, Any], *, with_values: bool
              ) -> dict[str, Any]:
    """Return a change set as DescribeChangeSet shows it.

    :param with_values: show the values of properties before and after
    """
    return {**summary(tenant, found), 'Changes': [
        {'Type': 'Resource', 'ResourceChange': _change(each, with_values)}
        for each in found['changes'] if each['action'] in _ACTIONS]}


def _change(change: Mapping[str, Any], with_values: bool) -> dict[str, Any]:
    """Return the change of one resource; those inside have paths as names."""
    action = _ACTIONS[change['action']]
    result: dict[str, Any] = {
        'Action': action,
        'LogicalResourceId': '/'.join(change['path']),
        'ResourceType': change['type'],
        'Scope': [], 'Details': [],
    }
    if change['physical_resource_id'] is not None:
        result['PhysicalResourceId'] = change['physical_resource_id']
    if change['action'] == change_words.RETAIN:
        result['PolicyAction'] = 'Retain'
    if action == 'Modify':
        result['Replacement'] = _REPLACEMENTS[change['replacement']]
        # The last cause may only be the number of those that are left out.
        result['Details'] = [
            _detail(cause, change['replacement'], with_values)
            for cause in change['causes'] if 'property' in cause]
        result['Scope'] = ['Properties'] if result['Details'] else []
    return result


def _detail(cause: Mapping[str, Any], replacement: str, with_values: bool
            ) -> dict[str, Any]:
    recreation = 'Never'
    if cause['forces_replacement']:
        recreation = ('Always' if replacement == change_words.ALWAYS
                      else 'Conditionally')
    target = {'Attribute': 'Properties',
              'Name': re.split(r'[.\[]', cause['property'], maxsplit=1)[0],
              'RequiresRecreation': recreation}
    if with_values:
        target.update({
            name: jsonutils.dumps(value) if isinstance(value, (dict, list))
            else value for name, value in (
                ('BeforeValue', cause['before']),
                ('AfterValue', cause['after'])) if value is not None})
    result = {'Target': target, 'ChangeSource': 'DirectModification',
              'Evaluation': ('Dynamic' if cause['known_after_apply']
                             else 'Static')}
    for kind, name in _SOURCES.items():
        if kind in cause['source']:
            result.update(ChangeSource=name,
                          CausingEntity=cause['source'][kind])
            break
    return result
