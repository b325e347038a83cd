"""Policy of software configs."""
from oslo_policy import policy

from heat.policies import base

rules = [
    base.rule('software_configs:create', base.PROJECT_MEMBER,
              'Create a software config.',
              [('POST', '/software_configs')]),
    base.rule('software_configs:delete', base.PROJECT_MEMBER,
              'Delete a software config.',
              [('DELETE', '/software_configs/{config_id}')]),
    # Asked with any scope: whoever may, looks across projects.
    policy.DocumentedRuleDefault(
        name='software_configs:global_index',
        check_str=base.RULE_DENY_EVERYBODY,
        description='List software configs of all projects.',
        operations=[{'method': 'GET',
                     'path': '/v1/{tenant_id}/software_configs'}]),
    base.rule('software_configs:index', base.PROJECT_READER,
              'List software configs.',
              [('GET', '/software_configs')]),
    base.rule('software_configs:show', base.PROJECT_READER,
              'Show a software config.',
              [('GET', '/software_configs/{config_id}')]),
]


def list_rules():
    """Return the rules of this module."""
    return rules
