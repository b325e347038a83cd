"""Resources of former types go, and no new ones come."""
import logging
import pathlib
import sys

import pytest

from heat.common import exception
from heat.engine.resources import plugin_loader
from heat.engine.tasks import scheduler
from tests.fakes import database
from tests.fakes import stack as fake_stack

TYPE = 'Rackspace::Cloud::Server'
PLUGINS = pathlib.Path(__file__).resolve().parents[1]


@pytest.fixture
def stack(tmp_path, monkeypatch):
    """A stack with a server, loaded as an engine loads it."""
    known = set(sys.modules)
    fake_stack.Clock(monkeypatch)
    database.fresh_sqlite(tmp_path / 'heat.sqlite')
    types = {}
    for module in plugin_loader.plugin_modules([str(PLUGINS)]):
        types.update(plugin_loader.resource_types(module))
    yield fake_stack.FakeStack({'old': {'type': TYPE, 'properties': {
        'flavor': 'small', 'rackconnect': [1]}}}, types=types)
    for name in set(sys.modules) - known:
        if name.startswith(plugin_loader.PLUGIN_PACKAGE):
            del sys.modules[name]


def test_an_old_resource_can_be_deleted(stack, caplog):
    caplog.set_level(logging.WARNING)
    old = stack.stored('old')
    old.validate()
    old.state_set('CREATE', 'COMPLETE')
    old.resource_id_set('server-7')
    assert old.FnGetAtt('accessIPv4') is None
    scheduler.TaskRunner(old.delete)()
    assert old.state == ('DELETE', 'COMPLETE')
    assert 'server-7 stays in the cloud' in caplog.text


def test_a_new_one_cannot_be_created(stack):
    with pytest.raises(exception.ResourceFailure, match='not supported'):
        scheduler.TaskRunner(stack.stored('old').create)()
