"""Things in a tenant that many types are tried with.

Each is made when a case first mentions it as a word, <net> for example, and
goes with the tenant.
"""
import functools
import http.server
import threading


def words(tenant, wanted):
    """Return {word: id} of those of the words that are things."""
    return {word: thing(tenant, word) for word in wanted if word in _MAKERS}


#: Cases walk in several threads, and a thing may be made of others.
_MAKING = threading.RLock()


def thing(tenant, word):
    """Return the id of a thing, made if it is not there."""
    with _MAKING:
        if word not in tenant.things:
            tenant.things[word] = _MAKERS[word](tenant)
        return tenant.things[word]


def _network(tenant):
    return tenant.connection('member').network


def _net(tenant):
    return _network(tenant).create_network(name=f'{tenant.tag}-net').id


def _subnet(tenant):
    return _network(tenant).create_subnet(
        name=f'{tenant.tag}-subnet', network_id=thing(tenant, 'net'),
        ip_version=4, cidr='10.7.0.0/24').id


def _port(tenant, address):
    return _network(tenant).create_port(
        name=f'{tenant.tag}-port', network_id=thing(tenant, 'net'),
        fixed_ips=[{'subnet_id': thing(tenant, 'subnet'),
                    'ip_address': address}]).id


def _host(tenant, number=0):
    """Return the name of a host that servers run on."""
    return sorted(service.host for service in tenant.admin.compute.services()
                  if service.binary == 'nova-compute')[number]


def _bound_port(tenant):
    """Make a port of a device, the same one for all."""
    return _network(tenant).create_port(
        name=f'{tenant.tag}-bound', network_id=thing(tenant, 'net'),
        device_id=tenant.tag,
        fixed_ips=[{'subnet_id': thing(tenant, 'subnet')}]).id


def _tap_service(tenant):
    return _network(tenant).create_tap_service(
        name=f'{tenant.tag}-tap', port_id=thing(tenant, 'port')).id


def _router(tenant):
    network = _network(tenant)
    outside = network.find_network('public', ignore_missing=False)
    router = network.create_router(
        name=f'{tenant.tag}-router',
        external_gateway_info={'network_id': outside.id})
    network.add_interface_to_router(router, subnet=thing(tenant, 'subnet'))
    return router.id


def _node(tenant):
    """Make a bare metal node of the cloud's fake hardware."""
    # Others than administrators of the system see only nodes of theirs.
    node = tenant.connection('admin').baremetal.create_node(
        name=f'{tenant.tag}-node', driver='fake-hardware',
        owner=tenant.project_id)
    return node.id


#: What a web server of this process has.
_FILES = {
    '/image': b'\0' * 1024,
    '/template': b"""
heat_template_version: wallaby
parameters:
  name: {type: string}
resources:
  net: {type: OS::Neutron::Net, properties: {name: {get_param: name}}}
""",
}


@functools.cache
def _web_server():
    """Return where a web server of this process has its files."""
    server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), _Files)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f'http://127.0.0.1:{server.server_port}'


class _Files(http.server.BaseHTTPRequestHandler):
    """A web server that has some files."""

    def do_GET(self):  # noqa: N802
        content = _FILES[self.path]
        self.send_response(200)
        self.send_header('Content-Length', str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *arguments):
        """Say nothing."""


def _routed_subnet(tenant):
    thing(tenant, 'router')
    return thing(tenant, 'subnet')


_MAKERS = {
    'host': _host,
    'other_host': lambda tenant: _host(tenant, 1),
    'image_url': lambda tenant: _web_server() + '/image',
    'template_url': lambda tenant: _web_server() + '/template',
    'net': _net,
    'node': _node,
    'subnet': _subnet,
    'routed_subnet': _routed_subnet,
    'port': lambda tenant: _port(tenant, '10.7.0.51'),
    'other_port': lambda tenant: _port(tenant, '10.7.0.52'),
    'bound_port': _bound_port,
    'other_bound_port': _bound_port,
    'tap_service': _tap_service,
    'router': _router,
}


def remove(tenant):
    """Remove what was made."""
    network = _network(tenant)
    made = tenant.things
    if 'router' in made:
        network.remove_interface_from_router(made['router'],
                                             subnet=made['subnet'])
        network.delete_router(made['router'])
    if 'tap_service' in made:
        network.delete_tap_service(made['tap_service'])
    for word in ('port', 'other_port', 'bound_port', 'other_bound_port'):
        if word in made:
            network.delete_port(made[word])
    if 'net' in made:
        network.delete_network(made['net'])
    if 'node' in made:
        tenant.admin.baremetal.delete_node(made['node'])
    made.clear()
