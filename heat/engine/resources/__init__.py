"""The resource types, and the start-up that makes them known."""
import functools
import sys
import threading

from oslo_config import cfg
from oslo_log import log as logging
from stevedore import extension

from heat.common import cache
from heat.engine import clients
from heat.engine import constraints
from heat.engine import environment
from heat.engine.clients.os import barbican
from heat.engine.clients.os import blazar
from heat.engine.clients.os import cinder
from heat.engine.clients.os import designate
from heat.engine.clients.os import glance
from heat.engine.clients.os import ironic
from heat.engine.clients.os import magnum
from heat.engine.clients.os import manila
from heat.engine.clients.os import mistral
from heat.engine.clients.os import nova
from heat.engine.clients.os import octavia
from heat.engine.clients.os import openstacksdk
from heat.engine.clients.os import trove
from heat.engine.clients.os import zaqar
from heat.engine.clients.os.keystone import keystone_constraints
from heat.engine.clients.os.neutron import lbaas_constraints
from heat.engine.clients.os.neutron import neutron_constraints
from heat.engine.clients.os.neutron import taas_constraints
from heat.engine.constraint import common_constraints
from heat.engine.resources import plugin_loader

LOG = logging.getLogger(__name__)

#: The constraints of a checkout that is not installed: without metadata
#: its own entry points cannot be found.
_OWN_CONSTRAINTS = {
    'cron_expression': common_constraints.CRONExpressionConstraint,
    'dns_domain': common_constraints.DNSDomainConstraint,
    'dns_name': common_constraints.DNSNameConstraint,
    'expiration': common_constraints.ExpirationConstraint,
    'ip_addr': common_constraints.IPConstraint,
    'ip_or_cidr': common_constraints.IPCIDRConstraint,
    'iso_8601': common_constraints.ISO8601Constraint,
    'json_string': common_constraints.JsonStringConstraint,
    'mac_addr': common_constraints.MACConstraint,
    'net_cidr': common_constraints.CIDRConstraint,
    'nova.network': common_constraints.TestConstraintDelay,
    'rel_dns_name': common_constraints.RelativeDNSNameConstraint,
    'test_constr': common_constraints.TestConstraintDelay,
    'timezone': common_constraints.TimezoneConstraint,
    **barbican.CONSTRAINTS,
    **blazar.CONSTRAINTS,
    **cinder.CONSTRAINTS,
    **designate.CONSTRAINTS,
    **glance.CONSTRAINTS,
    **ironic.CONSTRAINTS,
    **keystone_constraints.CONSTRAINTS,
    **lbaas_constraints.CONSTRAINTS,
    **magnum.CONSTRAINTS,
    **manila.CONSTRAINTS,
    **mistral.CONSTRAINTS,
    **neutron_constraints.CONSTRAINTS,
    **nova.CONSTRAINTS,
    **octavia.CONSTRAINTS,
    **openstacksdk.CONSTRAINTS,
    **taas_constraints.CONSTRAINTS,
    **trove.CONSTRAINTS,
    **zaqar.CONSTRAINTS,
}

_lock = threading.Lock()


def global_env():
    """Return the environment below all others."""
    return environment.global_env()


def initialise():
    """Set the global environment, which is filled once."""
    with _lock:
        environment.set_global_env(_filled_environment())


@functools.cache
def _filled_environment():
    """Return a global environment, with everything of plugins."""
    clients.initialise()
    env = environment.Environment({}, user_env=False)
    load(env)
    _keep_validations()
    return env


def forget():
    """Have the next initialise() load everything anew."""
    _filled_environment.cache_clear()


def _keep_validations():
    """Let custom constraints remember what the cloud said, if configured."""
    group = cfg.CONF.constraint_validation_cache
    if group.caching:
        constraints.ValidationCache.configure(cache.get_cache_region(),
                                              group.expiration_time)


def load(env):
    """Register everything that plugins provide in an environment.

    Later registrations of the same name win: entry points over what is
    built in, plugin directories over both, the operator's files over all.
    """
    for name, constraint in _OWN_CONSTRAINTS.items():
        env.register_constraint(name, constraint)
    _load_entry_points('heat.constraints', env.register_constraint)
    _load_entry_points('heat.stack_lifecycle_plugins',
                       env.register_stack_lifecycle_plugin)
    for name, sink in zaqar.EVENT_SINKS.items():
        env.register_event_sink(name, sink)
    _load_entry_points('heat.event_sinks', env.register_event_sink)
    for module in plugin_loader.builtin_modules(sys.modules[__name__]):
        _register_module(env, module)
        # Bases that the language must know of hook themselves in.
        hook_in = getattr(module, 'register', None)
        if callable(hook_in):
            hook_in(env)
    _load_entry_points('heat.resources',
                       lambda _name, module: _register_module(env, module))
    for module in plugin_loader.plugin_modules(cfg.CONF.plugin_dirs):
        _register_module(env, module)
    environment.read_global_environment(env, cfg.CONF.environment_dir)


def _register_module(env, module):
    for type_name, resource_class in plugin_loader.resource_types(module):
        env.register_class(type_name, resource_class)
    for name, constraint in plugin_loader.constraint_types(module):
        env.register_constraint(name, constraint)


def _load_entry_points(namespace, register):
    manager = extension.ExtensionManager(
        namespace=namespace, invoke_on_load=False,
        on_load_failure_callback=_on_failure)
    for found in sorted(manager, key=lambda each: each.name):
        register(found.name, found.plugin)


def _on_failure(manager, entry_point, error):
    LOG.warning('Plugin %s could not be loaded: %s', entry_point, error)
