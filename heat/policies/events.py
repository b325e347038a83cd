"""Policy of events."""
from heat.policies import base

_STACK = '/stacks/{stack_name}/{stack_id}'


rules = [
    base.rule('events:index', base.PROJECT_READER,
              'List the events of a stack.',
              [('GET', _STACK + '/events')]),
    base.rule('events:show', base.PROJECT_READER,
              'Show an event.',
              [('GET', _STACK + '/resources/{resource_name}'
                                '/events/{event_id}')]),
]


def list_rules():
    """Return the rules of this module."""
    return rules
