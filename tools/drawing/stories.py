"""How a stack is created and updated, as messages between processes."""
from tools.drawing import sequence
from tools.drawing.sequence import Frame
from tools.drawing.sequence import Message
from tools.drawing.sequence import Note

_CLIENT, _API, _CLOUD = 'client', 'heat-api', 'cloud services'
_ONE, _OTHER, _DATABASE = 'heat-engine 1', 'heat-engine 2', 'database'
_WHO = [_CLIENT, _API, _ONE, _DATABASE, _OTHER, _CLOUD]


def _request(asked, call, stored, result, answer):
    """Return how a request is accepted, until engines begin to work."""
    return [
        Message(_CLIENT, _API, asked),
        Note(_API, 'policy, body'),
        Message(_API, _ONE, call),
        Note(_ONE, 'validation'),
        Message(_ONE, _DATABASE, stored),
        Message(_ONE, _API, result, answers=True),
        Message(_API, _CLIENT, answer, answers=True),
        Message(_ONE, _OTHER, 'wakeup'),
    ]


def create():
    """Return SVG of the creation of a stack under convergence."""
    return sequence.draw('How a stack is created', _WHO, [
        *_request('POST …/stacks', 'create_stack', 'stack, rows, graph',
                  'stack id', '201 Created'),
        Frame('each resource, in dependency order, on any engine', [
            Message(_OTHER, _DATABASE, 'claim'),
            Note(_OTHER, 'decision: CREATE'),
            Message(_OTHER, _CLOUD, 'create, poll'),
            Message(_OTHER, _DATABASE, 'outcome, sync points'),
            Message(_OTHER, _ONE, 'wakeup'),
        ]),
        Message(_OTHER, _DATABASE, 'CREATE_COMPLETE'),
    ])


def update():
    """Return SVG of the update of a stack under convergence."""
    return sequence.draw('How a stack is updated', _WHO, [
        *_request('PUT …/stacks/name/id', 'update_stack', 'new traversal',
                  'accepted', '202 Accepted'),
        Frame('each resource of the new template, in dependency order', [
            Message(_ONE, _DATABASE, 'claim'),
            Note(_ONE, 'decision: KEEP, CREATE, UPDATE or REPLACE'),
            Message(_ONE, _CLOUD, 'create, or change in place'),
            Message(_ONE, _DATABASE, 'outcome, sync points'),
        ]),
        Frame('each resource that was replaced or left out, in reverse', [
            Message(_OTHER, _DATABASE, 'claim'),
            Note(_OTHER, 'decision: DELETE'),
            Message(_OTHER, _CLOUD, 'delete'),
            Message(_OTHER, _DATABASE, 'outcome, sync points'),
        ]),
        Message(_OTHER, _DATABASE, 'UPDATE_COMPLETE'),
        Frame('if a resource fails and rollback is enabled', [
            Message(_ONE, _DATABASE, 'new traversal'),
            Note(_ONE, 'the same, with the previous template'),
        ]),
    ])
