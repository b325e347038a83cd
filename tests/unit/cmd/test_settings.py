"""What the embedded mode fills in where nothing is configured."""
from oslo_config import cfg
import pytest

from heat.cmd import settings
from heat.common import config  # noqa: F401 (registers options)
from heat.common import opts_auth
from heat.db import session

CHANGED = (('auth_encryption_key', None), ('flavor', 'paste_deploy'),
           ('keystone_backend', None),
           ('default_software_config_transport', None),
           ('default_deployment_signal_transport', None),
           ('url', 'clients_heat'), ('heat_metadata_server_url', None),
           ('heat_waitcondition_server_url', None),
           ('enable_stack_abandon', None), ('enable_stack_adopt', None),
           ('list_unavailable_types', None), ('connection', 'database'))


@pytest.fixture
def conf(tmp_path, monkeypatch):
    session.register_options(cfg.CONF)
    monkeypatch.setattr(settings, 'state_directory', lambda _conf: tmp_path)
    monkeypatch.setattr(settings, 'embedded_database', lambda _conf: None)
    yield cfg.CONF
    for name, group in CHANGED:
        cfg.CONF.clear_default(name, group)
    cfg.CONF.clear_override('bind_host', 'heat_api')
    cfg.CONF.clear_override('keystone_backend')


@pytest.fixture
def command(tmp_path):
    """Return the options of a command beside a state directory."""
    own = cfg.ConfigOpts()
    own.register_opts([*settings.CLI_OPTIONS, *opts_auth.crypt_opts])
    own.set_override('state_path', str(tmp_path))
    return own


def test_users_are_kept_in_the_stacks(conf):
    conf.set_override('bind_host', '::1', 'heat_api')
    settings.embedded_defaults(conf)
    assert conf.keystone_backend == settings.LOCAL_KEYSTONE
    assert conf.default_software_config_transport == 'POLL_SERVER_HEAT'
    assert conf.default_deployment_signal_transport == 'HEAT_SIGNAL'
    assert conf.clients_heat.url == 'http://[::1]:8004/v1/%(tenant_id)s'
    assert conf.heat_waitcondition_server_url == (
        'http://[::1]:8000/v1/waitcondition')


def test_export_abandon_and_adopt_are_allowed(conf):
    assert not conf.enable_stack_abandon
    assert not conf.enable_stack_adopt
    settings.embedded_defaults(conf)
    assert conf.enable_stack_abandon
    assert conf.enable_stack_adopt
    assert conf.list_unavailable_types


def test_what_the_operator_forbids_stays_forbidden(conf):
    conf.set_override('enable_stack_abandon', False)
    settings.embedded_defaults(conf)
    assert not conf.enable_stack_abandon
    conf.clear_override('enable_stack_abandon')


def test_configured_values_win(conf):
    conf.set_override('keystone_backend', 'another.Client')
    settings.embedded_defaults(conf)
    assert conf.keystone_backend == 'another.Client'


def test_key_is_made_once(conf):
    settings.embedded_defaults(conf)
    key = conf.auth_encryption_key
    assert len(key) == settings.KEY_LENGTH
    settings.embedded_defaults(conf)
    assert conf.auth_encryption_key == key


def test_commands_take_the_key_of_the_state_directory(command, tmp_path):
    settings.embedded_key(command)
    assert command.auth_encryption_key == opts_auth.PUBLISHED_KEY
    (tmp_path / settings.KEY_FILE).write_text('k' * 32 + '\n')
    settings.embedded_key(command)
    assert command.auth_encryption_key == 'k' * 32


def test_commands_keep_the_key_that_is_configured(command, tmp_path):
    command.set_override('auth_encryption_key', 'c' * 32)
    (tmp_path / settings.KEY_FILE).write_text('k' * 32 + '\n')
    settings.embedded_key(command)
    assert command.auth_encryption_key == 'c' * 32
