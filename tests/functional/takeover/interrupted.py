"""Stacks that Heat was stopped in the middle of, as its database has them.

Each is a chain of things: b needs a, c needs b.
"""
import dataclasses

from tests.fakes import heat_rows
from tests.functional import templates

NAMES = ('a', 'b', 'c')


@dataclasses.dataclass(frozen=True)
class Case:
    """A stack in progress, and what has to come of it.

    :ivar write: called with a database; returns the rows of the stack
    :ivar state: the state that the stack comes to
    :ivar done: what has to be done to things for it: {'CREATE a': 1, ...}
    """

    write: object
    state: str
    done: dict = dataclasses.field(default_factory=dict)


def chain(values=('1', '1', '1'), **of_b):
    """Return a resources section."""
    return {name: templates.thing(
        depends_on=before, value=value, **(of_b if name == 'b' else {}))
        for name, before, value in zip(NAMES, (None, 'a', 'b'), values,
                                       strict=True)}


def props(value='1', **more):
    """Return what Heat keeps of the properties of a thing."""
    return {'value': value, **more}


def _things(stack, states, values=('1', '1', '1'), **options):
    """Store the rows of a chain.

    :param states: 'CREATE COMPLETE', with '!' in front if an engine of Heat
        has the resource in hand; None for one that is gone
    :param options: {name: options of the row}
    """
    before = ()
    for name, state, value in zip(NAMES, states, values, strict=True):
        if state is None:
            continue
        action, status = state.lstrip('!').split()
        row = stack.resource(
            name, action=action, status=status, requires=before,
            claimed=state.startswith('!'), **{
                'properties': None if action == 'INIT' else props(value),
                'data': None if action == 'INIT' else {'tries': '1'},
                **options.get(name, {})})
        before = (row,)
    return [stack.rows[name] for name in NAMES if name in stack.rows]


def _made_one_by_one(*rows):
    """Return the edges of a graph that makes a chain."""
    return [(later.update, earlier.update)
            for earlier, later in zip(rows, rows[1:], strict=False)]


def _cleaned_up(*rows):
    """Return the edges by which an update removes what is superseded."""
    return [(earlier.clean, later.clean)
            for earlier, later in zip(rows, rows[1:], strict=False)] + [
                (row.clean, row.update) for row in rows]


def _updating(database, action, states, before, after, *, done=('a',),
              **options):
    """Store a stack on its way from one chain to another.

    :param before: values of the things; an update has not reached those
        whose state is CREATE
    """
    templates_ = [database.template(chain(values)) for values in (before,
                                                                  after)]
    stack = database.stack(
        action.lower(), templates_[1], before=templates_[0], action=action,
        status='IN_PROGRESS')
    reached = [state and state.endswith('UPDATE COMPLETE')
               for state in states]
    for name, new in zip(NAMES, reached, strict=True):
        options.setdefault(name, {}).setdefault(
            'template_id', templates_[bool(new)])
    rows = _things(stack, states, [
        new if has else old for new, old, has in
        zip(after, before, reached, strict=True)], **options)
    stack.graph(*_made_one_by_one(*rows), *_cleaned_up(*rows), going=True,
                done=[stack.rows[name].update for name in done])
    return stack


def _creating(states, done):
    def write(database):
        stack = database.stack('create', database.template(chain()),
                               status='IN_PROGRESS')
        rows = _things(stack, states)
        stack.graph(*_made_one_by_one(*rows), going=True,
                    done=[stack.rows[name].update for name in done])
        return stack
    return write


def _adopt(database):
    """What it was told to adopt only the engine knew that was stopped."""
    stack = database.stack('adopt', database.template(chain()),
                           action='ADOPT', status='IN_PROGRESS')
    rows = _things(stack, ('ADOPT COMPLETE', '!ADOPT IN_PROGRESS',
                           'INIT COMPLETE'))
    stack.graph(*_made_one_by_one(*rows), going=True,
                done=[stack.rows['a'].update])
    return stack


def _update(database):
    return _updating(database, 'UPDATE', (
        'UPDATE COMPLETE', '!UPDATE IN_PROGRESS', 'CREATE COMPLETE'),
        ('1', '1', '1'), ('2', '2', '2'))


