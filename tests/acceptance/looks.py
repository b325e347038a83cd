"""Asking the services what they know of a thing.

For types that are more, or less, than a thing at a path there is a function
here; a case names it by "look". It is given the tenant, {name: physical id}
of the resources, and the properties; it returns a dictionary, or None when
there is nothing.
"""
import base64
import email
import json

import yaml


def get(tenant, service, path, key='', headers=None):
    """Return what an administrator gets at a path; None if nothing.

    :param key: what of it, "." for all; by default the value of the only
                key.
    """
    connection = tenant.admin
    answer = connection.session.get(
        path, endpoint_filter={'service_type': service,
                               'region_name': connection.config.region_name},
        headers={'Accept': 'application/json', **(headers or {})},
        raise_exc=False)
    if answer.status_code == 404:
        return None
    assert answer.status_code == 200, f'{path}: {answer.text}'
    body = answer.json()
    if key == '.':
        return body
    if key:
        return dig(body, key)
    return next(iter(body.values())) if len(body) == 1 else body


def show(tenant, service, path, key, ids, wanted):
    """Return what is at a path with ids and properties filled in."""
    return get(tenant, service, path.format_map(
        {**ids, **wanted, 'id': ids['it']}), key)


def dig(value, path):
    """Return what is at a dotted path in a value, None if nothing."""
    for step in path.split('.'):
        if isinstance(value, dict):
            value = value.get(step)
        elif isinstance(value, list) and step.isdigit():
            value = value[int(step)] if int(step) < len(value) else None
        else:
            return None
    return value


def same(wanted, found):
    """Tell whether a service shows what was wanted.

    It may show more than was said, and lists in another order.
    """
    if isinstance(wanted, dict) and isinstance(found, dict):
        return all(same(value, found.get(key))
                   for key, value in wanted.items())
    if isinstance(wanted, list) and isinstance(found, list):
        return len(wanted) == len(found) and all(
            any(same(value, other) for other in found) for value in wanted)
    if isinstance(wanted, bool) or isinstance(found, bool):
        return str(wanted).lower() == str(found).lower()
    return wanted == found or str(wanted) == str(found)


# -- what only the owner is shown, or what is no thing at a path ------------


def own(tenant, service, path, **headers):
    """Return what the owner is answered at a path; None if nothing is there.
    """
    answer = tenant.connection('admin').session.get(
        path, endpoint_filter={'service_type': service},
        headers={'Accept': 'application/json', **headers}, raise_exc=False)
    if answer.status_code == 404:
        return None
    assert answer.status_code in (200, 204), f'{path}: {answer.text}'
    return answer


def container(tenant, ids, wanted=None):
    """Return a container of Swift by the names of its properties."""
    found = own(tenant, 'object-store', '/' + ids['it'])
    if found is None:
        return None
    account = own(tenant, 'object-store', '')

    def meta(headers, prefix):
        return {key.lower().removeprefix(prefix): value
                for key, value in headers.items()
                if key.lower().startswith(prefix)}

    return {**found.headers, 'name': ids['it'],
            'X-Container-Meta': meta(found.headers, 'x-container-meta-'),
            'X-Account-Meta': meta(account.headers, 'x-account-meta-')}


def bucket(tenant, ids, wanted=None):
    """Return a container of Swift by the names of a bucket of S3."""
    found = own(tenant, 'object-store', '/' + ids['it'])
    if found is None:
        return None
    headers = found.headers
    return {
        'AccessControl': {'.r:*': 'PublicRead'}.get(
            headers.get('X-Container-Read')),
        'Tags': [{'Key': key.lower().rpartition('-')[2], 'Value': value}
                 for key, value in headers.items()
                 if key.lower().startswith('x-container-meta-s3-tag-')],
        'WebsiteConfiguration': {
            'IndexDocument': headers.get('X-Container-Meta-Web-Index')}}


CLIENT = {'Client-ID': '00000000-0000-4000-8000-000000000001'}


def queue(tenant, ids, wanted=None):
    """Return a queue of Zaqar; one that is not listed is not there."""
    listed = own(tenant, 'messaging', '/v2/queues', **CLIENT).json()
    if ids['it'] not in [each['name'] for each in listed['queues']]:
        return None
    found = own(tenant, 'messaging', '/v2/queues/' + ids['it'], **CLIENT)
    return {'name': ids['it'], 'metadata': found.json()}


