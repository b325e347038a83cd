"""The CloudWatch-compatible API, by all protocols of clients."""
import datetime
import gzip
import io
import json
import struct

from botocore import awsrequest
import botocore.client
import botocore.session
import cbor2
from oslo_config import cfg
import pytest
import webob

from heat.api.cloudwatch import metrics
from heat.api.cloudwatch import requests
from heat.api.cloudwatch import routes
from heat.common import config
from heat.common import context as heat_context
from heat.common import exception
from heat.common import policy
from heat.rpc import client as rpc_client
from tests.fakes import rpc

NOW = 1_700_000_000
ALARM = {
    'id': 'i', 'name': 'n', 'state': 'ALARM', 'state_reason': 'why',
    'state_at': NOW, 'stack_id': 's', 'acts': True, 'namespace': 'ns',
    'metric': 'load', 'dimensions': {'b': '2', 'a': '1'}, 'unit': None,
    'statistic': 'Sum', 'comparison': 'GreaterThanThreshold',
    'threshold': 1.5, 'period': 60, 'evaluation_periods': 2,
    'description': 'd', 'actions': {'ALARM': [{
        'stack': {'tenant': 'p', 'stack_name': 's', 'stack_id': '1',
                  'path': ''}, 'resource': 'r'}]}}
MOMENT = datetime.datetime.fromtimestamp(NOW, datetime.UTC)


@pytest.fixture
def engine(monkeypatch):
    config.register_opts()
    cfg.CONF([], project='heat', default_config_files=[],
             default_config_dirs=[])
    policy.reset()
    fake = rpc.FakeEngineClient()
    monkeypatch.setattr(rpc_client, 'EngineClient',
                        lambda is_for_users=False: fake)
    monkeypatch.setattr('heat.common.timeutils.epoch',
                        lambda moment=None: NOW if moment is None
                        else moment.replace(
                            tzinfo=datetime.UTC).timestamp())
    return fake


@pytest.fixture
def application(engine):
    return routes.app_factory({})


@pytest.fixture
def ask(application):
    """Return a function that sends a request of the project p."""
    def ask(path='/', project='p', roles=('member', 'reader'), **kwargs):
        request = webob.Request.blank(path, **kwargs)
        request.environ['HTTP_X_PROJECT_ID'] = project or ''
        request.context = heat_context.RequestContext(
            project_id=project, roles=list(roles), is_admin=False)
        return request.get_response(application)

    return ask


def query(ask, action, params=None, **kwargs):
    return ask(POST={'Action': action, **(params or {})}, **kwargs)


def by_json(ask, action, params, **kwargs):
    return ask(method='POST', body=json.dumps(params).encode(), headers={
        'X-Amz-Target': f'{requests.TARGET}.{action}',
        'Content-Type': 'application/x-amz-json-1.0'}, **kwargs)


def by_cbor(ask, action, params, *, prefix='', body=None, headers=None,
            **kwargs):
    return ask(f'{prefix}/service/{requests.TARGET}/operation/{action}',
               method='POST', body=(cbor2.dumps(
                   params, datetime_as_timestamp=True)
                   if body is None else body),
               headers={'Smithy-Protocol': 'rpc-v2-cbor',
                        'Content-Type': 'application/cbor',
                        **(headers or {})}, **kwargs)


def code_of(answer):
    """Return the code of an error, whichever protocol says it."""
    assert 400 <= answer.status_int < 500, answer.body
    if answer.content_type == 'application/cbor':
        return cbor2.loads(answer.body)['__type']
    if 'json' in answer.content_type:
        return answer.json['__type']
    return answer.text.partition('<Code>')[2].partition('</Code>')[0]


# -- botocore, by each of the protocols that its versions speak ---------------

class Raw(io.BytesIO):
    def stream(self, **_kwargs):
        yield self.getvalue()


class Bridge:
    """Sends the requests of botocore to the application."""

    def __init__(self, ask):
        self._ask = ask
        self.last = None

    def send(self, request, **_event):
        self.last = request
        path = request.url.partition('://')[2].partition('/')[2]
        answer = self._ask(f'/{path}', method=request.method, headers={
            name: value.decode() if isinstance(value, bytes) else value
            for name, value in request.headers.items()},
            body=(request.body.encode() if isinstance(request.body, str)
                  else request.body or b''))

        return awsrequest.AWSResponse(
            request.url, answer.status_int, answer.headers, Raw(answer.body))