def _replace(database):
    """Its b is being replaced, for another value of "fixed"."""
    before, after = database.template(chain()), database.template(
        chain(fixed='x'))
    stack = database.stack('replace', after, before=before, action='UPDATE',
                           status='IN_PROGRESS')
    a = stack.resource('a', properties=props(), template_id=after,
                       data={'tries': '1'})
    old = stack.resource('b', properties=props(), template_id=before,
                         data={'tries': '1'}, requires=(a,))
    new = stack.resource('b', properties=props(fixed='x'), requires=(a,),
                         action='CREATE', status='IN_PROGRESS', claimed=True,
                         replaces=old.id, data={'tries': '1'})
    database.update('resource', old.id, replaced_by=new.id)
    c = stack.resource('c', properties=props(), template_id=before,
                       data={'tries': '1'}, requires=(old,))
    rows = a, old, c
    stack.graph(*_made_one_by_one(*rows), *_cleaned_up(*rows), going=True,
                done=[a.update])
    return stack


def _rollback(database):
    """Its b failed in an update that had changed a, but not yet c."""
    return _updating(database, 'ROLLBACK', (
        '!UPDATE IN_PROGRESS', 'UPDATE FAILED', 'CREATE COMPLETE'),
        ('2', '2', '2'), ('1', '1', '1'), done=(),
        a={'properties': props('2')}, b={'properties': props('1')},
        c={'properties': props('1')})


def _delete(database):
    old = database.template(chain())
    stack = database.stack(
        'delete', database.template({'heat_template_version':
                                     templates.VERSION}),
        before=old, action='DELETE', status='IN_PROGRESS')
    gone = stack.resource('c', action='DELETE', template_id=old)
    a, b = _things(stack, ('CREATE COMPLETE', '!DELETE IN_PROGRESS', None),
                   a={'template_id': old}, b={'template_id': old})[:2]
    stack.graph((a.clean, b.clean), (b.clean, gone.clean), going=True,
                done=[gone.clean])
    database.remove('resource', gone.id)
    del stack.rows['c']
    return stack


def _acting(action, states, *, order=NAMES):
    """Return a function that stores a stack whose resources all act."""
    def write(database):
        snapshot = heat_rows.new_id() if action == 'SNAPSHOT' else None
        stack = database.stack(
            action.lower(), database.template(chain()), action=action,
            status='IN_PROGRESS', traversal=snapshot)
        rows = _things(stack, states)
        acting = [stack.rows[name] for name in order]
        stack.graph(*_made_one_by_one(*acting),
                    *((row.clean, row.update) for row in rows), going=True,
                    done=[acting[0].update])
        if snapshot:
            stack.snapshot(
                snapshot_id=snapshot, status='IN_PROGRESS',
                parts={'a': {
                    'name': 'a', 'type': 'Test::Thing', 'metadata': {},
                    'resource_id': stack.rows['a'].physical,
                    'action': 'SNAPSHOT', 'status': 'COMPLETE',
                    'resource_data': {'tries': '1', 'kept': '1'}}})
        return stack
    return write


#: {name: what Heat was doing}
CASES = {
    'create': Case(
        _creating(('CREATE COMPLETE', '!CREATE IN_PROGRESS',
                   'INIT COMPLETE'), 'a'), 'CREATE_COMPLETE',
        {'DELETE b': 1, 'CREATE b': 1, 'CREATE c': 1}),
    'create-between': Case(
        _creating(('CREATE COMPLETE', 'INIT COMPLETE', 'INIT COMPLETE'),
                  'a'), 'CREATE_COMPLETE', {'CREATE b': 1, 'CREATE c': 1}),
    'create-untold': Case(
        # The engine had recorded a, but told nobody yet.
        _creating(('CREATE COMPLETE', 'INIT COMPLETE', 'INIT COMPLETE'),
                  ''), 'CREATE_COMPLETE', {'CREATE b': 1, 'CREATE c': 1}),
    'adopt': Case(_adopt, 'ADOPT_FAILED'),
    'update': Case(_update, 'UPDATE_COMPLETE',
                   {'UPDATE b': 1, 'UPDATE c': 1}),
    'replace': Case(_replace, 'UPDATE_COMPLETE',
                    {'DELETE b': 2, 'CREATE b': 1}),
    'rollback': Case(_rollback, 'ROLLBACK_COMPLETE',
                     {'UPDATE a': 1, 'CREATE b': 1, 'DELETE b': 1}),
    'delete': Case(_delete, 'DELETE_COMPLETE',
                   {'DELETE b': 1, 'DELETE a': 1}),
    'suspend': Case(
        _acting('SUSPEND', ('CREATE COMPLETE', '!SUSPEND IN_PROGRESS',
                            'SUSPEND COMPLETE'), order=NAMES[::-1]),
        'SUSPEND_COMPLETE', {'SUSPEND b': 1, 'SUSPEND a': 1}),
    'resume': Case(
        _acting('RESUME', ('RESUME COMPLETE', '!RESUME IN_PROGRESS',
                           'SUSPEND COMPLETE')),
        'RESUME_COMPLETE', {'RESUME b': 1, 'RESUME c': 1}),
    'check': Case(
        _acting('CHECK', ('CHECK COMPLETE', '!CHECK IN_PROGRESS',
                          'CREATE COMPLETE')),
        'CHECK_COMPLETE', {'CHECK b': 1, 'CHECK c': 1}),
    'snapshot': Case(
        _acting('SNAPSHOT', ('SNAPSHOT COMPLETE', '!SNAPSHOT IN_PROGRESS',
                             'CREATE COMPLETE')),
        'SNAPSHOT_COMPLETE', {'SNAPSHOT b': 1, 'SNAPSHOT c': 1}),
    'restore': Case(
        lambda database: _updating(database, 'RESTORE', (
            'UPDATE COMPLETE', '!UPDATE IN_PROGRESS', 'CREATE COMPLETE'),
            ('1', '1', '1'), ('2', '2', '2')),
        'RESTORE_COMPLETE', {'UPDATE b': 1, 'UPDATE c': 1}),
}


