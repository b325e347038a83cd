"""Measure what a stack costs the services of a real cloud, beside the limit.

    tools/bench cloud                 20 servers, each with a port, a floating
                                      IP and an attached volume
    tools/bench cloud --servers 5 --rounds 1 --at-once 4

The limit is a program that makes the same things by calls of openstacksdk,
as soon as what each needs is there, with so many calls at once; the best
number counts. It and the stack take turns.

OS_* variables name an administrator of the cloud, as for tools/acceptance.
The stack is made in a project of its own, in a region whose endpoints are
proxies that count the requests. How often a service is asked until
something is ready depends on how long it takes; all other requests are
counted exactly.
"""
import argparse
import contextlib
import dataclasses
import logging
import pathlib
import statistics
import tempfile
import time
from urllib import parse

import openstack

from tests.acceptance import cloud
from tests.acceptance import deployment
from tests.acceptance import proxy
from tools.benchmarks import limit
from tools.benchmarks import tables

SERVICES = ('identity', 'network', 'compute', 'image', 'volume')
#: Other names under which catalogues have the service of volumes.
VOLUMES = ('block-storage', 'volumev3', 'volume')
#: Seconds that an operation may take.
PATIENCE = 900
#: The limit's wall time and requests that a stack may take.
TIME_GOAL, REQUESTS_GOAL = 1.1, 0.5
#: The part of the time that may be neither the cloud's nor polling.
SHARE_GOAL = 0.05
#: Keys of the timeline that hold the seconds of each phase of a resource.
_PHASES = ('dependency_seconds', 'waiting_seconds', 'acting_seconds',
           'polling_seconds')
#: The operations that the limit has, too.
COMPARED = ('create', 'update', 'delete')


def template(servers, names, generation=1):
    """Return a stack of so many servers with all that belongs to them.

    :param generation: what the metadata of the servers says
    """
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
                'metadata': {'generation': str(generation)},
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


@dataclasses.dataclass(frozen=True)
class Run:
    """What one operation took.

    :ivar who: 'stack', or 'limit N' for N calls at once
    :ivar counts: {service: {(method, path): requests}}
    :ivar timeline: what the API shows as timeline; None of the limit
    """

    who: str
    operation: str
    seconds: float
    counts: dict
    timeline: dict | None = None

    @property
    def requests(self):
        """Return the number of all requests."""
        return sum(sum(one.values()) for one in self.counts.values())


def measured(proxies, who, name, operation, timeline=None):
    """Carry an operation out; return the Run.

    :param timeline: returns the timeline of the operation afterwards
    """
    for one in proxies.values():
        one.counts.clear()
    begin = time.monotonic()
    operation()
    seconds = time.monotonic() - begin
    counts = {kind: one.counts.copy() for kind, one in proxies.items()}
    return Run(who, name, seconds, counts, timeline and timeline())


class OfStack:
    """The operations of a stack of the service, each until its end."""

    def __init__(self, stacks, name, servers, names):
        self._stacks = stacks
        self._name = name
        self._templates = [template(servers, names, generation)
                           for generation in (1, 2)]
        self._path = None

    @property
    def resources(self):
        """Return the resources of the template, by name."""
        return self._templates[0]['resources']

    def create(self):
        """Create the stack."""
        self._path = self._stacks.create(self._name, self._templates[0],
                                         wait=False)
        self._stacks.wait(self._path, 'CREATE_COMPLETE', PATIENCE)

    def unchanged(self):
        """Update it with the same template."""
        self._update(self._templates[0])

    def update(self):
        """Change the metadata of each server."""
        self._update(self._templates[1])

    def _update(self, new):
        self._stacks.update(self._path, new, wait=False)
        self._stacks.wait(self._path, 'UPDATE_COMPLETE', PATIENCE)

    def delete(self):
        """Delete it."""
        self._stacks.delete(self._path, wait=False)
        self._stacks.wait_gone(self._path, PATIENCE)

    def timeline(self):
        """Return the timeline of the last operation."""
        return self._stacks.get(f'{self._path}/timeline')['timeline']


def rows_of(run, resources):
    """Return the rows of a table that tell of one operation."""
    for kind, requests in run.counts.items():
        reads = sum(number for (method, _path), number in requests.items()
                    if method in ('GET', 'HEAD'))
        total = sum(requests.values())
        yield [run.operation, kind, f'{run.seconds:.1f}', total - reads,
               reads, f'{total / resources:.2f}']


def phases(run):
    """Return the rows of a table of the mean seconds of the resources."""
    by_type = {}
    for each in run.timeline['resources']:
        by_type.setdefault(each['type'], []).append(each)
    for kind, works in by_type.items():
        yield [run.operation, kind, len(works), *(
            f'{statistics.mean(work[name] or 0 for work in works):.2f}'
            for name in _PHASES)]


def critical_path(run, resources):
    """Return the paths of the resources that an operation had to wait for.

    The timeline of a deleted stack does not know what depended on what.

    :param resources: those of the template
    """
    if run.operation != 'delete':
        return run.timeline['critical_path']
    required_by = {}
    for name, definition in resources.items():
        for needed in _referred(definition):
            required_by.setdefault(needed, []).append(name)
    ends = {each['path']: each['finished_at']
            for each in run.timeline['resources']}
    path = [max(ends, key=ends.get)]
    while before := required_by.get(path[0]):
        path.insert(0, max(before, key=ends.get))
    return path


