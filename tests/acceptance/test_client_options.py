"""Where the service finds others, and how it knows that it is them."""
import contextlib
import itertools

import pytest

from tests.acceptance import deployment as deployment_module
from tests.acceptance import leaks
from tests.acceptance import regions
from tests.acceptance import templates

NET = {'type': 'OS::Neutron::Net'}
VOLUME = {'type': 'OS::Cinder::Volume', 'properties': {'size': 1}}
KEY = {'type': 'OS::Nova::KeyPair'}


def volume_service(tenant):
    """Return the type that the catalogue has the volumes under."""
    known = {one.type for one in tenant.admin.identity.services()}
    return 'block-storage' if 'block-storage' in known else 'volumev3'


def serve(tenant, directory, region, **sections):
    """Return a deployment that uses a region."""
    return deployment_module.running(
        directory, tenant, engines=1, sections={
            'DEFAULT': {'region_name_for_services': region,
                        'client_retry_limit': 1, 'action_retry_limit': 0},
            **sections})


@pytest.fixture(scope='module')
def leak_check(project, doors, guarded):
    """What there is besides the regions."""
    return leaks.Check(project)


# -- which endpoint ---------------------------------------------------------


@pytest.fixture(scope='module')
def doors(project):
    """Yield the proxies of services: {(service, interface): proxy}."""
    with contextlib.ExitStack() as ending:
        proxies, urls = {}, {}
        for kind, interface in itertools.product(
                ('network', volume_service(project), 'compute'),
                ('public', 'internal', 'admin')):
            made, urls[kind, interface] = regions.proxy_of(project, kind)
            proxies[kind, interface] = ending.enter_context(made)
        name = ending.enter_context(regions.region(project, 'doors', urls))
        yield proxies, name


@pytest.fixture(scope='module')
def choosy(tmp_path_factory, project, doors):
    """A deployment that goes in by another door for each service."""
    with serve(project, tmp_path_factory.mktemp('choosy'), doors[1],
               clients={'endpoint_type': 'internalURL'},
               clients_neutron={'endpoint_type': 'admin'},
               clients_cinder={'endpoint_type': 'public'}) as one:
        yield one


def test_endpoint_types(choosy, doors, tenant):
    proxies, _region = doors
    stacks = choosy.stacks(tenant.session('member'), tenant.project_id)
    key = {**KEY, 'properties': {'name': f'{tenant.tag}-key'}}
    path = stacks.create(f'{tenant.tag}-doors', templates.hot(
        {'net': NET, 'volume': VOLUME, 'key': key}))
    stacks.delete(path)
    used = {door for door, one in proxies.items() if one.counts}
    assert used == {('network', 'admin'), ('compute', 'internal'),
                    (volume_service(tenant), 'public')}


# -- certificates -----------------------------------------------------------


@pytest.fixture(scope='module')
def authority(tmp_path_factory):
    """Return who signed the certificates of all servers of the region."""
    return regions.Authority(tmp_path_factory.mktemp('certificates'))


@pytest.fixture(scope='module')
def guarded(project, authority):
    """Yield a region of services with TLS; Neutron wants certificates."""
    with contextlib.ExitStack() as ending:
        urls = {}
        for kind in ('network', volume_service(project), 'compute'):
            made, urls[kind, 'public'] = regions.proxy_of(
                project, kind, authority.context(
                    ask_for_certificate=kind == 'network'))
            ending.enter_context(made)
        yield ending.enter_context(regions.region(project, 'tls', urls))


@pytest.fixture(scope='module')
def careful(tmp_path_factory, project, guarded, authority):
    """A deployment that has another idea of TLS for each service."""
    certificate, key = authority.certificate('client')
    with serve(project, tmp_path_factory.mktemp('careful'), guarded,
               clients_neutron={'ca_file': authority.file,
                                'cert_file': certificate, 'key_file': key},
               clients_cinder={'insecure': True}) as one:
        yield one


def test_certificates(careful, tenant):
    stacks = careful.stacks(tenant.session('member'), tenant.project_id)
    path = stacks.create(f'{tenant.tag}-tls', templates.hot(
        {'net': NET, 'volume': VOLUME}))
    stacks.act(path, 'check')
    stacks.delete(path)


def test_certificate_of_a_stranger(careful, tenant):
    """Nothing was said of Nova, so it has to show a good certificate."""
    stacks = careful.stacks(tenant.session('member'), tenant.project_id)
    key = {**KEY, 'properties': {'name': f'{tenant.tag}-key'}}
    path = stacks.create(f'{tenant.tag}-stranger', templates.hot(
        {'key': key}), wait=False)
    shown = stacks.wait(path, 'CREATE_FAILED')
    assert 'certificate' in shown['stack_status_reason'].lower()
    stacks.delete(path)


def test_nobody_without_a_certificate(tmp_path_factory, tenant, guarded,
                                      authority):
    """One set of options for all services; Neutron wants more."""
    with serve(tenant, tmp_path_factory.mktemp('bare'), guarded,
               clients={'ca_file': authority.file}) as one:
        stacks = one.stacks(tenant.session('member'), tenant.project_id)
        path = stacks.create(f'{tenant.tag}-bare', templates.hot(
            {'volume': VOLUME}))
        stacks.delete(path)
        # It is there, but cannot be looked at.
        network = tenant.connection('member').network
        there = network.create_network(name=f'{tenant.tag}-there')
        answer = stacks.ask('POST', '/stacks', {
            'stack_name': f'{tenant.tag}-bare', 'template': templates.hot(
                {'net': {**NET, 'external_id': there.id}})})
        network.delete_network(there)
        assert answer.status_code == 400
        message = answer.json()['error']['message']
        assert 'service network' in message
        assert 'certificate is not accepted' in message
