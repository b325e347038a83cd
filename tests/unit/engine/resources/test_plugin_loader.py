import pathlib
import sys

from oslo_config import cfg
import pytest
from stevedore import extension

from heat.common import exception
from heat.engine import environment
from heat.engine import resources
from heat.engine.resources import plugin_loader
from heat.engine.tasks import scheduler
from tests.fakes import database
from tests.fakes import stack as fake_stack

PLUGINS = pathlib.Path(__file__).parents[3] / 'fakes' / 'plugins'
LAMP = {'type': 'Example::Lamp', 'properties': {'colour': 'red'}}


@pytest.fixture
def env(monkeypatch):
    """The environment of an engine with the sample in its plugin_dirs."""
    known = set(sys.modules)
    monkeypatch.setattr(environment, '_global_environment', None)
    cfg.CONF.set_override('plugin_dirs', [str(PLUGINS)])
    cfg.CONF.set_override('environment_dir', '/nonexistent')
    env = environment.Environment({}, user_env=False)
    resources.load(env)
    yield env
    cfg.CONF.clear_override('plugin_dirs')
    cfg.CONF.clear_override('environment_dir')
    for name in set(sys.modules) - known:
        if name.startswith(plugin_loader.PLUGIN_PACKAGE):
            del sys.modules[name]


@pytest.fixture
def lamps(env, tmp_path, monkeypatch):
    database.fresh_sqlite(tmp_path / 'heat.sqlite')
    fake_stack.Clock(monkeypatch)
    monkeypatch.setattr(environment, 'set_global_env', lambda env: None)
    monkeypatch.setattr(environment, '_global_environment', env)
    cls = env.get_class('Example::Lamp')
    cls.lamps.clear()
    return cls.lamps


def lamp_stack(**snippet):
    return fake_stack.FakeStack(
        {'lamp': {**LAMP, **snippet}},
        outputs={'o': {'value': {'get_attr': ['lamp', 'shines']}}})


def run(task, *args):
    scheduler.TaskRunner(task, *args)()


def test_plugin_dirs_add_types_and_constraints(env):
    assert env.get_class('Example::Lamp').__module__ == (
        'heat.engine.plugins.third_party')
    assert env.get_constraint('lamp.watts').__name__ == 'EvenWatts'
    with pytest.raises(exception.EntityNotFound):
        env.get_class('Example::Unavailable')


def test_packages_add_types(tmp_path, monkeypatch):
    (tmp_path / 'package_of_lamps.py').write_text(
        (PLUGINS / 'third_party.py').read_text())
    described = tmp_path / 'package_of_lamps-1.dist-info'
    described.mkdir()
    (described / 'METADATA').write_text(
        'Metadata-Version: 2.1\nName: package-of-lamps\nVersion: 1\n')
    (described / 'entry_points.txt').write_text(
        '[heat.resources]\nlamps = package_of_lamps\n'
        'broken = package_that_is_missing\n')
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(extension.ExtensionManager, 'ENTRY_POINT_CACHE', {})
    env = environment.Environment({}, user_env=False)
    resources.load(env)
    assert env.get_class('Example::Lamp').__module__ == 'package_of_lamps'
    assert env.get_constraint('lamp.watts').__name__ == 'EvenWatts'
    del sys.modules['package_of_lamps']


def test_builtin_types_are_there(env):
    for name in ('Value', 'RandomString', 'None', 'TestResource', 'Delay'):
        assert env.get_class('OS::Heat::' + name).type_name == (
            'OS::Heat::' + name)


def test_constraints_of_the_checkout_are_those_of_the_package(env):
    text = (PLUGINS.parents[2] / 'setup.cfg').read_text()
    section = text.split('heat.constraints =')[1].split('\n\n')[0]
    named = {line.split('=')[0].strip() for line in section.splitlines()
             if '=' in line}
    assert named == set(resources._OWN_CONSTRAINTS)


def test_life_of_a_third_party_resource(lamps):
    stack = lamp_stack()
    res = stack.stored('lamp')
    res.validate()
    run(res.create)
    assert [lamp['colour'] for lamp in lamps.values()] == ['red']
    assert res.FnGetRefId() == 'lamp:' + res.resource_id
    assert stack.row('lamp').attributes == {'shines': 'shining red'}
    run(res.update, stack.definition(
        'lamp', properties={'colour': 'green'}, metadata={'m': 1}))
    assert res.FnGetAtt('shines') == 'shining green'
    assert stack.row('lamp').attributes == {'shines': 'shining green'}
    assert stack.row('lamp').rsrc_metadata == {'m': 1}
    run(res.check)
    run(res.delete)
    assert lamps == {}


def test_failed_check_says_what_is_wrong(lamps):
    stack = lamp_stack()
    res = stack.stored('lamp')
    run(res.create)
    lamps.clear()
    with pytest.raises(exception.ResourceFailure,
                       match="'there': expected 'True', got 'False'"):
        run(res.check)


def test_constraint_of_a_plugin_is_checked(lamps):
    stack = lamp_stack(properties={'colour': 'red', 'watts': 41})
    with pytest.raises(exception.StackValidationFailed, match='odd') as bad:
        stack['lamp'].validate()
    assert bad.value.path == ['resources', 'lamp', 'properties', 'watts']


def test_unknown_property_is_named_with_its_path(lamps):
    stack = lamp_stack(properties={'colour': 'red', 'wats': 4})
    with pytest.raises(exception.StackValidationFailed) as bad:
        stack['lamp'].validate()
    assert bad.value.path == ['resources', 'lamp', 'properties', 'wats']
    assert 'watts' in str(bad.value)


def test_modules_that_are_no_plugins_are_left_out(tmp_path):
    (tmp_path / 'good.py').write_text('def resource_mapping():\n'
                                      '    return None\n')
    (tmp_path / 'odd.py').write_text('def resource_mapping():\n'
                                     '    return [1]\n')
    (tmp_path / 'setup.py').write_text('raise RuntimeError()\n')
    found = {module.__name__.rpartition('.')[2]: module for module in
             plugin_loader.plugin_modules([str(tmp_path)])}
    assert sorted(found) == ['good', 'odd']
    for module in found.values():
        assert list(plugin_loader.resource_types(module)) == []
        del sys.modules[module.__name__]


def test_broken_plugin_stops_the_engine(tmp_path):
    (tmp_path / 'broken.py').write_text('import does_not_exist\n')
    with pytest.raises(exception.Error) as caught:
        list(plugin_loader.plugin_modules([str(tmp_path)]))
    for expected in ('plugin_dirs', 'broken.py', 'does_not_exist'):
        assert expected in str(caught.value)


def test_types_are_known_again_after_they_were_forgotten():
    resources.initialise()
    environment.set_global_env(None)
    resources.initialise()
    assert 'OS::Nova::Server' in (
        environment.global_env().registered_classes())
