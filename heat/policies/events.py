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
    base.rule('events:stream', base.PROJECT_READER,
              'Follow the events of a stack, or of all stacks of the '
              'project.',
              [('GET', _STACK + '/events/stream'),
               ('GET', '/events/stream')], formerly=None),
    base.rule('events:timeline', base.PROJECT_READER,
              'Show when each resource worked in the last operation of a '
              'stack.',
              [('GET', _STACK + '/timeline')], formerly=None),
]


def list_rules():
    """Return the rules of this module."""
    return rules