@pytest.fixture(params=['smithy-rpc-v2-cbor', 'json', 'query'])
def boto(request, ask, monkeypatch):
    session = botocore.session.Session()
    session.set_credentials('p', 'secret')
    service = session.get_service_model('cloudwatch')
    metadata = dict(service.metadata, protocol=request.param,
                    protocols=[request.param])
    loader = session.get_component('data_loader')
    model = loader.load_service_model('cloudwatch', 'service-2', None)
    monkeypatch.setitem(model, 'metadata', metadata)
    client = session.create_client(
        'cloudwatch', region_name='here',
        endpoint_url='http://127.0.0.1:8003/v1',
        config=botocore.client.Config(retries={'max_attempts': 0}))
    bridge = Bridge(ask)
    client.meta.events.register('before-send.*', bridge.send)
    client.bridge = bridge
    client.protocol = request.param
    return client


def before_send(boto):
    """Say that botocore has used the protocol that it was to use."""
    headers = boto.bridge.last.headers
    return {'smithy-rpc-v2-cbor': 'smithy-protocol' in headers,
            'json': 'X-Amz-Target' in headers,
            'query': 'X-Amz-Target' not in headers and
                     'smithy-protocol' not in headers}[boto.protocol]


def test_put(boto, engine):
    boto.put_metric_data(Namespace='ns', MetricData=[
        {'MetricName': 'a', 'Value': 1.5, 'Unit': 'Count',
         'Timestamp': MOMENT, 'StorageResolution': 1,
         'Dimensions': [{'Name': 'x', 'Value': 'y'}]},
        {'MetricName': 'b', 'Values': [1.0, 4.0], 'Counts': [3.0, 1.0]},
        {'MetricName': 'c', 'StatisticValues': {
            'SampleCount': 2, 'Sum': 3, 'Minimum': 1, 'Maximum': 2}}])
    assert before_send(boto)
    assert engine.arguments == {'namespace': 'ns', 'data': [
        {'name': 'a', 'dimensions': {'x': 'y'}, 'measured_at': NOW,
         'unit': 'Count', 'samples': 1, 'total': 1.5, 'least': 1.5,
         'greatest': 1.5},
        {'name': 'b', 'dimensions': {}, 'measured_at': None, 'unit': None,
         'samples': 4, 'total': 7, 'least': 1, 'greatest': 4},
        {'name': 'c', 'dimensions': {}, 'measured_at': None, 'unit': None,
         'samples': 2, 'total': 3, 'least': 1, 'greatest': 2}]}


def test_put_what_is_compressed(boto, engine):
    boto.put_metric_data(Namespace='ns', MetricData=[
        {'MetricName': f'metric-{number}', 'Value': 1.0,
         'Timestamp': MOMENT} for number in range(1000)])
    assert boto.bridge.last.headers['Content-Encoding'] == b'gzip'
    assert len(engine.arguments['data']) == 1000


def test_alarms(boto, engine):
    engine.answers['describe_alarms'] = [ALARM, {**ALARM, 'name': 'o'}]
    found = boto.describe_alarms(MaxRecords=1, StateValue='ALARM',
                                 AlarmNamePrefix='n')
    assert engine.arguments == {
        'limit': 2, 'marker': None, 'names': None, 'prefix': 'n',
        'state': 'ALARM', 'metric': None}
    [alarm] = found['MetricAlarms']
    assert alarm.pop('StateUpdatedTimestamp') == MOMENT
    assert alarm == {
        'AlarmName': 'n', 'AlarmArn': 'arn:openstack:heat::p:alarms/n',
        'AlarmDescription': 'd', 'ActionsEnabled': True,
        'StateValue': 'ALARM', 'StateReason': 'why', 'Namespace': 'ns',
        'MetricName': 'load', 'Statistic': 'Sum', 'Period': 60,
        'EvaluationPeriods': 2, 'Threshold': 1.5,
        'ComparisonOperator': 'GreaterThanThreshold',
        'Dimensions': [{'Name': 'a', 'Value': '1'},
                       {'Name': 'b', 'Value': '2'}],
        'AlarmActions': ['arn:openstack:heat::p:stacks/s/1/resources/r'],
        'OKActions': [], 'InsufficientDataActions': []}
    boto.describe_alarms(NextToken=found['NextToken'], AlarmNames=['n', 'o'])
    assert engine.arguments['marker'] == 'n'
    assert engine.arguments['names'] == ['n', 'o']
    assert boto.describe_alarms(AlarmTypes=['CompositeAlarm'])[
        'MetricAlarms'] == []