def subscription(tenant, ids, wanted=None):
    """Return a subscription of Zaqar."""
    for name in ('queue', 'other'):
        found = own(tenant, 'messaging', '/v2/queues/%s/subscriptions/%s' % (
            ids[name], ids['it']), **CLIENT)
        if found is not None:
            return found.json()
    return None


def key_manager(tenant, ids, wanted=None):
    """Return a thing of Barbican, whose id is a URL."""
    found = own(tenant, 'key-manager', ids['it'])
    if found is None:
        return None
    found = found.json()
    refs = found.get('secret_refs') or []
    return {**found, 'secrets': [{'name': each.get('name'),
                                  'ref': each['secret_ref']}
                                 for each in refs]}


def container_of_secrets(tenant, ids, wanted=None):
    """Return a container of Barbican by the names of its properties."""
    found = key_manager(tenant, ids)
    return found and {'name': found['name'], **{
        each['name'] + '_ref': each['ref'] for each in found['secrets']}}


def zone(tenant, ids, wanted=None):
    """Return a zone of Designate."""
    found = own(tenant, 'dns', '/v2/zones/' + ids['it'])
    return found and found.json()


def record_set(tenant, ids, wanted=None):
    """Return a record set of Designate."""
    found = own(tenant, 'dns', '/v2/zones/%s/recordsets/%s' % (ids['zone'],
                                                              ids['it']))
    return found and found.json()


def octavia_quota(tenant, ids, wanted):
    """Return what a project may have, None if that is the default."""
    project = wanted['project']
    defaults = get(tenant, 'load-balancer', '/v2/lbaas/quotas/defaults')
    found = get(tenant, 'load-balancer', '/v2/lbaas/quotas/' + project)
    return None if found == defaults else {**found, 'project': project}


def secrets(tenant):
    """Remove the secrets of a tenant: Barbican keeps what it has made."""
    session = tenant.connection('admin').session
    for each in own(tenant, 'key-manager', '/v1/secrets').json()['secrets']:
        session.delete(each['secret_ref'])


def trusts(tenant, user='member'):
    """Remove the trusts of the member: Zaqar keeps those of subscriptions.
    """
    session = tenant.connection(user).session
    where = {'endpoint_filter': {'service_type': 'identity',
                                 'interface': 'public'}}
    for each in session.get(
            '/v3/OS-TRUST/trusts?trustor_user_id=' + tenant.users[user],
            **where).json()['trusts']:
        session.delete('/v3/OS-TRUST/trusts/' + each['id'], **where)


def admin_trusts(tenant):
    """Remove the trusts of the administrator: Blazar keeps its own."""
    trusts(tenant, 'admin')


# -- types of AWS -----------------------------------------------------------


def _ports(tenant, query):
    return get(tenant, 'network', '/v2.0/ports?' + query)


def subnet_association(tenant, ids, wanted=None):
    """Return which router a subnet is attached to, by names of EC2."""
    router_id, _colon, subnet_id = ids['it'].partition(':')
    found = _ports(tenant, 'device_id=%s&fixed_ips=subnet_id%%3D%s' % (
        router_id, subnet_id))
    return {'RouteTableId': router_id, 'SubnetId': subnet_id} if (
        found) else None


def ec2_security_group(tenant, ids, wanted=None):
    """Return a security group by the names of EC2."""
    found = get(tenant, 'network', '/v2.0/security-groups/' + ids['it'])
    if found is None:
        return None
    shown = {'GroupDescription': found['description']}
    for direction, name in (('ingress', 'SecurityGroupIngress'),
                            ('egress', 'SecurityGroupEgress')):
        shown[name] = [{
            'IpProtocol': rule['protocol'],
            'CidrIp': rule['remote_ip_prefix'],
            **{key: '-1' if rule[there] is None else rule[there]
               for key, there in (('FromPort', 'port_range_min'),
                                  ('ToPort', 'port_range_max'))}}
            for rule in found['security_group_rules']
            if rule['direction'] == direction]
    return shown


def _floating_ip(tenant, its_id):
    return next((each for each in get(
        tenant, 'network', '/v2.0/floatingips?project_id=' +
        tenant.project_id) if each['id'] == its_id), None)


