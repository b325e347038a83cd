"""Measure what a stack costs the services of a real cloud.

    tools/bench cloud                 20 servers, each with a port, a floating
                                      IP and an attached volume
    tools/bench cloud --servers 5

OS_* variables name an administrator of the cloud, as for tools/acceptance.
The stack is made in a project of its own, in a region whose endpoints are
proxies that count the requests. How often a service is asked until
something is ready depends on how long it takes; all other requests are
counted exactly.
"""
import argparse
import contextlib
import pathlib
import tempfile
import time
from urllib import parse

from tests.acceptance import cloud
from tests.acceptance import deployment
from tests.acceptance import proxy
from tools.benchmarks import tables

SERVICES = ('identity', 'network', 'compute', 'image', 'volume')
#: Other names under which catalogues have the service of volumes.
VOLUMES = ('block-storage', 'volumev3', 'volume')
#: Seconds that an operation may take.
PATIENCE = 900


def template(servers, names):
    """Return a stack of so many servers with all that belongs to them."""
    resources = {'group': {'type': 'OS::Neutron::SecurityGroup'}}
    for number in range(servers):
        resources |= {
            f'port{number}': {'type': 'OS::Neutron::Port', 'properties': {
                'network': names['network'],
                'security_groups': [{'get_resource': 'group'}]}},
            f'ip{number}': {'type': 'OS::Neutron::FloatingIP', 'properties': {
                'floating_network': names['public'],
                'port_id': {'get_resource': f'port{number}'}}},
            f'volume{number}': {'type': 'OS::Cinder::Volume',
                                'properties': {'size': 1}},
            f'server{number}': {'type': 'OS::Nova::Server', 'properties': {
                'image': names['image'], 'flavor': names['flavor'],
                'networks': [{'port': {'get_resource': f'port{number}'}}]}},
            f'disk{number}': {
                'type': 'OS::Cinder::VolumeAttachment', 'properties': {
                    'instance_uuid': {'get_resource': f'server{number}'},
                    'volume_id': {'get_resource': f'volume{number}'}}}}
    return {'heat_template_version': '2021-04-16', 'resources': resources}


@contextlib.contextmanager
def engine_context(tenant, servers):
    """Yield the names of what servers need; there is a network for them.
    """
    for kind, path, body in (
            ('compute', f'/os-quota-sets/{tenant.project_id}',
             {'quota_set': {'instances': servers, 'cores': -1, 'ram': -1}}),
            ('network', f'/v2.0/quotas/{tenant.project_id}',
             {'quota': {'port': -1, 'floatingip': -1}}),
            (volume_service(tenant), f'/os-quota-sets/{tenant.project_id}',
             {'quota_set': {'volumes': servers, 'gigabytes': -1}})):
        tenant.admin.session.put(path, json=body, endpoint_filter={
            'service_type': kind,
            'region_name': tenant.admin.config.region_name})
    own = tenant.connection()
    public = next(own.network.networks(is_router_external=True))
    with contextlib.ExitStack() as ending:
        network = own.network.create_network(name=f'{tenant.tag}-bench')
        ending.callback(own.network.delete_network, network)
        subnet = own.network.create_subnet(
            network_id=network.id, ip_version=4, cidr='10.42.0.0/24')
        router = own.network.create_router(
            name=f'{tenant.tag}-bench',
            external_gateway_info={'network_id': public.id})
        ending.callback(own.network.delete_router, router)
        own.network.add_interface_to_router(router, subnet=subnet.id)
        ending.callback(own.network.remove_interface_from_router, router,
                        subnet=subnet.id)
        yield {'network': network.name, 'public': public.name,
               'image': next(own.image.images()).name,
               'flavor': min(own.compute.flavors(),
                             key=lambda one: (one.ram, one.disk)).name}


def volume_service(tenant):
    """Return the type under which the catalogue has it."""
    known = {one.type for one in tenant.admin.identity.services()}
    return next(kind for kind in VOLUMES if kind in known)


def measured(proxies, operation):
    """Return the seconds an operation took, and its requests by service.
    """
    for one in proxies.values():
        one.counts.clear()
    begin = time.monotonic()
    operation()
    return time.monotonic() - begin, {
        kind: one.counts.copy() for kind, one in proxies.items()}


def rows_of(operation, seconds, counts, resources):
    """Return the rows of a table that tell of one operation."""
    for kind, requests in counts.items():
        reads = sum(number for (method, _path), number in requests.items()
                    if method in ('GET', 'HEAD'))
        total = sum(requests.values())
        yield [operation, kind, f'{seconds:.1f}', total - reads, reads,
               f'{total / resources:.2f}']


def main(arguments):
    """Print the tables."""
    parser = argparse.ArgumentParser(
        prog='tools/bench cloud', description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--servers', type=int, default=20)
    parser.add_argument('--engines', type=int, default=2)
    args = parser.parse_args(arguments)
    tenant = cloud.Tenant()
    rows, asked = [], []
    with contextlib.ExitStack() as ending:
        ending.callback(tenant.remove)
        kinds = [volume_service(tenant) if kind == 'volume' else kind
                 for kind in SERVICES]
        names = ending.enter_context(engine_context(tenant, args.servers))
        proxies, region = ending.enter_context(proxy.region(tenant, kinds))
        directory = ending.enter_context(tempfile.TemporaryDirectory())
        # Tokens of trusts are asked for where the options say, whatever
        # the region.
        identity = parse.unquote(proxies['identity'].url)
        service = ending.enter_context(deployment.running(
            pathlib.Path(directory), tenant, engines=args.engines,
            sections={'trustee': {'auth_url': identity},
                      'clients_keystone': {'auth_uri': identity}}))
        session = tenant.session()
        session.additional_headers['X-Region-Name'] = region
        stacks = service.stacks(session, tenant.project_id)
        ending.callback(stacks.delete_all)
        wanted = template(args.servers, names)
        number = len(wanted['resources'])
        paths = []

        def create():
            paths.append(stacks.create(f'{tenant.tag}-bench', wanted,
                                       wait=False))
            stacks.wait(paths[0], 'CREATE_COMPLETE', PATIENCE)

        def update():
            stacks.update(paths[0], wanted, wait=False)
            stacks.wait(paths[0], 'UPDATE_COMPLETE', PATIENCE)

        def delete():
            stacks.delete(paths[0], wait=False)
            stacks.wait_gone(paths[0], PATIENCE)

        for operation in (create, update, delete):
            seconds, counts = measured(proxies, operation)
            rows += rows_of(operation.__name__, seconds, counts, number)
            asked += [
                [operation.__name__, kind, method, where, times]
                for kind, requests in counts.items()
                for (method, where), times in sorted(requests.items())]
    print(f'{args.servers} servers, {number} resources')
    tables.show(['operation', 'service', 'wall s', 'changes', 'reads',
                 'requests / resource'], rows)
    print('\nThe requests')
    tables.show(['operation', 'service', 'method', 'path', 'times'], asked)