def test_alarms_of_a_metric(boto, engine):
    engine.answers['describe_alarms'] = [
        ALARM, {**ALARM, 'name': 'o', 'period': 30, 'state': 'SUSPENDED'}]
    found = boto.describe_alarms_for_metric(
        Namespace='ns', MetricName='load', Statistic='Sum', Period=30)
    assert [(each['AlarmName'], each['StateValue'])
            for each in found['MetricAlarms']] == [
        ('o', 'INSUFFICIENT_DATA')]
    assert engine.arguments['metric'] == {
        'namespace': 'ns', 'name': 'load', 'dimensions': {}}


def test_state(boto, engine):
    boto.set_alarm_state(AlarmName='n', StateValue='OK', StateReason='ü',
                         StateReasonData='{}')
    assert engine.arguments == {'name': 'n', 'state': 'NORMAL',
                                'reason': 'ü'}
    engine.answers['set_alarm_state'] = exception.EntityNotFound(
        entity='Alarm', name='n')
    with pytest.raises(boto.exceptions.ResourceNotFound):
        boto.set_alarm_state(AlarmName='n', StateValue='OK', StateReason='')
    with pytest.raises(boto.exceptions.InvalidFormatFault):
        boto.set_alarm_state(AlarmName='n', StateValue='OK', StateReason='',
                             StateReasonData='{')


def test_metrics(boto, engine, monkeypatch):
    monkeypatch.setattr(metrics, '_METRICS_PAGE', 2)
    engine.answers['list_metrics'] = [
        {'namespace': 'ns', 'name': name, 'dimensions': {'a': name}}
        for name in 'cab']
    found = boto.list_metrics(Namespace='ns', RecentlyActive='PT3H',
                              Dimensions=[{'Name': 'a'}])
    assert engine.arguments == {'namespace': 'ns', 'name': None,
                                'recent': True}
    assert [each['MetricName'] for each in found['Metrics']] == ['a', 'b']
    rest = boto.list_metrics(NextToken=found['NextToken'])
    assert rest['Metrics'] == [{
        'Namespace': 'ns', 'MetricName': 'c',
        'Dimensions': [{'Name': 'a', 'Value': 'c'}]}]
    assert 'NextToken' not in rest
    assert [each['MetricName'] for each in boto.list_metrics(
        Dimensions=[{'Name': 'a', 'Value': 'b'}])['Metrics']] == ['b']
    with pytest.raises(botocore.client.ClientError, match='NextToken'):
        boto.list_metrics(NextToken='?')


def test_statistics(boto, engine):
    engine.answers['get_metric_statistics'] = [{
        'at': NOW, 'unit': None, 'SampleCount': 2.0, 'Average': 1.5,
        'Sum': 3.0, 'Minimum': 1.0, 'Maximum': 2.0}]
    found = boto.get_metric_statistics(
        Namespace='ns', MetricName='m', Period=60, Statistics=[
            'Sum', 'Average'], StartTime=MOMENT,
        EndTime=MOMENT + datetime.timedelta(hours=1))
    assert found['Datapoints'] == [{
        'Timestamp': MOMENT, 'Unit': 'None', 'Sum': 3.0, 'Average': 1.5}]
    assert engine.arguments == {
        'metric': {'namespace': 'ns', 'name': 'm', 'dimensions': {}},
        'start': NOW - NOW % 60, 'end': NOW + 3600, 'period': 60,
        'unit': None}
    with pytest.raises(botocore.client.ClientError,
                       match='more than 1440'):
        boto.get_metric_statistics(
            Namespace='ns', MetricName='m', Period=1, Statistics=['Sum'],
            StartTime=MOMENT, EndTime=MOMENT + datetime.timedelta(hours=1))