def associated_address(tenant, ids, wanted):
    """Return the floating IP that leads where it should, or None."""
    found = _floating_ip(tenant, wanted['AllocationId'])
    return found if found and (
        found['port_id'] == wanted['NetworkInterfaceId']) else None


def elastic_ip(tenant, ids, wanted):
    """Return a floating IP by the names of EC2."""
    found = _floating_ip(tenant, ids['it'])
    if found is None:
        return None
    port = get(tenant, 'network', f'/v2.0/ports/{found["port_id"]}')
    return {'InstanceId': port and port['device_id']}


def _routers(tenant, attachment):
    return [router for router in get(
        tenant, 'network', f'/v2.0/routers?project_id={tenant.project_id}')
        if router['description'] == attachment and
        router['external_gateway_info']]


def internet_gateway(tenant, ids, wanted=None):
    """Return the router that has a gateway, None if none has."""
    return next(iter(_routers(tenant, ids['attachment'])), None)


def gateway_attachment(tenant, ids, wanted=None):
    """Return whose router has a gateway, by names of EC2."""
    networks = {ids['table']: ids['net'], ids['other_table']: ids['other']}
    for router in _routers(tenant, ids['it']):
        return {'VpcId': networks[router['id']]}
    return None


def instance(tenant, ids, wanted=None):
    """Return a server by the names of EC2."""
    found = get(tenant, 'compute', '/servers/' + ids['it'])
    if found is None:
        return None
    ports = _ports(tenant, 'device_id=' + ids['it'])
    return {'Tags': [{'Key': key, 'Value': value}
                     for key, value in found['metadata'].items()],
            'NetworkInterfaces': [port['id'] for port in ports]}


def _servers(tenant):
    """Return the servers of a project as newer versions of Nova show them.
    """
    return get(tenant, 'compute', '/servers/detail?all_tenants=1&project_id='
               + tenant.project_id, 'servers',
               headers={'OpenStack-API-Version': 'compute 2.60'})


def scaling_group(tenant, ids, wanted):
    """Return what the servers show that have the tags of a group."""
    tags = {each['Key']: each['Value'] for each in wanted['Tags']}
    members = [one for one in _servers(tenant)
               if tags.items() <= one['metadata'].items()]
    return {'DesiredCapacity': len(members),
            'Tags': wanted['Tags']} if members else None


def launched(tenant, ids, wanted):
    """Return of what kind the servers are, if they are of this one."""
    for one in _servers(tenant):
        if one['flavor']['original_name'] == wanted['InstanceType']:
            return {'InstanceType': wanted['InstanceType']}
    return None


def balancer(tenant, ids, wanted):
    """Return the ports that the server of a load balancer starts with."""
    for one in _servers(tenant):
        parts = email.message_from_bytes(base64.b64decode(
            one['OS-EXT-SRV-ATTR:user_data'] or '')).walk()
        text = ''.join(part.get_payload(decode=True).decode()
                       for part in parts if not part.is_multipart())
        if all(f'bind *:{each["LoadBalancerPort"]}\\n' in text
               for each in wanted['Listeners']):
            return {'Listeners': wanted['Listeners']}
    return None


def nested_network(tenant, ids, wanted):
    """Return the network of a nested stack by what its template is given.
    """
    name = wanted['Parameters']['name']
    found = get(tenant, 'network', f'/v2.0/networks?name={name}')
    return {'Parameters': {'name': name}} if found else None


# -- of Neutron -------------------------------------------------------------

def _routes(tenant, router_id):
    router = get(tenant, 'network', f'/v2.0/routers/{router_id}')
    return router['routes'] if router else []


def extra_route(tenant, ids, wanted):
    """Return a route of a router."""
    for route in _routes(tenant, wanted['router_id']):
        if route['destination'] == wanted['destination']:
            return {**route, 'router_id': wanted['router_id']}
    return None


def extra_routes(tenant, ids, wanted):
    """Return the routes of a router."""
    routes = _routes(tenant, ids['it'])
    return {'router': ids['it'], 'routes': routes} if routes else None


def floating_ip_association(tenant, ids, wanted):
    """Return the floating IP if it is associated."""
    found = get(tenant, 'network',
                f'/v2.0/floatingips/{wanted["floatingip_id"]}')
    return found if found and found['port_id'] else None


