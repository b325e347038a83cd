"""Containers and buckets of Swift that Heat has made."""
import pytest

from tests.fakes import swift as fake_swift
from tests.functional import templates
from tests.functional.takeover import world as world_module

NAMES = ('container', 'bucket')
#: {name: (action, status, convergence)}
CASES = {
    f'{action.lower()}-{status.lower()}{"" if convergence else "-legacy"}': (
        action, status, convergence)
    for action, status in (('CREATE', 'COMPLETE'), ('CREATE', 'IN_PROGRESS'),
                           ('DELETE', 'IN_PROGRESS'))
    for convergence in (True, False)}
REST = [name for name in CASES if name.startswith('create-complete')]


def resources(index='index.html'):
    """Return the resources of a stack."""
    return {
        'container': {'type': 'OS::Swift::Container', 'properties': {
            'PurgeOnDelete': True, 'X-Container-Meta': {
                'Web-Index': index}}},
        'bucket': {'type': 'AWS::S3::Bucket', 'properties': {
            'WebsiteConfiguration': {'IndexDocument': index}}}}


def write(database, swift, name, action, status, convergence):
    """Store a stack; of one in progress the container is in hand."""
    whole, before = database.template(resources()), None
    if action == 'DELETE' and convergence:
        before, whole = whole, database.template({
            'heat_template_version': '2018-08-31'})
    stack = database.stack(name, whole, before=before, action=action,
                           status=status, convergence=convergence)
    going = status == 'IN_PROGRESS'
    for one in NAMES:
        in_hand = going and one == 'container'
        row = stack.resource(
            one, action=action if in_hand else 'CREATE',
            status=status if in_hand else 'COMPLETE', template_id=before,
            claimed=in_hand and convergence,
            properties=resources()[one]['properties'])
        swift.request(row.physical, 'PUT', headers={
            'X-Container-Meta-Web-Index': 'index.html'})
    if action == 'DELETE' or not going:
        swift.upload_object(stack.rows['container'].physical, 'o', 'data')
    if convergence:
        stack.graph(*((row.clean if action == 'DELETE' else row.update, None)
                      for row in stack.rows.values()), going=going,
                    done=[] if action == 'DELETE' else [
                        stack.rows['bucket'].update])
    elif going:
        stack.lock()
    return stack


@pytest.fixture(scope='module')
def world(tmp_path_factory):
    """Return the service."""
    with pytest.MonkeyPatch.context() as patch:
        swift, _zaqar = fake_swift.use(patch)
        with world_module.serving(
            patch, tmp_path_factory.mktemp('heat'), lambda database: {
                name: write(database, swift, name, *case)
                for name, case in CASES.items()}, swift=swift) as made:
            yield made


# The order of the tests counts: what is compared comes before what changes.

@pytest.mark.parametrize('name', REST)
def test_stack_is_shown_as_before(world, name):
    stack, rows = world.stack(name), world.rows[name]
    assert not world_module.differing(
        stack.show(), world_module.expected_stack(rows))
    for one, row in rows.rows.items():
        shown = stack.resource(one)
        assert not world_module.differing(
            shown, world_module.expected_resource(row))
    assert stack.resource('container')['attributes'][
        'X-Container-Object-Count'] == '1'
    assert stack.resource('bucket')['attributes']['WebsiteURL'].endswith(
        rows.rows['bucket'].physical)


@pytest.mark.parametrize('name', REST)
def test_nothing_is_done_where_nothing_changes(world, name):
    stack, kept = world.stack(name), dict(world.swift.containers)
    before = stack.resources()
    stack.updated(templates.hot(resources()))
    assert stack.resources() == before
    assert world.swift.containers == kept


@pytest.mark.parametrize('name', REST)
def test_they_are_replaced(world, name):
    stack, rows = world.stack(name), world.rows[name]
    stack.updated(templates.hot(resources('other.html')))
    for one, row in rows.rows.items():
        now = stack.physical(one)
        assert now != row.physical
        assert now in world.swift.containers
        assert row.physical not in world.swift.containers


@pytest.mark.parametrize('name', [
    name for name in CASES if name not in REST])
def test_operation_ends(world, name):
    (action, _status, convergence), stack = CASES[name], world.stack(name)
    if action == 'DELETE':
        stack.wait_deleted()
        return
    stack.wait('CREATE_COMPLETE' if convergence else 'CREATE_FAILED')
    if not convergence:
        stack.updated(templates.hot(resources()))
    for one in NAMES:
        assert stack.physical(one) in world.swift.containers


@pytest.mark.parametrize('name', [
    name for name in CASES if not name.startswith('delete')])
def test_stack_is_deleted(world, name):
    world.stack(name).deleted()


def test_nothing_is_left(world):
    assert world.left() == {}
    assert world.swift.containers == {}