# -- legacy ------------------------------------------------------------------

def _locked(action, states, values=('1', '1', '1'), **more):
    """Return a function that stores a legacy stack which is locked."""
    def write(database):
        stack = database.stack(
            'legacy-' + action.lower(), database.template(chain(values)),
            action=action, status='IN_PROGRESS', convergence=False)
        _things(stack, states, **more)
        stack.lock()
        return stack
    return write


def _locked_update(action):
    """Return a function that stores an update which had replaced b.

    What it replaced is in another stack.
    """
    def write(database):
        before = database.template(chain())
        stack = database.stack(
            'legacy-' + action.lower(), database.template(chain()),
            before=database.template(chain(fixed='x')), action=action,
            status='IN_PROGRESS', convergence=False)
        _things(stack, ('CREATE COMPLETE', 'CREATE IN_PROGRESS',
                        'CREATE COMPLETE'),
                b={'properties': props(fixed='x')})
        stack.lock()
        kept = stack.backup(before)
        kept.resource('b', properties=props(), data={'tries': '1'})
        return stack
    return write


def _locked_snapshot(database):
    stack = _locked('SNAPSHOT', ('SNAPSHOT COMPLETE', 'SNAPSHOT IN_PROGRESS',
                                 'CREATE COMPLETE'))(database)
    stack.snapshot(status='IN_PROGRESS')
    return stack


def _failed(write, action):
    return Case(write, f'{action}_FAILED')


#: {name: what Heat was doing under a lock}; it cannot be continued, but for
#: a delete.
LEGACY = {
    'legacy-create': _failed(_locked('CREATE', (
        'CREATE COMPLETE', 'CREATE IN_PROGRESS', None)), 'CREATE'),
    'legacy-adopt': _failed(_locked('ADOPT', (
        'ADOPT COMPLETE', 'ADOPT IN_PROGRESS', None)), 'ADOPT'),
    'legacy-update': _failed(_locked_update('UPDATE'), 'UPDATE'),
    'legacy-rollback': _failed(_locked_update('ROLLBACK'), 'ROLLBACK'),
    'legacy-restore': _failed(_locked_update('RESTORE'), 'RESTORE'),
    'legacy-delete': Case(_locked('DELETE', (
        'CREATE COMPLETE', 'DELETE IN_PROGRESS', None)), 'DELETE_COMPLETE',
        {'DELETE b': 1, 'DELETE a': 1}),
    'legacy-suspend': _failed(_locked('SUSPEND', (
        'CREATE COMPLETE', 'SUSPEND IN_PROGRESS', 'SUSPEND COMPLETE')),
        'SUSPEND'),
    'legacy-resume': _failed(_locked('RESUME', (
        'RESUME COMPLETE', 'RESUME IN_PROGRESS', 'SUSPEND COMPLETE')),
        'RESUME'),
    'legacy-check': _failed(_locked('CHECK', (
        'CHECK COMPLETE', 'CHECK IN_PROGRESS', 'CREATE COMPLETE')),
        'CHECK'),
    'legacy-snapshot': _failed(_locked_snapshot, 'SNAPSHOT'),
}
