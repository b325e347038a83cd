"""What Heat was changing of servers ends, and is asked for once."""
import collections

import pytest

from tests.functional import templates
from tests.functional.takeover import server_changes
from tests.functional.takeover import world as world_module

CASES = server_changes.CASES
REMAINING = [name for name, case in CASES.items() if case.action != 'DELETE']


@pytest.fixture(scope='module')
def world(tmp_path_factory):
    """Return the service, which takes all cases over at once."""
    services, stacks = server_changes.Cloud(), {}
    with pytest.MonkeyPatch.context() as patch:
        services.use(patch)

        def write(database):
            stacks.update({name: server_changes.Stack(
                database, services, name, case)
                for name, case in CASES.items()})
            services.forget()
            return {name: stack.rows for name, stack in stacks.items()}

        with world_module.serving(
                patch, tmp_path_factory.mktemp('heat'), write,
                cloud=services, stacks=stacks) as made:
            yield made


# The order of the tests counts: what is compared comes before what changes.

@pytest.mark.parametrize('name', CASES)
def test_operation_ends(world, name):
    case, stack, seen = CASES[name], world.stack(name), world.stacks[name]
    if case.action == 'DELETE':
        stack.wait_deleted()
    else:
        stack.wait(f'{case.action}_'
                   f'{"COMPLETE" if case.convergence else "FAILED"}')
    if case.convergence:
        assert seen.live() == seen.wanted()
        assert collections.Counter(seen.requests()) == case.asked
        if case.action != 'DELETE' and not case.is_attachment:
            assert stack.physical('it') == seen.server
    elif case.action == 'DELETE':
        assert seen.live() == seen.wanted()
    else:
        assert seen.requests() == []


@pytest.mark.parametrize('name', [
    name for name in REMAINING
    if CASES[name].convergence and CASES[name].action != 'SUSPEND'])
def test_nothing_is_done_where_nothing_changes(world, name):
    stack, seen = world.stack(name), world.stacks[name]
    before = stack.resources(), seen.requests()
    stack.updated(templates.hot(seen.second))
    assert (stack.resources(), seen.requests()) == before


@pytest.mark.parametrize('name', [
    name for name in REMAINING if CASES[name].action == 'SUSPEND'])
def test_suspended_stack_is_resumed(world, name):
    stack, seen = world.stack(name), world.stacks[name]
    if not CASES[name].convergence:
        stack.act('suspend')
        stack.wait('SUSPEND_COMPLETE')
    stack.act('resume')
    stack.wait('RESUME_COMPLETE')
    assert seen.live()['status'] == 'ACTIVE'


@pytest.mark.parametrize('name', REMAINING)
def test_stack_is_updated(world, name):
    stack, seen = world.stack(name), world.stacks[name]
    case = CASES[name]
    # A legacy operation that was stopped has failed, and what failed of AWS
    # is replaced; unless it was suspended and resumed meanwhile.
    is_kept = (case.convergence or case.type != server_changes.AWS or
               case.action == 'SUSPEND')
    for resources, after in ((seen.second, case.after), (seen.first, {})):
        if case.convergence and after:
            continue
        stack.updated(templates.hot(resources))
        seen.settle()
        server = None if case.is_attachment else stack.physical('it')
        assert {**seen.live(server), 'status': ''} == {
            **seen.wanted(after), 'status': ''}
        assert case.is_attachment or (server == seen.server) == is_kept


@pytest.mark.parametrize('name', REMAINING)
def test_stack_is_deleted(world, name):
    world.stack(name).deleted()


def test_nothing_is_left(world):
    assert world.left() == {}
    # Ports and volumes are none of the stacks', nor servers with volumes.
    assert {key[1] for key in world.cloud.compute.things
            if key[0] == 'server'} == {
        stack.server for stack in world.stacks.values()
        if stack.case.is_attachment}
    # No snapshot names the image of one that Heat did not finish.
    assert {its_id for _kind, its_id in world.cloud.images.things} - {
        'cirros-id', 'other-id'} == {'nova-snapshot-going-legacy-image'}
