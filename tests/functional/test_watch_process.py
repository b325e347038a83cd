"""Autoscaling without any cloud: heat-all, and metrics pushed by boto3."""
import subprocess
import sys
import textwrap

import boto3
import pytest

from heat.common import template_format
from tests import ports
from tests.functional import process
from tests.functional import rest
from tests.functional import service

TEMPLATE = template_format.parse(
    (service.ROOT / 'examples' / 'metric_scaling.yaml').read_text())
README = (service.ROOT / 'README.rst').read_text()
PERIOD = 2


@pytest.fixture(params=['eventlet', 'threading'])
def heat(request, tmp_path, monkeypatch):
    """Return heat-all with CloudWatch, and a client of that."""
    monkeypatch.setenv('HEAT_CONCURRENCY', request.param)
    running = process.HeatAll(tmp_path)
    port = ports.free_port()
    with (tmp_path / 'heat.conf').open('a') as config:
        config.write(f'[cloudwatch]\nenabled = true\n'
                     f'evaluation_interval = 0.2\n'
                     f'[heat_api_cloudwatch]\nbind_port = {port}\n')
    running.start()
    running.cloudwatch_port = port
    yield running, boto3.client(
        'cloudwatch', region_name='here',
        endpoint_url=f'http://127.0.0.1:{port}',
        aws_access_key_id='demo', aws_secret_access_key='none')
    assert running.terminate() == 0


def test_pushes_scale_a_group(heat):
    running, cloudwatch = heat
    stack = running.client().created('s', TEMPLATE,
                                     parameters={'period': PERIOD})
    assert stack.outputs()['size'] == 1

    def push(value):
        cloudwatch.put_metric_data(Namespace='example', MetricData=[
            {'MetricName': 'load', 'Value': value}])

    def until(size, value):
        def reached():
            push(value)
            return stack.outputs()['size'] == size

        rest.wait_for(reached, stack.events, 120)

    until(3, 90.0)
    assert cloudwatch.describe_alarms(
        AlarmNames=[stack.outputs()['busy']])['MetricAlarms'][0][
            'StateValue'] == 'ALARM'
    until(1, 10.0)
    summaries = [entry['HistorySummary'] for entry in
                 cloudwatch.describe_alarm_history()['AlarmHistoryItems']]
    assert 'Alarm updated from OK to ALARM' in summaries
    assert 'Signals were sent to one_less' in summaries
    assert cloudwatch.list_metrics()['Metrics'] == [{
        'Namespace': 'example', 'MetricName': 'load', 'Dimensions': []}]
    stack.deleted()
    assert cloudwatch.describe_alarms()['MetricAlarms'] == []


def test_the_tour_of_the_readme(heat):
    """The push of the README makes the group grow."""
    running, cloudwatch = heat
    stack = running.client().created('group', TEMPLATE,
                                     parameters={'period': PERIOD})
    script = textwrap.dedent(
        README.split("python - <<'EOF'\n")[1].split('    EOF\n')[0])
    assert ':8003' in script
    script = script.replace(':8003', f':{running.cloudwatch_port}')

    def has_grown():
        subprocess.run([sys.executable, '-c', script], check=True,
                       timeout=120)
        return stack.outputs()['size'] == 3

    rest.wait_for(has_grown, stack.events, 120)
    stack.deleted()
    assert cloudwatch.describe_alarms()['MetricAlarms'] == []