def router_interface(tenant, ids, wanted):
    """Return the attachment of a router to a subnet."""
    ports = get(tenant, 'network',
                f'/v2.0/ports?device_id={wanted["router"]}')
    subnets = [ip['subnet_id'] for port in ports for ip in port['fixed_ips']]
    return dict(wanted) if wanted['subnet'] in subnets else None


def security_group(tenant, ids, wanted):
    """Return a security group with those rules that let something in."""
    found = get(tenant, 'network', f'/v2.0/security-groups/{ids["it"]}')
    if found:
        found['rules'] = [{
            **rule, 'remote_mode': ('remote_group_id'
                                    if rule['remote_group_id'] else
                                    'remote_ip_prefix')}
            for rule in found['security_group_rules']
            if rule['direction'] == 'ingress']
    return found


def trunk(tenant, ids, wanted):
    """Return a trunk; its ports are named as properties name them."""
    found = get(tenant, 'network', f'/v2.0/trunks/{ids["it"]}')
    if found:
        found['sub_ports'] = [{**port, 'port': port['port_id']}
                              for port in found['sub_ports']]
    return found


def network_quota(tenant, ids, wanted):
    """Return the quota of a project if it has one of its own."""
    own = get(tenant, 'network', '/v2.0/quotas')
    return next((quota for quota in own
                 if quota['project_id'] == wanted['project']), None)


# -- of Keystone ------------------------------------------------------------

def _roles(tenant, kind, actor):
    """Return the roles of a user or group, as properties say them."""
    names = {role['id']: role['name'] for role in
             get(tenant, 'identity', '/v3/roles', 'roles')}
    found = []
    for one in get(tenant, 'identity', '/v3/role_assignments?'
                   f'{kind}.id={actor}', 'role_assignments'):
        [(place, what)] = one['scope'].items()
        found.append({'role': names.get(one['role']['id']),
                      place: what['id']})
    return found


def group(tenant, ids, wanted):
    """Return a group with its roles."""
    found = get(tenant, 'identity', f'/v3/groups/{ids["it"]}')
    if found:
        found['roles'] = _roles(tenant, 'group', ids['it'])
    return found


def group_roles(tenant, ids, wanted):
    """Return the roles of a group if it has any."""
    roles = _roles(tenant, 'group', wanted['group'])
    return {'group': wanted['group'], 'roles': roles} if roles else None


def user(tenant, ids, wanted):
    """Return a user with roles and groups; the password must be right."""
    found = get(tenant, 'identity', f'/v3/users/{ids["it"]}')
    if found:
        groups = get(tenant, 'identity', f'/v3/users/{ids["it"]}/groups',
                     'groups')
        found['groups'] = [one['id'] for one in groups]
        found['roles'] = _roles(tenant, 'user', ids['it'])
        if found['enabled']:
            tenant.session_of(ids['it'], wanted['password']).get_token()
    return found


def user_roles(tenant, ids, wanted):
    """Return the roles of a user if there are any."""
    roles = _roles(tenant, 'user', wanted['user'])
    return {'user': wanted['user'], 'roles': roles} if roles else None


# -- of Nova ----------------------------------------------------------------

def flavor(tenant, ids, wanted):
    """Return a flavor with extra specs, and projects that may use it."""
    found = get(tenant, 'compute', f'/flavors/{ids["it"]}')
    if found:
        found['extra_specs'] = get(
            tenant, 'compute', f'/flavors/{ids["it"]}/os-extra_specs',
            'extra_specs')
        found['tenants'] = [one['tenant_id'] for one in get(
            tenant, 'compute', f'/flavors/{ids["it"]}/os-flavor-access',
            'flavor_access')]
    return found


def server(tenant, ids, wanted):
    """Return a server as newer versions of Nova show it."""
    return get(tenant, 'compute', f'/servers/{ids["it"]}',
               headers={'OpenStack-API-Version': 'compute 2.60'})


def key_pair(tenant, ids, wanted):
    """Return a key pair of the member."""
    return get(tenant, 'compute',
               f'/os-keypairs/{ids["it"]}?user_id={tenant.users["member"]}',
               headers={'OpenStack-API-Version': 'compute 2.10'})


def server_group(tenant, ids, wanted):
    """Return a server group; its policy is listed as properties do."""
    found = get(tenant, 'compute', f'/os-server-groups/{ids["it"]}',
                headers={'OpenStack-API-Version': 'compute 2.64'})
    if found:
        found['policies'] = [found['policy']]
    return found


