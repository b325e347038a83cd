"""Requests of the CloudWatch API: sound ones, with odd values in places.

The members that may be added are those of botocore's model of the service,
and so is the form of the answers.
"""
import copy
import datetime
import json
from urllib import parse
from xml.etree import ElementTree

from botocore import session
import cbor2
from hypothesis import strategies as st
import webob

from heat.api.aws import protocols
from heat.api.cloudwatch import requests
from heat.api.cloudwatch import routes

Protocol = protocols.Protocol
MODEL = session.Session().get_service_model('cloudwatch')
ACTIONS = [action.name for action in routes.ACTIONS]

NOW = datetime.datetime.now(datetime.UTC).replace(microsecond=0)
HOUR = datetime.timedelta(hours=1)
DIMENSIONS = [{'Name': 'd', 'Value': 'v'}]
METRIC = {'Namespace': 'ns', 'MetricName': 'load', 'Dimensions': DIMENSIONS}
#: Stands for the name of the alarm that there is.
ALARM = 'the alarm'
_ODD = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(),
    st.text(max_size=9), st.binary(max_size=4),
    st.sampled_from(('', '0', '-1', '1e999', 'nan', '\0', ':', '\ud800',
                     'x' * 300, '9' * 80, '2026-02-30T00:00:00Z', NOW, [],
                     {}, ['a'], [{'Name': 'd'}], {'member': {'1': 'x'}})))


def sound(action):
    """Return requests of an action, as their parameters."""
    return {
        'DescribeAlarmHistory': [
            {}, {'AlarmName': ALARM, 'StartDate': NOW - HOUR,
                 'EndDate': NOW + HOUR, 'ScanBy': 'TimestampAscending',
                 'HistoryItemType': 'StateUpdate', 'MaxRecords': 1}],
        'DescribeAlarms': [
            {'AlarmNames': [ALARM, 'x']}, {
                'AlarmNamePrefix': 'a', 'StateValue': 'OK', 'MaxRecords': 9,
                'AlarmTypes': ['MetricAlarm', 'CompositeAlarm']}],
        'DescribeAlarmsForMetric': [{
            **METRIC, 'Statistic': 'Sum', 'Period': 60, 'Unit': 'Seconds'}],
        'GetMetricStatistics': [{
            **METRIC, 'StartTime': NOW - HOUR, 'EndTime': NOW + HOUR,
            'Period': 60, 'Statistics': ['Sum', 'Maximum']}],
        'ListMetrics': [{}, {**METRIC, 'RecentlyActive': 'PT3H'}],
        'PutMetricData': [{'Namespace': 'ns', 'MetricData': [
            {'MetricName': 'load', 'Value': 7, 'Dimensions': DIMENSIONS,
             'Timestamp': NOW, 'Unit': 'Seconds', 'StorageResolution': 60},
            {'MetricName': 'load', 'Values': [1, 2.5], 'Counts': [3, 4]},
            {'MetricName': 'load', 'StatisticValues': {
                'SampleCount': 2, 'Sum': 3, 'Minimum': 1, 'Maximum': 2}}]}],
        'SetAlarmState': [{'AlarmName': ALARM, 'StateValue': 'ALARM',
                           'StateReason': 'r', 'StateReasonData': '{}'}],
    }[action]


def changes():
    """Return a strategy of what sets a request apart from a sound one.

    Each change is the number of a place and the value that is put there.
    """
    return st.lists(st.tuples(st.integers(0, 99), _ODD), max_size=2)


def changed(action, request, changes, alarm):
    """Return a request with odd values in some of its places.

    :param alarm: the name of the alarm that there is
    """
    # The request is a member of something, so that it can be replaced, too.
    whole = {'': copy.deepcopy(request)}
    for number, value in changes:
        places = list(_places(whole, MODEL.operation_model(
            action).input_shape))
        container, key = places[number % len(places)]
        container[key] = copy.deepcopy(value)
    params = _named(whole[''], alarm)
    return params if isinstance(params, dict) else {'Namespace': params}


