"""What a tenant has in all the services: the same before and after a test.

A thing belongs to a tenant if its description by the service mentions the
project, a user or the tag of the tenant.
"""
import concurrent.futures
import dataclasses
import json
import time

from keystoneauth1 import exceptions as ks_exceptions

#: Seconds that services may take to forget what has been deleted.
SETTLING = 90
#: How many lists to ask for at a time.
_AT_A_TIME = 4


@dataclasses.dataclass(frozen=True, slots=True)
class Kind:
    """A sort of things that a service can list.

    :ivar service: type of the service in the catalogue.
    :ivar path: where the list is; {project} and {user} are filled in.
    :ivar key: where it is in the answer; None if it is the answer.
    :ivar by: whose list it is: 'admin' sees that of all projects; what
              only the owner can list is seen by 'tenant'.
    :ivar identity: key of what tells one from another.
    :ivar headers: of the request.
    """

    service: str
    path: str
    key: str | None
    by: str = 'admin'
    identity: str = 'id'
    headers: tuple = ()


def _network(*collections):
    return [Kind('network', f'/v2.0/{name}',
                 name.rpartition('/')[2].replace('-', '_'))
            for name in collections]


_CLIENT = '00000000-0000-4000-8000-000000000001'
#: The first ones of these do not show what belongs to other users.
_COMPUTE = (('OpenStack-API-Version', 'compute 2.60'),)
_ALL_PROJECTS = (('X-Auth-All-Projects', 'true'),)

KINDS = [
    *(Kind('identity', f'/v3/{name}', name)
      for name in ('domains', 'projects', 'users', 'groups', 'roles',
                   'services', 'endpoints', 'regions', 'credentials')),
    Kind('identity', '/v3/OS-TRUST/trusts', 'trusts'),
    Kind('identity', '/v3/role_assignments?scope.project.id={project}',
         'role_assignments', identity='links'),
    Kind('identity', '/v3/users/{member}/application_credentials',
         'application_credentials'),
    *_network('networks', 'subnets', 'ports', 'routers', 'floatingips',
              'security-groups', 'security-group-rules', 'address-groups',
              'address-scopes', 'subnetpools', 'trunks', 'rbac-policies',
              'qos/policies', 'metering/metering-labels', 'segments',
              'metering/metering-label-rules', 'vpn/vpnservices',
              'vpn/ikepolicies', 'vpn/ipsecpolicies',
              'vpn/ipsec-site-connections', 'sfc/flow_classifiers',
              'sfc/port_pairs', 'sfc/port_pair_groups', 'sfc/port_chains',
              'taas/tap_services', 'taas/tap_flows'),
    Kind('network', '/v2.0/quotas', 'quotas', identity='project_id'),
    Kind('compute', '/servers/detail?all_tenants=1', 'servers',
         headers=_COMPUTE),
    Kind('compute', '/os-server-groups?all_projects=1', 'server_groups',
         headers=_COMPUTE),
    Kind('compute', '/os-keypairs?user_id={member}', 'keypairs',
         identity='keypair',
         headers=_COMPUTE),
    Kind('compute', '/os-keypairs?user_id={admin}', 'keypairs',
         identity='keypair',
         headers=_COMPUTE),
    Kind('compute', '/flavors/detail?is_public=None', 'flavors',
         headers=_COMPUTE),
    Kind('compute', '/os-aggregates', 'aggregates',
         headers=_COMPUTE),
    Kind('volumev3', '/volumes/detail?all_tenants=1', 'volumes'),
    Kind('volumev3', '/snapshots/detail?all_tenants=1', 'snapshots'),
    Kind('volumev3', '/backups/detail?all_tenants=1', 'backups'),
    Kind('volumev3', '/types?is_public=None', 'volume_types'),
    Kind('volumev3', '/qos-specs', 'qos_specs'),
    Kind('image', '/v2/images?owner={project}&limit=1000', 'images'),
    Kind('object-store', '?format=json', None, by='tenant',
         identity='name'),
    Kind('load-balancer', '/v2/lbaas/loadbalancers', 'loadbalancers'),
    Kind('load-balancer', '/v2/lbaas/flavors', 'flavors'),
    Kind('load-balancer', '/v2/lbaas/flavorprofiles', 'flavorprofiles'),
    Kind('load-balancer', '/v2/lbaas/availabilityzones',
         'availability_zones', identity='name'),
    Kind('load-balancer', '/v2/lbaas/availabilityzoneprofiles',
         'availability_zone_profiles'),
    Kind('key-manager', '/v1/secrets?limit=100', 'secrets', by='tenant',
         identity='secret_ref'),
    Kind('key-manager', '/v1/containers?limit=100', 'containers',
         by='tenant', identity='container_ref'),
    Kind('key-manager', '/v1/orders?limit=100', 'orders', by='tenant',
         identity='order_ref'),
    Kind('dns', '/v2/zones', 'zones', headers=_ALL_PROJECTS),
    Kind('messaging', '/v2/queues', 'queues', by='tenant',
         identity='name', headers=(('Client-ID', _CLIENT),)),
    Kind('alarming', '/v2/alarms', None, by='tenant', identity='alarm_id'),
    Kind('shared-file-system', '/shares/detail?all_tenants=1', 'shares'),
    Kind('shared-file-system', '/share-networks?all_tenants=1',
         'share_networks'),
    Kind('shared-file-system', '/security-services?all_tenants=1',
         'security_services'),
    Kind('shared-file-system', '/types', 'volume_types'),
    Kind('baremetal', '/v1/ports/detail', 'ports', identity='uuid',
         headers=(('X-OpenStack-Ironic-API-Version', '1.78'),)),
    Kind('reservation', '/leases', 'leases', by='tenant'),
    Kind('reservation', '/os-hosts', 'hosts'),
    Kind('database', '/instances', 'instances', by='tenant'),
    Kind('workflow', '/workflows', 'workflows', by='tenant'),
    Kind('workflow', '/cron_triggers', 'cron_triggers', by='tenant'),
    Kind('container-infra', '/clusters', 'clusters', by='tenant',
         identity='uuid'),
    Kind('container-infra', '/clustertemplates', 'clustertemplates',
         by='tenant', identity='uuid'),
]

