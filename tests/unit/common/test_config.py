"""Options: those of the facts, exactly, and the rules of reading them."""
import configparser
import json
import pathlib
import pkgutil

from keystoneauth1 import loading as ks_loading
from oslo_config import cfg
from oslo_db import options as db_options
import pytest

from heat.common import config
from heat.common import exception
from heat.common import opts_auth

ROOT = pathlib.Path(__file__).parents[3]
FACTS = json.loads((ROOT / 'tests/facts/config_options.json')
                   .read_text())['groups']

#: Options that the peer does not have.
OUR_OWN = {
    ('DEFAULT', 'change_set_immediate_resources'),
    ('DEFAULT', 'change_set_retention'),
    ('DEFAULT', 'convergence_scan_interval'),
    ('DEFAULT', 'convergence_max_inflight_per_stack'),
    ('DEFAULT', 'client_request_timeout'),
    ('DEFAULT', 'allowed_fetch_networks'),
    ('DEFAULT', 'list_unavailable_types'),
    ('DEFAULT', 'project_requests_at_once'),
    ('DEFAULT', 'api_reads_database'),
    ('noauth', 'allowed_hosts'),
}
#: Options that take more values than the peer's.
WIDER = {('DEFAULT', 'num_engine_workers'): {'min': 0}}
OUR_GROUPS = {'heat_api', 'heat_api_cfn', 'heat_api_cloudwatch', 'metrics',
              'engine_monitor', 'request_budget', 'cloudwatch', 'drift',
              'console'}


def declared():
    options = {}
    groups = list(config.all_opts()) + db_options.list_opts()
    for group, members in groups:
        for option in members:
            key = (group or 'DEFAULT', option.name.replace('-', '_'))
            options[key] = option
    return options


DECLARED = declared()
WANTED = {(group, name): facts
          for group, options in FACTS.items()
          for name, facts in options.items()
          if facts['namespace'].startswith('heat.')}


def test_the_options_are_those_of_the_facts():
    ours = {key for key in DECLARED if key[0] not in OUR_GROUPS} - OUR_OWN
    assert ours == set(WANTED)


def facts_of(option, group):
    """Return an option in the form of the facts."""
    found = {'default': option.default,
             'type': type_of(option)}
    for flag in ('required', 'secret', 'mutable', 'deprecated_for_removal'):
        if getattr(option, flag, False):
            found[flag] = True
    for bound in ('min', 'max'):
        value = getattr(option.type, bound, None)
        if value is not None and not isinstance(option, cfg.URIOpt):
            found[bound] = value
    choices = getattr(option.type, 'choices', None)
    if choices:
        found['choices'] = list(choices)
    names = {(each.group or group, (each.name or option.name)
              .replace('-', '_')) for each in option.deprecated_opts}
    if names:
        found['deprecated_names'] = names
    if option.deprecated_for_removal:
        found['deprecated_since'] = option.deprecated_since
    if option.sample_default is not None:
        found['sample_default'] = option.sample_default
    return found


def type_of(option):
    names = {cfg.BoolOpt: 'boolean value', cfg.IntOpt: 'integer value',
             cfg.FloatOpt: 'floating point value', cfg.URIOpt: 'uri value',
             cfg.ListOpt: 'list value'}
    return names.get(type(option), 'string value')


@pytest.mark.parametrize('key', sorted(WANTED), ids='.'.join)
def test_option_equals_the_facts(key):
    option, facts = DECLARED[key], dict(WANTED[key])
    for ignored in ('namespace', 'opt_class', 'dest'):
        facts.pop(ignored, None)
    facts.update(WIDER.get(key, {}))
    if 'deprecated_names' in facts:
        facts['deprecated_names'] = {
            (each['group'], each['name'])
            for each in facts['deprecated_names']}
    found = facts_of(option, key[0])
    if key == ('DEFAULT', 'host'):
        # The name of the machine.
        found['default'] = facts['default']
    if key[0] in ('trustee', 'ec2authtoken') and key[1] == 'auth_url':
        # Whoever loads the plugin requires it.
        facts.pop('required')
        found.pop('required', None)
    if key[0] == 'database':
        # They belong to the library, which may drop old names.
        found = {'default': found['default'], 'type': found['type']}
        facts = {'default': facts['default'], 'type': facts['type']}
    # That an option of ours can be changed while running is no difference.
    found['mutable'] = facts.get('mutable', False)
    facts.setdefault('mutable', False)
    assert found == facts


@pytest.mark.parametrize('key', sorted(DECLARED), ids='.'.join)
def test_option_is_explained(key):
    assert DECLARED[key].help


def test_registration_can_be_repeated():
    config.register_opts()
    assert cfg.CONF.convergence_scan_interval == 5
    assert cfg.CONF.convergence_max_inflight_per_stack == 64


def test_client_option_falls_back_to_all_clients(conf):
    conf.set('clients', endpoint_type='internal')
    assert config.get_client_option('nova', 'endpoint_type') == 'internal'
    assert config.get_client_option('nova', 'endpoint_type',
                                    fallback=False) is None
    conf.set(group='clients_nova', endpoint_type='admin')
    assert config.get_client_option('nova', 'endpoint_type') == 'admin'
    assert config.get_client_option('nova', 'url') is None
    assert config.get_client_option('unheard_of', 'endpoint_type') == (
        'internal')


def test_false_is_a_value_of_a_client_option(conf):
    conf.set('clients', insecure=True)
    conf.set(group='clients_nova', insecure=False)
    assert config.get_client_option('nova', 'insecure') is False


