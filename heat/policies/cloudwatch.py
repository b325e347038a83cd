"""Policy of the CloudWatch-compatible API."""
from heat.policies import base

rules = [
    base.rule('cloudwatch:DescribeAlarmHistory', base.PROJECT_READER,
              'Show the history of alarms by the CloudWatch API.'),
    base.rule('cloudwatch:DescribeAlarms', base.PROJECT_READER,
              'Show alarms by the CloudWatch API.'),
    base.rule('cloudwatch:DescribeAlarmsForMetric', base.PROJECT_READER,
              'Show the alarms on a metric by the CloudWatch API.'),
    base.rule('cloudwatch:GetMetricStatistics', base.PROJECT_READER,
              'Show statistics of a metric by the CloudWatch API.'),
    base.rule('cloudwatch:ListMetrics', base.PROJECT_READER,
              'List metrics by the CloudWatch API.'),
    base.rule('cloudwatch:PutMetricData', base.PROJECT_MEMBER,
              'Push data of metrics by the CloudWatch API.'),
    base.rule('cloudwatch:SetAlarmState', base.PROJECT_MEMBER,
              'Set the state of an alarm by the CloudWatch API.'),
]


def list_rules():
    """Return the rules of this module."""
    return rules