def test_history(boto, engine):
    engine.answers['describe_alarm_history'] = [
        {'id': 9, 'name': 'n', 'at': NOW, 'kind': 'StateUpdate',
         'summary': 's', 'data': {'old': 'NORMAL', 'new': 'ALARM',
                                  'reason': 'r', 'values': [3.0]}},
        {'id': 8, 'name': 'n', 'at': NOW, 'kind': 'Action', 'summary': 's',
         'data': None}]
    found = boto.describe_alarm_history(
        AlarmName='n', MaxRecords=1, ScanBy='TimestampAscending',
        HistoryItemType='StateUpdate', StartDate=MOMENT, EndDate=MOMENT)
    assert engine.arguments == {'limit': 2, 'marker': None, 'filters': {
        'name': 'n', 'kind': 'StateUpdate', 'since': NOW, 'until': NOW,
        'ascending': True}}
    [entry] = found['AlarmHistoryItems']
    assert entry['HistorySummary'] == 'Alarm updated from OK to ALARM'
    assert json.loads(entry['HistoryData'])['newState'] == {
        'stateValue': 'ALARM', 'stateReason': 'r',
        'stateReasonData': {'values': [3.0]}}
    boto.describe_alarm_history(NextToken=found['NextToken'])
    assert engine.arguments['marker'] == 9


def test_other_actions_are_invalid(boto):
    with pytest.raises(botocore.client.ClientError) as caught:
        boto.delete_alarms(AlarmNames=['n'])
    assert caught.value.response['Error']['Code'] == 'InvalidAction'


def test_errors_of_the_engine(boto, engine):
    engine.answers['put_metric_data'] = exception.RequestLimitExceeded(
        message='too many')
    with pytest.raises(botocore.client.ClientError) as caught:
        boto.put_metric_data(Namespace='ns', MetricData=[
            {'MetricName': 'a', 'Value': 1}])
    assert caught.value.response['Error']['Code'] == 'RequestLimitExceeded'


# -- hostile input ------------------------------------------------------------

DATUM = {'MetricName': 'a', 'Value': 1.0}


def put(data=(DATUM,), **values):
    return {'Namespace': 'ns', 'MetricData': list(data), **values}


@pytest.mark.parametrize('params', [
    {}, {'Namespace': 'ns'}, put([]), put(Namespace=''), put(Namespace=':x'),
    put(Namespace='x' * 256), put(Namespace=7), put(Namespace='ü'),
    put(Namespace='a\0'), put([DATUM] * 1001), put(MetricData='x'),
    put(MetricData=[7]), put(MetricData={'a': 1}), put(EntityMetricData=[1]),
    put([{}]), put([{'MetricName': 'a'}]), put([{**DATUM, 'Values': [1]}]),
    put([{**DATUM, 'MetricName': 'x' * 256}]),
    *(put([{'MetricName': 'a', 'Value': value}])
      for value in (True, 'x', '', [1], {}, 'nan', 'inf', '9' * 65, 2.0 ** 361,
                    2.0 ** -361, 10 ** 400)),
    *(put([{'MetricName': 'a', **values}]) for values in (
        {'Values': []}, {'Values': [1] * 151}, {'Values': [1], 'Counts': []},
        {'Values': [1], 'Counts': [0]}, {'Values': [1], 'Counts': [-1]},
        {'Values': [2.0 ** 359] * 150}, {'Values': 'x'},
        {'StatisticValues': {}}, {'StatisticValues': 7},
        {'StatisticValues': {'SampleCount': 0, 'Sum': 0, 'Minimum': 0,
                             'Maximum': 0}},
        {'StatisticValues': {'SampleCount': 1, 'Sum': 0, 'Minimum': 1,
                             'Maximum': 0}})),
    *(put([{**DATUM, **values}]) for values in (
        {'Unit': 'Parsec'}, {'Unit': 7}, {'StorageResolution': 0},
        {'StorageResolution': 1.5}, {'StorageResolution': 'x'},
        {'Timestamp': 'x'}, {'Timestamp': -1}, {'Timestamp': 1e300},
        {'Timestamp': True}, {'Timestamp': NOW - 15 * 86400},
        {'Timestamp': NOW + 3 * 3600}, {'Timestamp': '9' * 60},
        {'Dimensions': [{'Name': 'a'}]}, {'Dimensions': [{'Value': 'a'}]},
        {'Dimensions': [{'Name': 'a', 'Value': 'x' * 1025}]},
        {'Dimensions': [{'Name': 'a', 'Value': 'x'}] * 2},
        {'Dimensions': [{'Name': f'a{number}', 'Value': 'x'}
                        for number in range(31)]},
        {'Dimensions': {'a': 'b'}})),
])
def test_data_that_are_refused(ask, engine, params):
    for send in (by_json, by_cbor):
        assert code_of(send(ask, 'PutMetricData', params)) in (
            'InvalidParameterValue', 'MissingParameter',
            'InvalidParameterCombination')
    assert engine.calls == []