def compute_quota(tenant, ids, wanted):
    """Return the quota of a project where it is not the usual one."""
    return _own_quota(tenant, 'compute', wanted['project'])


# -- of Cinder --------------------------------------------------------------

def _own_quota(tenant, service, project):
    if get(tenant, 'identity', f'/v3/projects/{project}') is None:
        # Nova denies that there could be such a project.
        return None
    quota = get(tenant, service, f'/os-quota-sets/{project}', 'quota_set')
    usual = get(tenant, service, f'/os-quota-sets/{project}/defaults',
                'quota_set')
    own = {key: value for key, value in quota.items()
           if value != usual.get(key)}
    return own or None


def volume_quota(tenant, ids, wanted):
    """Return the quota of a project where it is not the usual one."""
    return _own_quota(tenant, 'volumev3', wanted['project'])


def volume_encryption(tenant, ids, wanted):
    """Return how volumes of a type are encrypted."""
    found = get(tenant, 'volumev3',
                f'/types/{wanted["volume_type"]}/encryption', '.')
    return found if found and found.get('encryption_id') else None


def volume_type(tenant, ids, wanted):
    """Return a volume type with the projects that may use it."""
    found = get(tenant, 'volumev3', f'/types/{ids["it"]}')
    if found:
        found['metadata'] = found['extra_specs']
        found['projects'] = [one['project_id'] for one in get(
            tenant, 'volumev3', f'/types/{ids["it"]}/os-volume-type-access',
            'volume_type_access')]
    return found


def qos_specs(tenant, ids, wanted):
    """Return QoS specs; the consumer is among them in properties."""
    found = get(tenant, 'volumev3', f'/qos-specs/{ids["it"]}', 'qos_specs')
    if found:
        found['specs']['consumer'] = found['consumer']
    return found


def qos_association(tenant, ids, wanted):
    """Return the volume types that QoS specs apply to."""
    found = get(tenant, 'volumev3',
                f'/qos-specs/{wanted["qos_specs"]}/associations',
                'qos_associations')
    return {'qos_specs': wanted['qos_specs'],
            'volume_types': [one['id'] for one in found]} if found else None


def volume_attachment(tenant, ids, wanted):
    """Return the attachment of a volume to a server."""
    server = wanted['instance_uuid']
    found = get(tenant, 'compute', f'/servers/{server}/os-volume_attachments',
                'volumeAttachments')
    return next((one for one in found or ()
                 if one['volumeId'] == wanted['volume_id']), None)


# -- of Glance --------------------------------------------------------------

def image(tenant, ids, wanted):
    """Return an image; what it says of itself is not sorted into maps."""
    found = get(tenant, 'image', f'/v2/images/{ids["it"]}', '.')
    if found:
        found['extra_properties'] = {
            key: value for key, value in found.items()
            if key.startswith('hw_')}
        found['location'] = wanted['location']
        if found['visibility'] == 'shared':
            found['members'] = [one['member_id'] for one in get(
                tenant, 'image', f'/v2/images/{ids["it"]}/members',
                'members')]
    return found


# -- shares, bare metal, floating IPs ---------------------------------------

#: Of the microversion that the service uses.
_MANILA = {'X-OpenStack-Manila-API-Version': '2.50'}


def share_type(tenant, ids, wanted):
    """Return a share type."""
    return get(tenant, 'sharev2', f'/types/{ids["it"]}', 'share_type',
               headers=_MANILA)


def security_service(tenant, ids, wanted):
    """Return a security service."""
    return get(tenant, 'sharev2', f'/security-services/{ids["it"]}',
               headers=_MANILA)


def share_network(tenant, ids, wanted):
    """Return a share network with the ids of its security services."""
    found = get(tenant, 'sharev2', f'/share-networks/{ids["it"]}',
                headers=_MANILA)
    if found is None:
        return None
    services = get(tenant, 'sharev2', '/security-services?all_tenants=1'
                   f'&share_network_id={ids["it"]}', headers=_MANILA)
    return {**found, 'neutron_network': found['neutron_net_id'],
            'neutron_subnet': found['neutron_subnet_id'],
            'security_services': [each['id'] for each in services]}


