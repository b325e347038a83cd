"""Parts of templates that several scenarios have."""

IMAGE = 'cirros-0.6.2-x86_64-disk'


def ref(name):
    """Return a reference to a resource."""
    return {'get_resource': name}


def attr(*path):
    """Return a reference to an attribute of a resource."""
    return {'get_attr': list(path)}


def hot(resources, outputs=None):
    """Return a template; outputs are {name: value}."""
    return {'heat_template_version': 'wallaby', 'resources': resources,
            'outputs': {name: {'value': value}
                        for name, value in (outputs or {}).items()}}


def network(name='net', cidr='10.77.0.0/24'):
    """Return a network with a subnet."""
    return {
        name: {'type': 'OS::Neutron::Net'},
        f'{name}-subnet': {'type': 'OS::Neutron::Subnet', 'properties': {
            'network': ref(name), 'cidr': cidr}},
    }


def router(name='net'):
    """Return a router between a network and the world."""
    return {
        'router': {'type': 'OS::Neutron::Router', 'properties': {
            'external_gateway_info': {'network': 'public'}}},
        'interface': {'type': 'OS::Neutron::RouterInterface', 'properties': {
            'router': ref('router'), 'subnet': ref(f'{name}-subnet')}},
        'ip': {'type': 'OS::Neutron::FloatingIP', 'properties': {
            'floating_network': 'public'}},
    }


def server(*networks, **properties):
    """Return a server with network cards."""
    given = {'flavor': 'm1.nano', 'image': IMAGE, **properties}
    if networks:
        given['networks'] = list(networks)
    return {'type': 'OS::Nova::Server', 'properties': {
        key: value for key, value in given.items() if value is not None}}


def port(name='net', **properties):
    """Return a port on a network."""
    return {'type': 'OS::Neutron::Port', 'properties': {
        'network': ref(name), **properties}}
