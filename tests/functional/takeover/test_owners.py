"""Stacks that act by a trust, and stacks that were adopted."""
import pytest

from heat.engine.clients.os.keystone import local_keystoneclient
from tests.functional import rest
from tests.functional import templates
from tests.functional.takeover import interrupted
from tests.functional.takeover import test_trees as trees
from tests.functional.takeover import world as world_module

_THING = {'a': templates.thing(value='1')}


def _resting(database, name, *, convergence, **options):
    stack = database.stack(name, database.template(_THING),
                           convergence=convergence, **options)
    row = stack.resource('a', properties={'value': '1'},
                         action=stack.action, data={'tries': '1'})
    if convergence:
        stack.graph((row.update, None))
    return stack


def _interrupted(database, name, case):
    """Store an interrupted stack that acts by a trust."""
    stack = interrupted.CASES[case].write(database)
    database.update('user_creds', stack.creds_id, **_trust(name))
    return stack


def _trust(name):
    method, secret = world_module.encrypted(f'trust of {name}')
    return {'trust_id': secret, 'decrypt_method': method,
            'trustor_user_id': 'anna-id'}


def _tree(database, name, convergence):
    stack = trees.write(database, name, 'CREATE', convergence, False)
    database.update('user_creds', stack.creds_id, **_trust(name))
    return stack


#: {name: function of a database and the name that stores the stack}
TRUSTED = {
    'rest': lambda database, name: _resting(
        database, name, convergence=True, trust=f'trust of {name}'),
    'rest-legacy': lambda database, name: _resting(
        database, name, convergence=False, trust=f'trust of {name}'),
    'create': lambda database, name: _interrupted(database, name, 'create'),
    'delete': lambda database, name: _interrupted(database, name, 'delete'),
    'tree': lambda database, name: _tree(database, name, True),
    'tree-legacy': lambda database, name: _tree(database, name, False),
}
ADOPTED = {
    'adopted': lambda database, name: _resting(
        database, name, convergence=True, action='ADOPT'),
    'adopted-legacy': lambda database, name: _resting(
        database, name, convergence=False, action='ADOPT'),
}


class _Keystone(local_keystoneclient.LocalKeystoneClient):
    """Remembers which trusts were deleted, and by whom."""

    gone: list

    def __init__(self, context, region_name=None):
        super().__init__(context, region_name)
        self._acting = context

    def delete_trust(self, trust_id):
        self.gone.append((trust_id, self._acting.trust_id,
                          self._acting.user_id))


@pytest.fixture(scope='module')
def world(tmp_path_factory):
    """Return the service, which remembers the trusts that were deleted."""
    gone = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            local_keystoneclient, 'LocalKeystoneClient', type(
                'LocalKeystoneClient', (_Keystone,), {'gone': gone}))
        with world_module.serving(
            patch, tmp_path_factory.mktemp('heat'), lambda database: {
                name: write(database, name) for name, write
                in {**TRUSTED, **ADOPTED}.items()}, gone=gone) as made:
            yield made


# The order of the tests counts: what is compared comes before what changes.

@pytest.mark.parametrize('name', ADOPTED)
def test_adopted_stack_is_shown_as_before(world, name):
    stack, rows = world.stack(name), world.rows[name]
    assert not world_module.differing(
        stack.show(), world_module.expected_stack(rows))
    assert not world_module.differing(
        stack.resource('a'), world_module.expected_resource(rows.rows['a']))
    stack.updated(templates.hot(_THING))
    assert not world.log(name)
    stack.updated(templates.hot({'a': templates.thing(value='2')}))
    assert stack.physical('a') == rows.rows['a'].physical
    assert world.log(name) == {'UPDATE a': 1}


@pytest.mark.parametrize('name', [*TRUSTED, *ADOPTED])
def test_stack_is_deleted(world, name):
    stack = world.stack(name)
    if name != 'delete':
        rest.wait_for(lambda: not stack.state.endswith('IN_PROGRESS'),
                      stack.show)
        assert stack.state in ('CREATE_COMPLETE', 'UPDATE_COMPLETE') or (
            stack.state == 'CREATE_FAILED' and name == 'tree-legacy')
        stack.deleted()
    stack.wait_deleted()


def test_each_trust_is_given_back_once_by_who_gave_it(world):
    rest.wait_for(lambda: len(world.gone) >= len(TRUSTED),
                  lambda: world.gone)
    assert sorted(world.gone) == sorted(
        (f'trust of {name}', f'trust of {name}', 'anna-id')
        for name in TRUSTED)


def test_nothing_is_left(world):
    assert world.left() == {}
