"""Roles that a legacy update of Heat was giving."""
import pytest

from tests.functional.takeover import clouds
from tests.functional.takeover import kinds
from tests.functional.takeover import stories
from tests.functional.takeover import world as world_module

#: A role that the holder has of somebody else.
_FOREIGN = 'foreign-id'
CASES = {
    f'{kind}-{"asked" if is_asked else "unasked"}': (
        kinds.IDENTITY[kind], stories.Case(
            'UPDATE', 'IN_PROGRESS', convergence=False, is_asked=is_asked))
    for kind in ('user-roles', 'group-roles') for is_asked in (True, False)}


@pytest.fixture(scope='module')
def world(tmp_path_factory):
    """Return the service."""
    services, stacks = clouds.Clouds(), {}
    with pytest.MonkeyPatch.context() as patch:
        services.use(patch)

        def write(database):
            for name, case in CASES.items():
                made = stories.Stack(database, services, name, *case)
                stacks[name] = made
                services.identity.given.add(
                    ('project', 'demo-id', made.word, _FOREIGN))
            return {name: stack.rows for name, stack in stacks.items()}

        with world_module.serving(
                patch, tmp_path_factory.mktemp('heat'), write,
                cloud=services, stacks=stacks) as made:
            yield made


def _roles(world, name):
    """Return the roles that the holder of a stack has."""
    return {role for *_where, who, role in world.cloud.identity.given
            if who == world.stacks[name].word}


@pytest.mark.parametrize('name', CASES)
def test_roles_are_taken_with_the_stack(world, name):
    stack = world.stack(name)
    stack.wait('UPDATE_FAILED')
    assert _roles(world, name) == {
        _FOREIGN, 'reader-id' if name.endswith('-asked') else 'member-id'}
    stack.deleted()
    assert _roles(world, name) == {_FOREIGN}


def test_nothing_is_left(world):
    assert world.left() == {}
