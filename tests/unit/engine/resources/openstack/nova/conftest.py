"""Fixtures: servers, ports and images in memory."""
import types

import pytest

from heat.engine.clients.os import cinder
from heat.engine.clients.os import glance
from heat.engine.clients.os import neutron
from heat.engine.clients.os import nova
from heat.engine.resources.openstack.neutron import port
from heat.engine.resources.openstack.nova import server
from tests.fakes import cloud
from tests.fakes import compute


class World(types.SimpleNamespace):
    """The services, and the engine that uses them.

    Keyword arguments of server() are properties of the server.
    """

    def template(self, **properties):
        """Return a template with a server."""
        metadata = properties.pop('rsrc_metadata', None)
        given = {'flavor': 'small', 'image': 'cirros', **properties}
        given = {key: value for key, value in given.items()
                 if value is not None}
        return 'resources:\n  server: %r\noutputs:\n%s' % (
            {'type': 'OS::Nova::Server', 'properties': given,
             **({'metadata': metadata} if metadata else {})},
            '\n'.join('  %s: {value: {get_attr: [server, %s]}}' % (name, name)
                      for name in ('networks', 'addresses', 'tags', 'name',
                                   'instance_name', 'accessIPv4')))

    def server(self, **properties):
        """Return a stack with a server."""
        stack = self.engine.create(self.template(**properties))
        assert stack.state == ('CREATE', 'COMPLETE'), stack.status_reason
        return stack

    def change(self, stack, *, fails=False, **properties):
        """Return the stack with another description of the server."""
        options = {'disable_rollback': False} if fails else {}
        return self.engine.update(stack, self.template(**properties),
                                  **options)

    def port(self, **values):
        """Return the id of a new port."""
        return self.network.create_port(network_id='net', **values).id

    def attached(self, stack):
        """Return the ids of the ports that are attached to the server."""
        server_id = stack['server'].resource_id
        return [port_id for port_id, _tag in
                self.compute._kept('server', server_id)['attached']]

    def live(self, stack):
        """Return what Nova knows of the server."""
        return self.compute._kept('server', stack['server'].resource_id)


@pytest.fixture
def world(cloud_engine, monkeypatch):
    """Return services in memory and an engine."""
    network, images = compute.Ports(), cloud.FakeService()
    for name in ('net', 'other'):
        network.create_network(id=name, name='name of ' + name)
        network.create_subnet(id=name + '-subnet', network_id=name)
    network.create_security_group(id='web-id', name='web')
    for name in ('cirros', 'fedora'):
        images.create_image(id=name + '-id', name=name, status='active',
                            min_ram=64, min_disk=0)
    servers = compute.FakeCompute(network, images)
    storage = cloud.FakeService()
    cloud_engine.use(network, neutron.NeutronClientPlugin, port)
    cloud_engine.use(images, glance.GlanceClientPlugin)
    cloud_engine.use(storage, cinder.CinderClientPlugin)
    cloud_engine.use(servers, nova.NovaClientPlugin, server)
    monkeypatch.setattr(
        nova.NovaClientPlugin, '_connect',
        lambda self, version=None: servers.of_version(version))
    network.log.clear()
    return World(engine=cloud_engine, network=network, compute=servers,
                 images=images, storage=storage)
