"""Clients of cloud services, made by plugins of the group heat.clients."""
import functools
import weakref

from oslo_config import cfg
from oslo_log import log as logging
from oslo_utils import importutils
from stevedore import enabled

from heat.common import config
from heat.common import reading

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


class OpenStackClients:
    """The client plugins of one request context, made as needed."""

    def __init__(self, context):
        self._context = weakref.ref(context)
        self._client_plugins = {}
        #: What was looked up before it was needed, see lookahead.
        self.asked = set()

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
            known = plugins()
            if name not in known or (
                    getattr(known[name], 'needs_cloud', False) and
                    not self.context.knows_keystone):
                return None
            # Whoever is second takes the first one's.
            self._client_plugins.setdefault(name,
                                            known[name](self.context))
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
        reading.require_engine()
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
    return name in plugins()


def _is_available(extension):
    judge = getattr(extension.plugin, 'is_available', None)
    return judge is None or bool(judge())


def _on_failure(manager, entry_point, error):
    LOG.warning('Client plugin %s could not be loaded: %s', entry_point,
                error)


@functools.cache
def plugins():
    """Return the client plugins {name: class}, loaded once."""
    config.register_opts(cfg.CONF)
    manager = enabled.EnabledExtensionManager(
        namespace=NAMESPACE, check_func=_is_available,
        invoke_on_load=False, on_load_failure_callback=_on_failure)
    found = {name: importutils.import_class(path)
             for name, path in _OWN_PLUGINS.items()}
    found.update((extension.name, extension.plugin) for extension in manager)
    return found


def initialise():
    """Load the client plugins, at the start of an engine."""
    plugins()
