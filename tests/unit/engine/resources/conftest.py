"""Fixtures: an engine whose cloud services are in memory."""
import pytest

from heat.engine import clients
from heat.engine import environment
from heat.engine import resources
from heat.engine.resources import plugin_loader
from tests.fakes import rest_service
from tests.fakes import stacks


@pytest.fixture(params=['legacy', 'convergence'])
def cloud_engine(request, monkeypatch):
    """Return an engine that takes services and modules of types."""
    engine = stacks.Engine(
        monkeypatch, convergence=request.param == 'convergence')
    env = environment.global_env()
    for name, constraint in resources._OWN_CONSTRAINTS.items():
        env.register_constraint(name, constraint)

    def use(service, plugin, *modules):
        """Let a plugin hand out a service; register types of modules."""
        name = next(name for name, path in clients._OWN_PLUGINS.items()
                    if path.endswith('.' + plugin.__name__))
        monkeypatch.setitem(clients.plugins(), name, plugin)
        monkeypatch.setattr(plugin, '_connect', lambda self, **_kw: service)
        monkeypatch.setattr(plugin, 'does_endpoint_exist',
                            lambda *_a, **_kw: True)
        for module in modules:
            found = plugin_loader.resource_types(module)
            for name, cls in dict(found).items():
                env.register_class(name, cls)

    def use_rest(service, plugin, proxy, *modules):
        """Let a proxy of openstacksdk send its requests to a service."""
        connect = plugin._connect
        use(None, plugin, *modules)
        monkeypatch.setattr(plugin, '_connect', connect)
        monkeypatch.setattr(plugin, '_adapter', lambda self: proxy(
            rest_service.Session(service),
            service_type=plugin.service_types[0]))

    engine.use = use
    engine.use_rest = use_rest
    return engine
