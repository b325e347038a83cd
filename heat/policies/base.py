"""Rules and check strings that the rules of all collections use."""
from oslo_log import versionutils
from oslo_policy import policy

RULE_CONTEXT_IS_ADMIN = 'rule:context_is_admin'
RULE_PROJECT_ADMIN = 'rule:project_admin'
RULE_DENY_STACK_USER = 'rule:deny_stack_user'
RULE_DENY_EVERYBODY = 'rule:deny_everybody'
RULE_ALLOW_EVERYBODY = 'rule:allow_everybody'

PROJECT_ADMIN = 'role:admin and project_id:%(project_id)s'
PROJECT_MEMBER = 'role:member and project_id:%(project_id)s'
PROJECT_READER = 'role:reader and project_id:%(project_id)s'
PROJECT_STACK_USER = 'role:heat_stack_user and project_id:%(project_id)s'
PROJECT_READER_OR_STACK_USER = '(%s) or (%s)' % (PROJECT_READER,
                                                 PROJECT_STACK_USER)

PROJECT_SCOPE = ['project']

DEPRECATED_REASON = """
The default now asks for the role of a member or a reader in the project of
the request. The former default let in everybody who is not a stack user.
"""


def rule(name, check, description, operations=(), *,
         formerly=RULE_DENY_STACK_USER):
    """Return the default of a rule, documented if it has operations.

    :param operations: pairs of method and path below /v1/{tenant_id}.
    :param formerly: the check of the releases before project personas, or
                     None for a rule that has not changed.
    """
    deprecated = None
    if formerly is not None:
        deprecated = policy.DeprecatedRule(
            name=name, check_str=formerly,
            deprecated_reason=DEPRECATED_REASON,
            deprecated_since=versionutils.deprecated.WALLABY)
    if not operations:
        return policy.RuleDefault(
            name=name, check_str=check, description=description,
            scope_types=PROJECT_SCOPE, deprecated_rule=deprecated)
    return policy.DocumentedRuleDefault(
        name=name, check_str=check, description=description,
        scope_types=PROJECT_SCOPE, deprecated_rule=deprecated,
        operations=[{'method': method, 'path': '/v1/{tenant_id}' + path}
                    for method, path in operations])


def list_rules():
    """Return the rules that other rules refer to."""
    return [
        policy.RuleDefault(
            name='context_is_admin',
            check_str='(role:admin and is_admin_project:True)',
            description='Decides what is the context of an administrator: one '
                        'that is exempt from limits and may act in any '
                        'project.'),
        policy.RuleDefault(
            name='project_admin', check_str='role:admin',
            description='Default rule for administrators of a project.'),
        policy.RuleDefault(
            name='deny_stack_user', check_str='not role:heat_stack_user',
            description='Default rule that refuses the users that templates '
                        'define.'),
        policy.RuleDefault(
            name='deny_everybody', check_str='!',
            description='Default rule that refuses everybody.'),
        policy.RuleDefault(
            name='allow_everybody', check_str='',
            description='Default rule that lets everybody pass.'),
    ]