@pytest.mark.parametrize(('action', 'params'), [
    ('SetAlarmState', {}), ('SetAlarmState', {
        'AlarmName': 'n', 'StateValue': 'x', 'StateReason': ''}),
    ('SetAlarmState', {'AlarmName': 'n', 'StateValue': 'OK',
                       'StateReason': 'x' * 1024}),
    ('SetAlarmState', {'AlarmName': 'n', 'StateValue': 'OK',
                       'StateReason': '\0'}),
    ('SetAlarmState', {'AlarmName': 'n', 'StateValue': 'OK',
                       'StateReason': '', 'StateReasonData': '[' * 4000}),
    ('DescribeAlarms', {'AlarmNames': ['a'], 'AlarmNamePrefix': 'a'}),
    ('DescribeAlarms', {'AlarmNames': ['a'] * 101}),
    ('DescribeAlarms', {'AlarmNames': [{}]}),
    ('DescribeAlarms', {'MaxRecords': 101}),
    ('DescribeAlarms', {'MaxRecords': -1}),
    ('DescribeAlarms', {'AlarmTypes': ['x']}),
    ('DescribeAlarms', {'AlarmTypes': [[]]}),
    ('DescribeAlarms', {'NextToken': 'ü'}),
    ('DescribeAlarms', {'ActionPrefix': 'a'}),
    ('DescribeAlarmHistory', {'NextToken': 'eA=='}),
    ('DescribeAlarmHistory', {'HistoryItemType': 'x'}),
    ('DescribeAlarmHistory', {'StartDate': 'x'}),
    ('DescribeAlarmsForMetric', {'Namespace': 'ns'}),
    ('ListMetrics', {'RecentlyActive': 'PT4H'}),
    ('ListMetrics', {'Dimensions': [{'Name': 'a'}] * 11}),
    ('GetMetricStatistics', {'Namespace': 'ns', 'MetricName': 'm'}),
    ('GetMetricStatistics', {
        'Namespace': 'ns', 'MetricName': 'm', 'Period': 0,
        'Statistics': ['Sum'], 'StartTime': 0, 'EndTime': 60}),
    ('GetMetricStatistics', {
        'Namespace': 'ns', 'MetricName': 'm', 'Period': 60,
        'Statistics': ['x'], 'StartTime': 0, 'EndTime': 60}),
    ('GetMetricStatistics', {
        'Namespace': 'ns', 'MetricName': 'm', 'Period': 60,
        'Statistics': ['Sum'], 'StartTime': 60, 'EndTime': 0}),
])
def test_parameters_that_are_refused(ask, engine, action, params):
    for send in (by_json, by_cbor):
        assert code_of(send(ask, action, params))
    assert engine.calls == []


def test_parameters_of_forms_that_are_refused(ask, engine):
    for params in ({'A.b': '1', 'A': '2'}, {'A.member.0': '1'},
                   {'A.member.x': '1'}, {'A.member': 'x', 'A.b': '1'},
                   {'A.member.1': 'x', 'A.member.01': 'y'},
                   {'.'.join('abcdefghi'): '1'},
                   {'A.member.999999': '1'}):
        assert code_of(query(ask, 'ListMetrics', params)) in (
            'MalformedQueryString',), params
    assert code_of(query(ask, 'PutMetricData', {
        'Namespace': 'ns', 'MetricData.member.1': 'x'}))
    assert code_of(ask('/?Action=')) == 'MissingAction'
    assert code_of(ask('/elsewhere?Action=ListMetrics')) == 'InvalidAction'
    assert engine.calls == []


