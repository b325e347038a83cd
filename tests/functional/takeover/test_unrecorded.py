"""What Heat had asked a service for, and not yet written the id of."""
import pytest

from tests.functional import templates
from tests.functional.takeover import cloud
from tests.functional.takeover import world as world_module

#: {kind: (type, properties, service)}; the names are those Heat makes up.
KINDS = {
    'port': ('OS::Neutron::Port', {'network': 'net'}, 'network'),
    'volume': ('OS::Cinder::Volume', {'size': 1}, 'storage'),
    'server': ('OS::Nova::Server', {
        'flavor': 'small', 'image': 'cirros', 'networks': [
            {'allocate_network': 'none'}]}, 'compute'),
}
CASES = {f'{kind}{"" if convergence else "-legacy"}': (kind, convergence)
         for kind in KINDS for convergence in (True, False)}
_MADE = {
    'port': {'network_id': 'net'},
    'volume': {'size': 1, 'metadata': {}, 'attachments': []},
    'server': {'imageRef': 'cirros-id', 'flavorRef': 'small-id',
               'networks': 'none'},
}


def resources(kind):
    """Return the resources of a stack."""
    return {'one': {'type': KINDS[kind][0], 'properties': KINDS[kind][1]}}


def write(database, services, name, kind, convergence):
    """Store a stack whose only thing is there, but not in its row."""
    stack = database.stack(name, database.template(resources(kind)),
                           status='IN_PROGRESS', convergence=convergence)
    row = stack.resource('one', status='IN_PROGRESS', physical=None,
                         claimed=convergence, properties=KINDS[kind][1])
    stack.graph((row.update, None), going=convergence)
    if not convergence:
        stack.lock()
    stack.lost = getattr(getattr(services, KINDS[kind][2]), f'create_{kind}')(
        name=row.physical_name, **_MADE[kind]).id
    return stack


@pytest.fixture(scope='module')
def world(tmp_path_factory):
    """Return the service."""
    services = cloud.Cloud()
    with pytest.MonkeyPatch.context() as patch:
        services.use(patch)
        with world_module.serving(
            patch, tmp_path_factory.mktemp('heat'), lambda database: {
                name: write(database, services, name, *case)
                for name, case in CASES.items()}, cloud=services) as made:
            yield made


# The order of the tests counts: what is compared comes before what changes.

@pytest.mark.parametrize('name', CASES)
def test_it_is_there_once(world, name):
    kind, convergence = CASES[name]
    stack, lost = world.stack(name), world.rows[name].lost
    if convergence:
        stack.wait('CREATE_COMPLETE')
    else:
        stack.wait('CREATE_FAILED')
        stack.updated(templates.hot(resources(kind)))
    now = stack.physical('one')
    assert (kind, now) in world.cloud.left()
    assert now == lost or (kind, lost) not in world.cloud.left()


@pytest.mark.parametrize('name', CASES)
def test_stack_is_deleted(world, name):
    world.stack(name).deleted()


def test_nothing_is_left(world):
    assert world.left() == {}
    assert world.cloud.left() == []
