"""The plugin in the engine, and a Docker daemon."""
import pathlib
import sys

from oslo_config import cfg
import pytest

HERE = pathlib.Path(__file__).resolve().parent
# Not a package: what is named "tests" belongs to the service.
sys.path.insert(0, str(HERE))

import fake_daemon  # noqa: E402

from heat.engine.resources import plugin_loader  # noqa: E402
from tests.fakes import database  # noqa: E402
from tests.fakes import stack as fake_stack  # noqa: E402

TYPE = 'DockerInc::Docker::Container'


@pytest.fixture(scope='session')
def container_class():
    """The type, loaded as an engine loads those of plugin_dirs."""
    known = set(sys.modules)
    found = {}
    for module in plugin_loader.plugin_modules([str(HERE.parent)]):
        found.update(plugin_loader.resource_types(module))
    assert set(found) == {TYPE}
    yield found[TYPE]
    for name in set(sys.modules) - known:
        if name.startswith(plugin_loader.PLUGIN_PACKAGE):
            del sys.modules[name]


@pytest.fixture
def docker(container_class):
    """A daemon which is the one of the engine."""
    daemon = fake_daemon.Daemon()
    cfg.CONF.set_override('default_endpoint', daemon.url, 'heat_docker')
    yield daemon
    for name in ('default_endpoint', 'allowed_endpoints',
                 'allow_host_access'):
        cfg.CONF.clear_override(name, 'heat_docker')
    daemon.close()


@pytest.fixture
def stack_of(container_class, docker):
    """Return a function that makes a stack with a container."""
    database.emptied_sqlite()

    def make(**properties):
        return fake_stack.FakeStack({'box': {'type': TYPE, 'properties': {
            'image': 'cirros', **properties}}}, types={
                TYPE: container_class}, outputs={
                    name: {'value': {'get_attr': ['box', name]}}
                    for name in container_class.attributes_schema})

    return make
