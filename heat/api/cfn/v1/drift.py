"""The actions of the CloudFormation API on drift.

A detection of AWS is about one stack. Here it is about those nested in it,
too: a resource of theirs has a path such as web/server for its name.
"""
from collections.abc import Mapping
from typing import Any

from oslo_serialization import jsonutils
import webob

from heat.api.aws import exception
from heat.api.cfn.v1 import query
from heat.api.cfn.v1 import stacks
from heat.api.cfn.v1 import views
from heat.common import drift_words
from heat.common.i18n import _
from heat.rpc import client as engine_client

_F = drift_words.Finding
#: What a caller may ask for, beside what detections find.
_FILTERS = frozenset([*map(str, _F), 'NOT_CHECKED', 'UNKNOWN'])
#: Number of resources that one answer has at most, unless it is to have
#: less.
_MOST_RESOURCES = 100


class DriftController:
    """Carries out the actions by calls of the engine.

    :param stack_controller: knows how to find stacks.
    """

    def __init__(self, stack_controller: stacks.StackController) -> None:
        self.stacks = stack_controller

    @property
    def rpc_client(self) -> engine_client.EngineClient:
        """Return the client that reaches the engine."""
        return self.stacks.rpc_client

    def detect(self, request: webob.Request) -> dict[str, Any]:
        """DetectStackDrift: begin to compare a stack with what there is."""
        asked = query.Query(request)
        found = self.rpc_client.detect_stack_drift(
            request.context, self.stacks.named(request, asked))
        return {'StackDriftDetectionId': found['id']}

    def describe_detection(self, request: webob.Request) -> dict[str, Any]:
        """DescribeStackDriftDetectionStatus: how far a detection is."""
        asked = query.Query(request)
        found = self.rpc_client.show_stack_drift(
            request.context,
            detection_id=asked.required('StackDriftDetectionId'))
        counts = found['counts']
        return {
            'StackId': _stack_arn(request, found),
            'StackDriftDetectionId': found['id'],
            'StackDriftStatus': found['drift'] or 'UNKNOWN',
            'DetectionStatus': found['status'],
            'DetectionStatusReason': found['status_reason'] or '',
            'DriftedStackResourceCount': sum(
                counts.get(each, 0) for each in drift_words.DRIFTED),
            'Timestamp': found['creation_time'],
        }

    def describe_resources(self, request: webob.Request) -> dict[str, Any]:
        """DescribeStackResourceDrifts: what was found of each resource."""
        asked = query.Query(request)
        wanted = set(asked.texts_of('StackResourceDriftStatusFilters'))
        if not wanted <= _FILTERS:
            raise exception.HeatInvalidParameterValueError(
                _('StackResourceDriftStatusFilters takes %s.')
                % ', '.join(sorted(_FILTERS)))
        most = asked.number('MaxResults', 1, _MOST_RESOURCES)
        found = self.rpc_client.show_stack_drift(
            request.context, self.stacks.named(request, asked))
        entries = [each for each in found['resources']
                   if not wanted or each['status'] in wanted]
        entries.sort(key=_name)
        marker = asked.marker()
        if marker is not None:
            entries = [each for each in entries if _name(each) > marker]
        result: dict[str, Any] = {'StackResourceDrifts': [
            _resource(each, found, _stack_arn(request, found))
            for each in entries[:most]]}
        if len(entries) > most:
            result['NextToken'] = asked.token_after(_name(entries[most - 1]))
        return result


def _stack_arn(request: webob.Request, found: Mapping[str, Any]) -> str:
    return views.arn({'tenant': request.context.project_id,
                      'stack_name': found['stack_name'],
                      'stack_id': found['stack_id'], 'path': ''})


def _name(entry: Mapping[str, Any]) -> str:
    return '/'.join(entry['path'])


def _resource(entry: Mapping[str, Any], found: Mapping[str, Any],
              stack_arn: str) -> dict[str, Any]:
    """Return what was found of a resource as AWS shows it."""
    differences = [each for each in entry['differences']
                   if 'property' in each]
    result: dict[str, Any] = {
        'StackId': stack_arn,
        'LogicalResourceId': _name(entry),
        'PhysicalResourceId': entry['physical_resource_id'] or '',
        'ResourceType': entry['type'] or '',
        'StackResourceDriftStatus': entry['status'],
        'Timestamp': found['completion_time'] or found['creation_time'],
    }
    if entry['status'] == _F.UNSUPPORTED:
        result['DriftStatusReason'] = entry['reason']
    if entry['status'] == _F.MODIFIED:
        for key, which in (('ExpectedProperties', 'expected'),
                           ('ActualProperties', 'actual')):
            result[key] = jsonutils.dumps({
                each['property']: each[which] for each in differences},
                sort_keys=True)
        result['PropertyDifferences'] = [
            _difference(each) for each in differences]
    return result


def _difference(found: Mapping[str, Any]) -> dict[str, Any]:
    return {
        'PropertyPath': '/' + found['property'].replace('[', '.').replace(
            ']', '').replace('.', '/'),
        'ExpectedValue': _text(found['expected']),
        'ActualValue': _text(found['actual']),
        'DifferenceType': 'REMOVE' if found['actual'] is None else (
            'NOT_EQUAL'),
    }


def _text(value: Any) -> str:
    if value is None:
        return 'null'
    return value if isinstance(value, str) else jsonutils.dumps(
        value, sort_keys=True)