def share(tenant, ids, wanted):
    """Return a share with its access rules."""
    found = get(tenant, 'sharev2', f'/shares/{ids["it"]}', headers=_MANILA)
    if found is None:
        return None
    rules = get(tenant, 'sharev2',
                f'/share-access-rules?share_id={ids["it"]}',
                headers=_MANILA)
    return {**found, 'share_protocol': found['share_proto'],
            'access_rules': rules}


def bare_metal_port(tenant, ids, wanted):
    """Return a port of a bare metal node."""
    found = own(tenant, 'baremetal', f'/v1/ports/{ids["it"]}',
                **{'X-OpenStack-Ironic-API-Version': '1.78'})
    return found and found.json()


def nova_floating_ip(tenant, ids, wanted):
    """Return a floating IP by the names of its properties."""
    return _floating_ip(tenant, ids['it'])


def server_address(tenant, ids, wanted):
    """Return which server a floating IP leads to, None if to none."""
    found = _floating_ip(tenant, wanted['floating_ip'])
    if not found or not found['port_id']:
        return None
    port = get(tenant, 'network', f'/v2.0/ports/{found["port_id"]}')
    return {'floating_ip': found['id'], 'server_id': port['device_id']}


# -- alarms and workflows ---------------------------------------------------

#: How Aodh shows an action for a queue of Zaqar.
_QUEUE = 'trust+zaqar:?queue_name='


def alarm(tenant, ids, wanted=None):
    """Return an alarm by the names of properties."""
    found = own(tenant, 'alarming', '/v2/alarms/' + ids['it'])
    if found is None:
        return None
    found = found.json()
    rule = found[found['type'] + '_rule']
    if found['type'] == 'composite':
        [(operator, rules)] = rule.items()
        rule = {'composite_rule': {'operator': operator, 'rules': rules}}
    for name in ('alarm', 'ok', 'insufficient_data'):
        found[f'{name}_queues'] = [
            url.removeprefix(_QUEUE) for url in found[f'{name}_actions']
            if url.startswith(_QUEUE)]
    return {**found, **rule, 'pool': rule.get('pool_id'),
            'stack': rule.get('stack_id')}


def workflow(tenant, ids, wanted=None):
    """Return a workflow as its definition says it, by names of properties.
    """
    found = own(tenant, 'workflowv2', '/workflows/' + ids['it'])
    if found is None:
        return None
    found = found.json()
    defined = _by_properties(yaml.safe_load(
        found['definition'])[found['name']])
    return {**defined, 'name': found['name'], 'tags': found['tags'],
            'input': dict.fromkeys(defined.get('input', ()), 1),
            'task_defaults': _by_properties(
                defined.get('task_defaults', {})),
            'tasks': [{'name': name, **_by_properties(task)}
                      for name, task in defined['tasks'].items()]}


def _by_properties(values):
    return {key.replace('-', '_'): value for key, value in values.items()}


def external_resource(tenant, ids, wanted=None):
    """Return what the last workflow of an external resource was given.

    None once the workflow ran that is to remove it.
    """
    runs = own(tenant, 'workflowv2', '/executions').json()['executions']
    last = {ids[name]: name for name in ('make', 'change', 'remove')}
    run = max((run for run in runs if run['workflow_id'] in last),
              key=lambda run: run['created_at'])
    return None if last[run['workflow_id']] == 'remove' else {
        'input': json.loads(run['input'])}


def lease(tenant, ids, wanted=None):
    """Return a lease, times as a template has them."""
    found = get(tenant, 'reservation', '/leases/' + ids['it'])
    return found and {**found, **{
        name: found[name].replace('T', ' ')[:16]
        for name in ('start_date', 'end_date')}}


def cron_trigger(tenant, ids, wanted=None):
    """Return a cron trigger with what it runs."""
    found = own(tenant, 'workflowv2', '/cron_triggers/' + ids['it'])
    if found is None:
        return None
    found = found.json()
    return {**found, 'workflow': {
        'name': found['workflow_id'],
        'input': json.loads(found['workflow_input'])}}


def mistral_trigger(tenant, ids, wanted=None):
    """Return a subscription with what it has Mistral do."""
    found = subscription(tenant, ids)
    if found is None:
        return None
    assert found['subscriber'].startswith('trust+http')
    assert found['subscriber'].endswith('/v2/executions')
    return {**found, **json.loads(found['options']['post_data'])}