@pytest.mark.parametrize(('options', 'expected'), [
    ({}, {'verify': True, 'cert': None}),
    ({'insecure': True, 'ca_file': '/ca'}, {'verify': False, 'cert': None}),
    ({'ca_file': '/ca'}, {'verify': '/ca', 'cert': None}),
    ({'cert_file': '/c'}, {'verify': True, 'cert': '/c'}),
    ({'cert_file': '/c', 'key_file': '/k'},
     {'verify': True, 'cert': ('/c', '/k')}),
])
def test_ssl_options(conf, options, expected):
    conf.set(group='clients_keystone', **options)
    assert config.get_ssl_options('keystone') == expected


def test_sanity_check_wants_the_domain_admin(conf):
    conf.set(stack_user_domain_name='heat', auth_encryption_key='k' * 32)
    with pytest.raises(exception.Error, match='stack_domain_admin'):
        config.startup_sanity_check()
    conf.set(stack_domain_admin='admin', stack_domain_admin_password='p')
    config.startup_sanity_check()


def test_sanity_check_refuses_the_key_everybody_knows(conf):
    with pytest.raises(exception.Error, match='auth_encryption_key'):
        config.startup_sanity_check()


def test_sanity_check_wants_a_whole_key(conf):
    conf.set(auth_encryption_key='short')
    with pytest.raises(exception.Error, match='5 characters'):
        config.startup_sanity_check()


@pytest.mark.parametrize('length', [16, 24])
def test_sanity_check_takes_the_key_of_an_old_cloud(conf, caplog, length):
    conf.set(auth_encryption_key='k' * length)
    config.startup_sanity_check()
    assert f'auth_encryption_key has {length} characters' in caplog.text


def test_paste_configuration_is_found_in_a_checkout(conf):
    assert pathlib.Path(config.find_paste_config()).name == 'api-paste.ini'


def test_missing_paste_configuration_is_named(conf):
    conf.set(group='paste_deploy', api_paste_config='no-such.ini')
    with pytest.raises(exception.Error, match='no-such.ini'):
        config.find_paste_config()


def generator_functions():
    """Return {namespace: function} of what oslo-config-generator finds."""
    setup = configparser.ConfigParser(interpolation=None)
    setup.read(ROOT / 'setup.cfg')
    lines = setup['options.entry_points']['oslo.config.opts'].split('\n')
    pairs = (line.split(' = ') for line in lines if line)
    return {name: pkgutil.resolve_name(where) for name, where in pairs}


def test_the_generator_finds_the_namespaces_of_the_facts():
    wanted = {facts['namespace'] for facts in WANTED.values()}
    assert set(generator_functions()) == wanted


@pytest.mark.parametrize('namespace', sorted(generator_functions()))
def test_a_namespace_has_the_options_of_the_facts(namespace):
    found = {(group or 'DEFAULT', option.name.replace('-', '_'))
             for group, options in generator_functions()[namespace]()
             for option in options if group not in OUR_GROUPS}
    assert found - OUR_OWN == {
        key for key, facts in WANTED.items()
        if facts['namespace'] == namespace and key in DECLARED
        and key[0] != 'database'}


def test_the_sample_has_every_namespace():
    text = (ROOT / 'etc/heat/heat-config-generator.conf').read_text()
    for namespace in generator_functions():
        assert f'namespace = {namespace}\n' in text


@pytest.mark.parametrize('plugin', ['password', 'v3password'])
@pytest.mark.parametrize('group', ['trustee', 'ec2authtoken'])
def test_accounts_may_use_any_plugin(tmp_path, group, plugin):
    path = tmp_path / 'heat.conf'
    path.write_text(f'[{group}]\nauth_type = {plugin}\n'
                    'auth_url = http://keystone\nusername = heat\n'
                    'user_domain_name = Default\npassword = secret\n')
    conf = cfg.ConfigOpts()
    config.register_opts(conf)
    conf(['--config-file', str(path)], project='heat')
    opts_auth.register(group, conf)
    auth = ks_loading.load_auth_from_conf_options(conf, group)
    assert auth.auth_url == 'http://keystone'


def test_a_value_looked_up_while_files_are_read_anew_is_not_kept(
        tmp_path, monkeypatch):
    conf = cfg.ConfigOpts()
    config.register_opts(conf)
    path = tmp_path / 'heat.conf'
    path.write_text('[DEFAULT]\nmax_stacks_per_tenant = 7\n')
    conf(args=['--config-file', str(path)], project='heat')
    assert conf.max_stacks_per_tenant == 7
    read_files = conf._reload_config_files

    def looked_up_by_another_thread():
        assert conf.max_stacks_per_tenant == 7
        return read_files()

    monkeypatch.setattr(conf, '_reload_config_files',
                        looked_up_by_another_thread)
    path.write_text('[DEFAULT]\nmax_stacks_per_tenant = 8\n')
    conf.mutate_config_files()
    assert conf.max_stacks_per_tenant == 8


def test_an_option_of_a_library_is_read_once_from_the_files(tmp_path):
    option = cfg.StrOpt('www_authenticate_uri')
    path = tmp_path / 'heat.conf'
    path.write_text('[keystone_authtoken]\n'
                    'www_authenticate_uri = http://k\n')
    conf = cfg.ConfigOpts()
    conf(args=['--config-file', str(path)], project='heat')
    assert config.of_library(conf, 'keystone_authtoken', option) == 'http://k'
    path.unlink()
    assert config.of_library(conf, 'keystone_authtoken', option) == 'http://k'
    conf.register_opt(cfg.StrOpt('www_authenticate_uri', default='http://l'),
                      group='keystone_authtoken')
    conf.set_override('www_authenticate_uri', 'http://m',
                      group='keystone_authtoken')
    assert config.of_library(conf, 'keystone_authtoken', option) == 'http://m'
