"""Clients of cloud services, made by plugins of the group heat.clients."""
import weakref

from oslo_config import cfg
from oslo_log import log as logging
from oslo_utils import importutils
from stevedore import enabled

from heat.common import config
from heat.common import context as heat_context

LOG = logging.getLogger(__name__)

NAMESPACE = 'heat.clients'

#: The plugins of a checkout that is not installed: without metadata its
#: own entry points cannot be found.
_OWN_PLUGINS = {
    'aodh': 'heat.engine.clients.os.aodh.AodhClientPlugin',
    'barbican': 'heat.engine.clients.os.barbican.BarbicanClientPlugin',
    'blazar': 'heat.engine.clients.os.blazar.BlazarClientPlugin',
    'cinder': 'heat.engine.clients.os.cinder.CinderClientPlugin',
    'designate': 'heat.engine.clients.os.designate.DesignateClientPlugin',
    'glance': 'heat.engine.clients.os.glance.GlanceClientPlugin',
    'heat': 'heat.engine.clients.os.heat_plugin.HeatClientPlugin',
    'ironic': 'heat.engine.clients.os.ironic.IronicClientPlugin',
    'keystone': 'heat.engine.clients.os.keystone.KeystoneClientPlugin',
    'magnum': 'heat.engine.clients.os.magnum.MagnumClientPlugin',
    'manila': 'heat.engine.clients.os.manila.ManilaClientPlugin',
    'mistral': 'heat.engine.clients.os.mistral.MistralClientPlugin',
    'neutron': 'heat.engine.clients.os.neutron.NeutronClientPlugin',
    'nova': 'heat.engine.clients.os.nova.NovaClientPlugin',
    'octavia': 'heat.engine.clients.os.octavia.OctaviaClientPlugin',
    'openstack': 'heat.engine.clients.os.openstacksdk.OpenStackSDKPlugin',
    'swift': 'heat.engine.clients.os.swift.SwiftClientPlugin',
    'trove': 'heat.engine.clients.os.trove.TroveClientPlugin',
    'zaqar': 'heat.engine.clients.os.zaqar.ZaqarClientPlugin',
    'zun': 'heat.engine.clients.os.zun.ZunClientPlugin',
}

#: What the option cloud_backend names unless told otherwise.
DEFAULT_BACKEND = 'heat.engine.clients.OpenStackClients'

_plugins = None


class OpenStackClients:
    """The client plugins of one request context, made as needed."""

    def __init__(self, context):
        self._context = weakref.ref(context)
        self._client_plugins = {}

    @property
    def context(self):
        """The request context."""
        context = self._context()
        assert context is not None, 'Need a reference to the context'
        return context

    def client_plugin(self, name):
        """Return the plugin of a name, None if there is none.

        Without a Keystone (noauth, embedded) there is no cloud either.
        """
        if name not in self._client_plugins:
            plugins = _plugins or {}
            if name not in plugins or (
                    getattr(plugins[name], 'needs_cloud', False) and
                    not self.context.knows_keystone):
                return None
            # Whoever is second takes the first one's.
            self._client_plugins.setdefault(name,
                                            plugins[name](self.context))
        return self._client_plugins[name]

    def client(self, name, version=None):
        """Return the client of a name, None if there is none.

        It is of the service's own client library, as plugins expect.
        """
        plugin = self._known_plugin(name)
        if plugin is None or version is None:
            return plugin and plugin.client()
        return plugin.client(version=version)

    def sdk(self, name, version=None):
        """Return the client that the engine's own types use.

        It is the proxy of openstacksdk for services that have one.
        """
        plugin = self._known_plugin(name)
        return plugin and plugin.sdk(version)

    def _known_plugin(self, name):
        plugin = self.client_plugin(name)
        if plugin is None:
            LOG.warning('There is no client "%s"', name)
        return plugin

    def reconnect(self):
        """Have clients made anew; the context acts as another one now."""
        for plugin in self._client_plugins.values():
            plugin.reconnect()


def has_client(name):
    """Return whether there is a client plugin of a name."""
    return _plugins is not None and name in _plugins


def make_clients(context):
    """Return the holder of clients that the configuration names."""
    backend = cfg.CONF.cloud_backend
    if backend == DEFAULT_BACKEND:
        return OpenStackClients(context)
    return importutils.import_class(backend)(context)


def _is_available(extension):
    judge = getattr(extension.plugin, 'is_available', None)
    return judge is None or bool(judge())


def _on_failure(manager, entry_point, error):
    LOG.warning('Client plugin %s could not be loaded: %s', entry_point,
                error)


def initialise():
    """Load the client plugins, once; contexts get clients from then on."""
    global _plugins
    config.register_opts(cfg.CONF)
    heat_context.register_clients_factory(make_clients)
    if _plugins is None:
        manager = enabled.EnabledExtensionManager(
            namespace=NAMESPACE, check_func=_is_available,
            invoke_on_load=False, on_load_failure_callback=_on_failure)
        _plugins = {name: importutils.import_class(path)
                    for name, path in _OWN_PLUGINS.items()}
        _plugins.update((extension.name, extension.plugin)
                        for extension in manager)
