"""Policy of resources."""
from heat.policies import base

_STACK = '/stacks/{stack_name}/{stack_id}'


rules = [
    base.rule('resource:index', base.PROJECT_READER,
              'List the resources of a stack.',
              [('GET', _STACK + '/resources')]),
    base.rule('resource:mark_unhealthy', base.PROJECT_MEMBER,
              'Mark a resource as healthy or unhealthy.',
              [('PATCH',
                _STACK + '/resources/{resource_name_or_physical_id}')]),
    base.rule('resource:metadata', base.PROJECT_READER_OR_STACK_USER,
              'Show the metadata of a resource.',
              [('GET', _STACK + '/resources/{resource_name}/metadata')],
              formerly=base.RULE_ALLOW_EVERYBODY),
    base.rule('resource:show', base.PROJECT_READER,
              'Show a resource.',
              [('GET', _STACK + '/resources/{resource_name}')]),
    base.rule('resource:signal', base.PROJECT_READER_OR_STACK_USER,
              'Send a signal to a resource.',
              [('POST', _STACK + '/resources/{resource_name}/signal')],
              formerly=base.RULE_ALLOW_EVERYBODY),
]


def list_rules():
    """Return the rules of this module."""
    return rules
