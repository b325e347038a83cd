"""Turn properties into what the Docker SDK takes."""
from . import daemon


def port_specs(given):
    """Return {port: bindings} of a list of port specifications.

    :raises ValueError: one of them is malformed.
    """
    found = {}
    for spec in given or ():
        inside, outside = daemon.ports.split_port(str(spec))
        for index, port in enumerate(inside):
            bound = found.setdefault(port if '/' in port else f'{port}/tcp',
                                     [])
            if outside:
                bound.append(outside[index])
    return found


def port_bindings(given):
    """Return {port: (address, port of the host) or port of the host}."""
    found = {}
    for inside, outside in (given or {}).items():
        address, colon, port = str(outside).rpartition(':')
        found[inside if '/' in inside else f'{inside}/tcp'] = (
            (address.strip('[]'), port) if colon else port)
    return found


def ports(properties):
    """Return ([(port, protocol)], bindings) of a container."""
    bindings = {**port_specs(properties['port_specs']),
                **port_bindings(properties['port_bindings'])}
    exposed = [tuple(port.split('/')) for port in bindings]
    return exposed, {port: bound for port, bound in bindings.items()
                     if bound}


def volumes(given):
    """Return (paths of new volumes, binds of the host)."""
    new = [path for path, target in (given or {}).items() if not target]
    binds = {}
    for source, target in (given or {}).items():
        if isinstance(target, dict) and target:
            binds[source] = {'bind': target['bind'],
                             'mode': target.get('mode', 'rw')}
        elif target:
            path, colon, mode = str(target).partition(':')
            binds[source] = {'bind': path, 'mode': mode if colon else 'rw'}
    return new, binds


def devices(given):
    """Return the devices in the notation of the SDK."""
    return [':'.join((each['path_on_host'],
                      each['path_in_container'] or each['path_on_host'],
                      each['permissions'])) for each in given or ()]


def host_config(client, properties, bindings, binds):
    """Return the part of a container's settings that the host keeps."""
    given = {
        'binds': binds, 'port_bindings': bindings,
        'links': properties['links'], 'dns': properties['dns'],
        'privileged': properties['privileged'],
        'volumes_from': [properties['volumes_from']]
        if properties['volumes_from'] else None,
        'restart_policy': properties['restart_policy'] or None,
        'cap_add': properties['cap_add'],
        'cap_drop': properties['cap_drop'],
        'read_only': properties['read_only'] or None,
        'cpu_shares': properties['cpu_shares'] or None,
        'cpuset_cpus': properties['cpu_set'],
        'mem_limit': properties['memory'],
        'devices': devices(properties['devices']),
    }
    return client.create_host_config(**{
        name: value for name, value in given.items() if value})


def container_config(client, properties, labels):
    """Return the settings of a container."""
    exposed, bindings = ports(properties)
    new, binds = volumes(properties['volumes'])
    config = client.create_container_config(
        properties['image'], properties['cmd'] or None,
        hostname=properties['hostname'] or None,
        user=properties['user'] or None,
        environment=properties['env'], detach=True, tty=properties['tty'],
        stdin_open=properties['open_stdin'], ports=exposed or None,
        volumes=new or None, labels=labels,
        host_config=host_config(client, properties, bindings, binds))
    config['StdinOnce'] = properties['stdin_once']
    return config
