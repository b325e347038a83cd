"""What this service has beyond the facts about its peer."""

#: The version of the language that follows AWS CloudFormation.
CFN = 'AWSTemplateFormatVersion.2010-09-09'

CFN_SECTIONS = ['Metadata', 'Rules', 'Transform']
CFN_RESOURCE_KEYS = ['UpdateReplacePolicy']
CFN_OUTPUT_KEYS = ['Export']
CFN_FUNCTIONS = ['Fn::Cidr', 'Fn::ImportValue', 'Fn::Length', 'Fn::Sub',
                 'Fn::ToJsonString']
CFN_CONDITION_FUNCTIONS = ['Condition', 'Fn::Length']

#: Rules about what OpenStack Heat does not have. The engine asks for that of
#: change sets.
POLICIES = ['change_sets:execute_of_others', 'actions:retry',
            'actions:continue_rollback',
            'cloudformation:ContinueUpdateRollback',
            'protection:override_policy',
            'cloudformation:GetStackPolicy', 'cloudformation:SetStackPolicy',
            'cloudformation:ListExports',
            'cloudformation:ListImports',
            'cloudformation:UpdateTerminationProtection',
            'cloudformation:CreateChangeSet',
            'cloudformation:DeleteChangeSet',
            'cloudformation:DescribeChangeSet',
            'cloudformation:ExecuteChangeSet',
            'cloudformation:ListChangeSets',
            'cloudformation:DetectStackDrift',
            'cloudformation:DescribeStackDriftDetectionStatus',
            'cloudformation:DescribeStackResourceDrifts']

#: Actions on a stack.
ACTIONS = ['retry', 'continue_rollback']

#: Rules about metrics and alarms.
CLOUDWATCH_POLICIES = [
    f'cloudwatch:{action}' for action in (
        'DescribeAlarmHistory', 'DescribeAlarms', 'DescribeAlarmsForMetric',
        'GetMetricStatistics', 'ListMetrics', 'PutMetricData',
        'SetAlarmState')]

#: What the engine offers: intervals of the detection of drift are new in it.
RPC_API_VERSION = '1.46'

#: Sections of environments.
ENVIRONMENT_SECTIONS = ['moves']

#: The collection of change sets: its policy rules, by method and action.
CHANGE_SET_ROUTES = {
    ('GET', 'change_sets', 'index'): 'change_sets:index',
    ('POST', 'change_sets', 'create'): 'change_sets:create',
    ('GET', 'change_sets', 'show'): 'change_sets:show',
    ('DELETE', 'change_sets', 'delete'): 'change_sets:delete',
    ('POST', 'change_sets', 'execute'): 'change_sets:execute',
}

#: The protection of stacks: its policy rules, by method and action.
PROTECTION_ROUTES = {
    ('GET', 'protection', 'show'): 'protection:show',
    ('PUT', 'protection', 'update'): 'protection:update',
    ('GET', 'protection', 'show_policy'): 'protection:show_policy',
    ('PUT', 'protection', 'update_policy'): 'protection:update_policy',
}

#: The drift of stacks: its policy rules, by method and action.
DRIFT_ROUTES = {
    ('GET', 'drift', 'show'): 'drift:show',
    ('POST', 'drift', 'detect'): 'drift:detect',
    ('PUT', 'drift', 'update'): 'drift:update',
}

#: What follows events: its policy rules, by method and action.
HISTORY_ROUTES = {
    ('GET', 'events', 'stream'): 'events:stream',
    ('GET', 'events', 'stream_of_project'): 'events:stream',
    ('GET', 'events', 'timeline'): 'events:timeline',
}

#: What a user may do: its policy rule, by method and action.
PERMISSION_ROUTES = {
    ('GET', 'permissions', 'index'): 'permissions:index',
}

#: All routes beside those of Heat.
ROUTES = {**CHANGE_SET_ROUTES, **PROTECTION_ROUTES, **DRIFT_ROUTES,
          **HISTORY_ROUTES, **PERMISSION_ROUTES}

#: Resource types that Heat once had, and here have come back.
TYPES = {'OS::Heat::CWLiteAlarm'}

#: Tables that came with collections of ours; the way back drops them.
TABLES = {'change_set', 'drift_detection', 'drift_schedule', 'stack_export',
          'stack_import', 'stack_protection', 'watch_data', 'watch_history',
          'watch_metric', 'watch_rule'}

#: Columns of the table of events.
EVENT_COLUMNS = ('acting_ms', 'polling_ms')


def with_cfn_keys(constant, recorded):
    """Return the keys of templates that follow AWS, with those beyond."""
    if constant == 'OUTPUT_KEYS':
        return [*recorded, *CFN_OUTPUT_KEYS]
    if constant == '_RESOURCE_KEYS':
        return [*recorded, *CFN_RESOURCE_KEYS]
    if constant == 'HOT_TO_CFN_RES_ATTRS':
        return {**recorded, 'update_replace_policy': 'UpdateReplacePolicy'}
    return recorded