#: Lists that a tenant has only if the service knows the tenant.
_NOBODY = (401, 403, 404)


def inventory(tenant):
    """Return {(service, path, identity): description} of a tenant's things.
    """
    found = {}
    with concurrent.futures.ThreadPoolExecutor(_AT_A_TIME) as pool:
        lists = pool.map(lambda kind: _listed(tenant, kind), KINDS)
    for kind, items in zip(KINDS, lists, strict=True):
        for item in items:
            text = json.dumps(item, sort_keys=True, default=str)
            if (_may_be_of(tenant, item) if kind.by == 'tenant' else any(
                    owner in text for owner in tenant.owner_ids)):
                identity = item.get(kind.identity) if isinstance(
                    item, dict) else item
                place = kind.path.partition('?')[0]
                found[kind.service, place, json.dumps(identity)] = text
    return found


def _may_be_of(tenant, item):
    """Return whether an item of a tenant's list is not another one's.

    Mistral shows the workflows of all projects to administrators of one.
    """
    return not isinstance(item, dict) or item.get('project_id') in (
        None, '', tenant.project_id)


def _listed(tenant, kind):
    connection = (tenant.admin if kind.by == 'admin'
                  else tenant.connection('admin'))
    path = kind.path.format(project=tenant.project_id, **tenant.users)
    try:
        answer = connection.session.get(
            path, endpoint_filter={
                'service_type': kind.service,
                'region_name': connection.config.region_name},
            headers=dict(kind.headers, Accept='application/json'),
            raise_exc=False)
    except ks_exceptions.EndpointNotFound:
        # The cloud does not have the service.
        return []
    if answer.status_code in _NOBODY and kind.by == 'tenant':
        return []
    assert answer.status_code in (200, 204), (
        f'{kind.service} {path}: {answer.status_code} {answer.text}')
    body = answer.json() if answer.text else []
    return body if kind.key is None else body[kind.key]


def difference(tenant, before, settling=SETTLING):
    """Return what is there and was not, and what is not and was.

    :param settling: seconds that services get to forget what was deleted.
    """
    end = time.monotonic() + settling
    lost = []
    while True:
        after = inventory(tenant)
        left = {key: text for key, text in after.items()
                if key not in before}
        missing = sorted(set(before) - set(after))
        # A busy service may answer with a list that is not whole.
        if missing == lost and (not (left or lost) or
                                time.monotonic() > end):
            return left, lost
        lost = missing
        time.sleep(0.5)


def _require_none(left, lost):
    assert not left, 'left behind: ' + '\n'.join(
        f'{key}: {text[:600]}' for key, text in left.items())
    assert not lost, f'lost: {lost}'


class Check:
    """What a tenant has, to be compared with what it will have.

    Each comparison begins where the one before has ended, so that nobody
    answers for what others have left.
    """

    def __init__(self, tenant):
        self._tenant = tenant
        self.before = inventory(tenant)

    def require_nothing_left(self, settling=SETTLING):
        """Fail unless there is what there was."""
        left, lost = difference(self._tenant, self.before,
                                settling=settling)
        self.before = {key: text for key, text
                       in {**self.before, **left}.items()
                       if key not in lost}
        _require_none(left, lost)