def _referred(value):
    """Yield the names that the references in a value have."""
    if isinstance(value, dict):
        if 'get_resource' in value:
            yield value['get_resource']
        value = list(value.values())
    if isinstance(value, list):
        for each in value:
            yield from _referred(each)


def shares(run, path):
    """Return the row of a table that tells whose time an operation took.

    On the critical path, what no call to a service and no polling takes is
    ours. How late polling notices is not known, and counts as the cloud's.
    """
    works = {each['path']: each for each in run.timeline['resources']}
    calling, polling = (sum(works[each][name] or 0 for each in path)
                        for name in _PHASES[2:])
    ours = max(0.0, run.seconds - calling - polling)
    share = ours / run.seconds
    return [run.operation, f'{run.seconds:.1f}',
            ' '.join(path), f'{calling:.1f}',
            f'{polling:.1f}', f'{ours:.1f}', f'{100 * share:.0f}',
            f'{100 * SHARE_GOAL:.0f}', tables.verdict(share, SHARE_GOAL)]


def verdicts(runs):
    """Return the rows of the table of a stack and its limit.

    Each figure is the median over the rounds; the limit is that number of
    calls at once with which the operation ends first.
    """
    for operation in COMPARED:
        found = {}
        for run in runs:
            if run.operation == operation:
                found.setdefault(run.who, []).append(run)
        middle = {who: (statistics.median(one.seconds for one in of_who),
                        statistics.median(one.requests for one in of_who))
                  for who, of_who in found.items()}
        seconds, requests = middle.pop('stack')
        best = min(middle, key=middle.get)
        limit_seconds, limit_requests = middle[best]
        for what, ours, limits, goal in (
                ('wall s', seconds, limit_seconds, TIME_GOAL),
                ('requests', requests, limit_requests, REQUESTS_GOAL)):
            ratio = ours / limits
            yield [operation, what, f'{ours:.1f}', f'{limits:.1f}', best,
                   f'{ratio:.2f}', f'{goal:.2f}',
                   tables.verdict(ratio, goal)]


def _arguments(arguments):
    parser = argparse.ArgumentParser(
        prog='tools/bench cloud', description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--servers', type=int, default=20)
    parser.add_argument('--engines', type=int, default=2)
    parser.add_argument('--rounds', type=int, default=2)
    parser.add_argument('--at-once', type=int, nargs='*', default=[4, 8],
                        metavar='CALLS', help='calls of the limit at once; '
                        'nothing to leave the limit out')
    return parser.parse_args(arguments)


@contextlib.contextmanager
def _running(tenant, args):
    """Yield the proxies, the stack and the connection of the limit."""
    with contextlib.ExitStack() as ending:
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
        connection = ending.enter_context(contextlib.closing(
            openstack.connection.Connection(session=tenant.session(),
                                            region_name=region)))
        yield proxies, OfStack(stacks, f'{tenant.tag}-bench', args.servers,
                               names), connection, names


def _rounds(tenant, args):
    """Return all runs, and the resources of the stack by name."""
    runs = []
    with _running(tenant, args) as (proxies, stack, connection, names):
        for _round in range(args.rounds):
            for name in ('create', 'unchanged', 'update', 'delete'):
                runs.append(measured(proxies, 'stack', name,
                                     getattr(stack, name), stack.timeline))
            for at_once in args.at_once:
                hand = limit.ByHand(connection, names, args.servers, at_once)
                for name in COMPARED:
                    runs.append(measured(proxies, f'limit {at_once}', name,
                                         getattr(hand, name)))
    return runs, stack.resources


def main(arguments):
    """Print the tables."""
    args = _arguments(arguments)
    # The limit makes more calls at once than connections are kept.
    logging.getLogger('urllib3').setLevel(logging.ERROR)
    tenant = cloud.Tenant()
    with contextlib.ExitStack() as ending:
        ending.callback(tenant.remove)
        runs, resources = _rounds(tenant, args)
    last = {run.operation: run for run in runs if run.who == 'stack'}
    print(f'{args.servers} servers, {len(resources)} resources')
    tables.show(['operation', 'service', 'wall s', 'changes', 'reads',
                 'requests / resource'],
                [row for run in last.values()
                 for row in rows_of(run, len(resources))])
    if args.at_once:
        print('\nThe stack beside the limit')
        tables.show(['operation', 'what', 'stack', 'limit', 'limit is',
                     'ratio', 'goal', 'verdict'], list(verdicts(runs)))
    print('\nSeconds of a resource, on average')
    tables.show(['operation', 'type', 'resources', 'dependencies', 'its turn',
                 'calling', 'polling'],
                [row for run in last.values() for row in phases(run)])
    print('\nThe resources that an operation had to wait for')
    tables.show(['operation', 'wall s', 'one after the other', 'calling',
                 'polling', 'ours', 'share %', 'goal', 'verdict'],
                [shares(run, critical_path(run, resources))
                 for run in last.values()])
    print('\nThe requests')
    tables.show(['operation', 'service', 'method', 'path', 'times'], [
        [run.operation, kind, method, where, times]
        for run in last.values() for kind, requests in run.counts.items()
        for (method, where), times in sorted(requests.items())])
