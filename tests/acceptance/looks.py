"""Asking the services what they know of a thing.

For types that are more, or less, than a thing at a path there is a function
here; a case names it by "look". It is given the tenant and {name: physical
id} of the resources; it returns a dictionary, or None when there is nothing.
"""


def get(tenant, service, path, key=''):
    """Return what an administrator gets at a path; None if nothing."""
    connection = tenant.admin
    answer = connection.session.get(
        path, endpoint_filter={'service_type': service,
                               'region_name': connection.config.region_name},
        headers={'Accept': 'application/json'}, raise_exc=False)
    if answer.status_code == 404:
        return None
    assert answer.status_code == 200, f'{path}: {answer.text}'
    body = answer.json()
    if key:
        return dig(body, key)
    return next(iter(body.values())) if len(body) == 1 else body


def show(tenant, service, path, key, ids):
    """Return what is at a path with ids filled in."""
    return get(tenant, service, path.format(id=ids['it'], **ids), key)


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


def container(tenant, ids):
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


def bucket(tenant, ids):
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


_CLIENT = {'Client-ID': '00000000-0000-4000-8000-000000000001'}


def queue(tenant, ids):
    """Return a queue of Zaqar; one that is not listed is not there."""
    listed = own(tenant, 'messaging', '/v2/queues', **_CLIENT).json()
    if ids['it'] not in [each['name'] for each in listed['queues']]:
        return None
    found = own(tenant, 'messaging', '/v2/queues/' + ids['it'], **_CLIENT)
    return {'name': ids['it'], 'metadata': found.json()}


def subscription(tenant, ids):
    """Return a subscription of Zaqar."""
    for name in ('queue', 'other'):
        found = own(tenant, 'messaging', '/v2/queues/%s/subscriptions/%s' % (
            ids[name], ids['it']), **_CLIENT)
        if found is not None:
            return found.json()
    return None


def key_manager(tenant, ids):
    """Return a thing of Barbican, whose id is a URL."""
    found = own(tenant, 'key-manager', ids['it'])
    if found is None:
        return None
    found = found.json()
    refs = found.get('secret_refs') or []
    return {**found, 'secrets': [{'name': each.get('name'),
                                  'ref': each['secret_ref']}
                                 for each in refs]}


def container_of_secrets(tenant, ids):
    """Return a container of Barbican by the names of its properties."""
    found = key_manager(tenant, ids)
    return found and {'name': found['name'], **{
        each['name'] + '_ref': each['ref'] for each in found['secrets']}}


def zone(tenant, ids):
    """Return a zone of Designate."""
    found = own(tenant, 'dns', '/v2/zones/' + ids['it'])
    return found and found.json()


def record_set(tenant, ids):
    """Return a record set of Designate."""
    found = own(tenant, 'dns', '/v2/zones/%s/recordsets/%s' % (ids['zone'],
                                                              ids['it']))
    return found and found.json()


def octavia_quota(tenant, ids):
    """Return what the project may have, None if that is the default."""
    defaults = get(tenant, 'load-balancer', '/v2/lbaas/quotas/defaults')
    found = get(tenant, 'load-balancer',
                '/v2/lbaas/quotas/' + tenant.project_id)
    if found == defaults:
        return None
    return {**found, 'project': tenant.project_id}


def secrets(tenant):
    """Remove the secrets of a tenant: Barbican keeps what it has made."""
    session = tenant.connection('admin').session
    for each in own(tenant, 'key-manager', '/v1/secrets').json()['secrets']:
        session.delete(each['secret_ref'])


# -- types of AWS -----------------------------------------------------------


def _ports(tenant, query):
    return get(tenant, 'network', '/v2.0/ports?' + query)


def subnet_association(tenant, ids):
    """Return which router a subnet is attached to, by names of EC2."""
    router_id, _colon, subnet_id = ids['it'].partition(':')
    found = _ports(tenant, 'device_id=%s&fixed_ips=subnet_id%%3D%s' % (
        router_id, subnet_id))
    return {'RouteTableId': router_id, 'SubnetId': subnet_id} if (
        found) else None


def ec2_security_group(tenant, ids):
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


def associated_address(tenant, ids):
    """Return the floating IP that leads somewhere, None if none does."""
    for name in ('address', 'other'):
        found = [each for each in get(
            tenant, 'network', '/v2.0/floatingips?project_id=' +
            tenant.project_id) if each['id'] == ids[name]]
        if found and found[0]['port_id']:
            return found[0]
    return None


def instance(tenant, ids):
    """Return a server by the names of EC2."""
    found = get(tenant, 'compute', '/servers/' + ids['it'])
    if found is None:
        return None
    ports = _ports(tenant, 'device_id=' + ids['it'])
    return {'Tags': [{'Key': key, 'Value': value}
                     for key, value in found['metadata'].items()],
            'NetworkInterfaces': [port['id'] for port in ports]}
