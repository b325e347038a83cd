"""Alarms go on when an engine is killed."""
import pytest

from heat.cmd import settings
from heat.common import timeutils
from heat.objects import watch_data
from tests.fakes import servers
from tests.integration import cluster as cluster_module

PERIOD = 1
TEMPLATE = {
    'heat_template_version': '2018-08-31', 'resources': {
        'group': {'type': 'OS::Heat::AutoScalingGroup', 'properties': {
            'min_size': 1, 'max_size': 3, 'cooldown': 0,
            'resource': {'type': 'OS::Heat::Value',
                         'properties': {'value': 'v'}}}},
        'policy': {'type': 'OS::Heat::ScalingPolicy', 'properties': {
            'auto_scaling_group_id': {'get_resource': 'group'},
            'adjustment_type': 'exact_capacity', 'scaling_adjustment': 2,
            'cooldown': 0}},
        'alarm': {'type': 'OS::Heat::CWLiteAlarm', 'properties': {
            'Namespace': 'ns', 'MetricName': 'load', 'Period': PERIOD,
            'ComparisonOperator': 'GreaterThanThreshold', 'Threshold': 5,
            'AlarmActions': [{'get_resource': 'policy'}]}}},
    'outputs': {'size': {'value': {'get_attr': ['group', 'current_size']}}}}


@pytest.fixture(params=['mysql', 'postgresql'])
def two(request, tmp_path):
    """Return two engines that evaluate alarms, and an API."""
    one = cluster_module.Cluster(
        tmp_path, servers.Server(request.param),
        keystone_backend=settings.LOCAL_KEYSTONE)
    one.extra_sections = ('[cloudwatch]\nenabled = true\n'
                          'evaluation_interval = 0.2\n')
    try:
        one.start(apis=1)
        one.use()
        yield one
    finally:
        one.stop()


def push(cluster, key, value):
    cluster.sql(
        'INSERT INTO watch_data (metric_id, measured_at, samples, total, '
        'least, greatest) SELECT id, :at, 1, :value, :value, :value '
        'FROM watch_metric WHERE metric_key = :key', key=key, value=value,
        at=int(timeutils.epoch()))


def test_an_engine_is_killed(two):
    path = two.api.create('alarmed', TEMPLATE)
    two.wait_status(path, 'CREATE_COMPLETE')
    key = watch_data.metric_key('demo', 'ns', 'load', {})
    two.sql('INSERT INTO watch_metric (tenant, metric_key, namespace, name, '
            "dimensions, seen_at) VALUES ('demo', :key, 'ns', 'load', '{}', "
            ':at)', key=key, at=int(timeutils.epoch()))

    def state():
        return two.sql('SELECT state FROM watch_rule')[0][0]

    def size(value):
        push(two, key, value)
        [output] = two.api.show(path)['outputs']
        return output['output_value']

    two.wait_for(lambda: size(1.0) and state() == 'NORMAL', 'data')
    two.engines['one'].kill()
    # What it may have held at that moment, and for how long.
    two.sql("UPDATE watch_rule SET claim = 'killed', due_at = :at",
            at=int(timeutils.epoch()) + 3)
    two.wait_for(lambda: size(9.0) == 2 and state() == 'ALARM', 'the alarm')
    assert two.sql('SELECT pending, claim FROM watch_rule WHERE '
                   "claim = 'killed'") == []