def _places(whole, shape):
    """Yield (container, key) of all places of a request, and of more."""
    yield whole, ''
    request = whole['']
    if isinstance(request, dict):
        for name in sorted({*shape.members, *request}):
            yield request, name
            yield from _inner(request.get(name))


def _inner(value):
    items = (enumerate(value) if isinstance(value, list) else
             list(value.items()) if isinstance(value, dict) else ())
    for key, each in items:
        yield value, key
        yield from _inner(each)


def _named(value, alarm):
    if isinstance(value, dict):
        return {name: _named(each, alarm) for name, each in value.items()}
    if isinstance(value, list):
        return [_named(each, alarm) for each in value]
    return alarm if value == ALARM else value


def send(application, project, protocol, action, params):
    """Return the answer to a request in a protocol; None if it has no form.

    JSON has no bytes and no times; forms have texts only.
    """
    headers = {'Authorization': (
        f'AWS4-HMAC-SHA256 Credential={project}/20260101/here/monitoring/'
        'aws4_request, SignedHeaders=host, Signature=0')}
    path = '/v1/'
    try:
        if protocol == Protocol.QUERY:
            headers['Content-Type'] = 'application/x-www-form-urlencoded'
            body = parse.urlencode(
                [('Action', action), *_pairs(params)],
                errors='surrogatepass').encode()
        elif protocol == Protocol.JSON:
            headers |= {'Content-Type': protocols.JSON_TYPE,
                        'X-Amz-Target': f'{requests.TARGET}.{action}'}
            body = json.dumps(params, default=_json_form).encode()
        else:
            headers |= {'Content-Type': protocols.CBOR_TYPE,
                        'Smithy-Protocol': 'rpc-v2-cbor'}
            path = f'/v1/service/{requests.TARGET}/operation/{action}'
            body = cbor2.dumps(params, datetime_as_timestamp=True)
    except UnicodeEncodeError:
        return None
    return webob.Request.blank(
        path, method='POST', headers=headers, body=body).get_response(
            application)


def _json_form(value):
    return (value.timestamp() if isinstance(value, datetime.datetime)
            else value.hex())


def _pairs(value, prefix=''):
    """Yield the names and texts of a form."""
    if isinstance(value, dict):
        for name, each in value.items():
            yield from _pairs(each, f'{prefix}.{name}' if prefix else name)
    elif isinstance(value, list):
        for number, each in enumerate(value, 1):
            yield from _pairs(each, f'{prefix}.member.{number}')
    elif isinstance(value, datetime.datetime):
        yield prefix, value.isoformat()
    elif value is not None:
        yield prefix, value if isinstance(value, bytes) else str(value)


def check(protocol, action, answer):
    """Fail unless an answer is one that a client of AWS understands."""
    assert answer.status_int < 500, answer
    assert 'Traceback' not in answer.body.decode(errors='replace')
    if protocol == Protocol.QUERY:
        root = ElementTree.fromstring(answer.body)
        kind = root.tag.rpartition('}')[2]
        if answer.status_int == 200:
            assert kind == f'{action}Response', answer
        else:
            assert kind == 'ErrorResponse', answer
            assert root.find('.//{*}Code').text in codes(action), answer
        return
    body = (answer.json if protocol == Protocol.JSON
            else cbor2.loads(answer.body))
    if answer.status_int == 200:
        _check_shape(body, MODEL.operation_model(action).output_shape)
    else:
        assert body['__type'] in codes(action), answer
        assert body['message']


def _check_shape(value, shape):
    """Fail if a value has members that its shape does not have."""
    if shape is None:
        assert value == {}
    elif shape.type_name == 'structure':
        assert set(value) <= set(shape.members)
        for name, each in value.items():
            _check_shape(each, shape.members[name])
    elif shape.type_name == 'list':
        for each in value:
            _check_shape(each, shape.member)
    elif shape.type_name == 'string' and shape.enum:
        assert value in shape.enum


def codes(action):
    """Return the codes of the errors that a request of an action may get."""
    return {each.error_code for each
            in MODEL.operation_model(action).error_shapes} | {
        'InvalidParameterValue', 'MissingParameter',
        'InvalidParameterCombination', 'InvalidNextToken',
        'MalformedQueryString', 'LimitExceeded'}