@pytest.mark.parametrize('body', [
    b'\xff', b'\x82\x01', b'\x01', b'\x80', b'\xa1\x01\x02',
    b'\x9f' * 2000, b'\x81' * 2000, b'\x9b' + b'\xff' * 8,
    b'\x5b\x7f' + b'\xff' * 7, b'\xa2\x61a\x01\x61a\x02',
    *(b'\xa1\x61a' + cbor2.dumps(cbor2.CBORTag(number, value))
      for number in (0, 2, 3, 4, 5, 24, 25, 28, 29, 30, 32, 35, 36, 37, 41,
                     100, 256, 258, 260, 261, 1004, 43000, 55799, 2 ** 63)
      for value in ('a', 1, [1, 999999999])),
    b'\xa1\x61a' + cbor2.dumps(cbor2.CBORTag(1, 'x')),
    b'\xa1\x61a' + cbor2.dumps(cbor2.CBORTag(1, 1e300)),
    b'\xa1\x61a' + cbor2.dumps(cbor2.CBORTag(1, float('nan'))),
    b'\xa1\x61a\x62\xff\xff'])
def test_cbor_that_is_refused(ask, engine, body):
    assert code_of(by_cbor(ask, 'ListMetrics', None, body=body)) == (
        'InvalidParameterValue')
    assert engine.calls == []


def test_json_that_is_refused(ask, engine):
    for body in (b'{', b'[]', b'7', b'\xff', b'[' * 100000,
                 b'{"Namespace": "\\ud800"}', b'{"a": 1e999}'):
        answer = ask(method='POST', body=body, headers={
            'X-Amz-Target': f'{requests.TARGET}.ListMetrics'})
        assert code_of(answer) == 'InvalidParameterValue', body
    assert code_of(ask(method='POST', headers={
        'X-Amz-Target': 'Other.ListMetrics'})) == 'InvalidAction'
    assert code_of(ask(headers={
        'X-Amz-Target': f'{requests.TARGET}.ListMetrics'})) == (
            'InvalidAction')
    assert engine.calls == []


def test_compressed_bodies_that_are_refused(ask, engine):
    limit = cfg.CONF.max_json_body_size
    good = gzip.compress(cbor2.dumps({}))
    for body, encoding in ((b'x', 'gzip'), (good[:-1], 'gzip'),
                           (good + b'x', 'gzip'), (good, 'br'),
                           (good, 'gzip, gzip')):
        assert code_of(by_cbor(ask, 'ListMetrics', None, body=body, headers={
            'Content-Encoding': encoding})) == 'InvalidParameterValue'
    bomb = gzip.compress(bytes(limit * 50))
    for answer in (
            by_cbor(ask, 'ListMetrics', None, body=bomb,
                    headers={'Content-Encoding': 'gzip'}),
            ask(method='POST', body=bomb, headers={
                'Content-Encoding': 'gzip',
                'Content-Type': 'application/x-www-form-urlencoded'})):
        assert code_of(answer) == 'RequestLimitExceeded'
    assert code_of(by_cbor(ask, 'ListMetrics', None,
                           body=bytes(limit + 1))) == 'RequestLimitExceeded'
    assert engine.calls == []


def test_large_numbers_of_cbor_are_no_numbers(ask, engine):
    answer = by_cbor(ask, 'PutMetricData', None, body=cbor2.dumps(
        put([{'MetricName': 'a', 'Value': float('inf')}])))
    assert code_of(answer) == 'InvalidParameterValue'
    body = bytearray(cbor2.dumps(put([{'MetricName': 'a', 'Value': 1}])))
    body[-1:] = b'\xfb' + struct.pack('>d', float('nan'))
    assert code_of(by_cbor(ask, 'PutMetricData', None,
                           body=bytes(body))) == 'InvalidParameterValue'


def test_who_may_do_what(ask, engine):
    engine.answers['list_metrics'] = []
    assert code_of(query(ask, 'ListMetrics', project=None)) == 'AccessDenied'
    assert code_of(by_cbor(ask, 'PutMetricData', put(),
                           roles=['reader'])) == 'AccessDenied'
    assert by_cbor(ask, 'ListMetrics', {},
                   roles=['reader']).status_int == 200
    assert code_of(by_json(ask, 'ListMetrics', {},
                           roles=['other'])) == 'AccessDenied'


def test_failures_say_nothing(ask, engine):
    engine.answers['list_metrics'] = RuntimeError('inner secret')
    for answer in (query(ask, 'ListMetrics'), by_json(ask, 'ListMetrics', {}),
                   by_cbor(ask, 'ListMetrics', {}, prefix='/v1')):
        assert answer.status_int == 500
        assert b'secret' not in answer.body
