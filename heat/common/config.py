"""Registration of options, and reading those that need a rule.

The options themselves are declared in the opts_* modules. Pure modules
receive values; only the edges read configuration.
"""
import functools
import os
import sys

from oslo_config import cfg
from oslo_log import log as logging
from oslo_middleware import cors
from oslo_policy import opts as policy_opts

from heat import version
from heat.common import exception
from heat.common import opts_auth
from heat.common import opts_engine
from heat.common import opts_service
from heat.common import request_budget
from heat.common.i18n import _

LOG = logging.getLogger(__name__)

# Only APIs have that filter.

POLICY_FILE = 'policy.yaml'
_PASTE_CONFIG = 'api-paste.ini'


def _all_groups():
    """Yield (namespace, group, options) of everything that is ours."""
    yield from _own_groups()
    yield ('heat.common.context', opts_auth.TRUSTEE_GROUP,
           opts_auth.trustee_opts())
    yield ('heat.api.aws.ec2token', opts_auth.EC2_GROUP,
           opts_auth.ec2token_opts())


def _own_groups():
    """Yield (namespace, group, options) of what is known from the start."""
    namespace = 'heat.common.config'
    for options in (opts_engine.service_opts, opts_engine.stack_opts,
                    opts_engine.limit_opts, opts_engine.server_opts,
                    opts_auth.auth_opts):
        yield namespace, None, options
    yield namespace, 'auth_password', opts_auth.auth_password_opts
    yield namespace, 'noauth', opts_auth.noauth_opts
    yield namespace, 'paste_deploy', opts_service.paste_deploy_opts
    yield namespace, 'revision', opts_service.revision_opts
    yield namespace, 'volumes', opts_engine.volumes_opts
    yield namespace, 'request_budget', opts_engine.request_budget_opts
    yield namespace, 'heat_api', opts_service.api_opts
    yield namespace, 'heat_api_cfn', opts_service.api_cfn_opts
    yield namespace, 'heat_api_cloudwatch', opts_service.api_cloudwatch_opts
    yield namespace, 'cloudwatch', opts_engine.cloudwatch_opts
    yield namespace, 'drift', opts_engine.drift_opts
    yield namespace, 'metrics', opts_service.metrics_opts
    yield namespace, 'console', opts_service.console_opts
    yield namespace, 'engine_monitor', opts_service.engine_monitor_opts
    yield namespace, 'clients', opts_service.clients_opts
    for group, options in opts_service.client_groups():
        yield namespace, group, options
    for group, options in opts_service.cache_groups:
        yield 'heat.common.cache', group, options
    yield 'heat.common.crypt', None, opts_auth.crypt_opts
    yield 'heat.common.wsgi', None, opts_service.wsgi_opts
    yield 'heat.engine.clients', None, opts_engine.engine_clients_opts
    yield ('heat.engine.clients.os.keystone.heat_keystoneclient', None,
           opts_engine.keystone_client_opts)
    yield 'heat.engine.hot.functions', 'yaql', opts_engine.yaql_opts
    yield 'heat.engine.notification', None, opts_engine.notification_opts
    yield 'heat.engine.resources', None, opts_engine.resources_opts


def all_opts():
    """Yield (group, options) of every option of ours."""
    for _namespace, group, options in _all_groups():
        yield group, options


def _opts_of(wanted):
    return [(group, options) for namespace, group, options in _all_groups()
            if namespace == wanted]


def list_opts():
    """Yield (group, options) of the namespace heat.common.config."""
    yield from _opts_of('heat.common.config')


#: For oslo-config-generator: a function for each other namespace that
#: operators name in its configuration; setup.cfg refers to them.
list_cache_opts = functools.partial(_opts_of, 'heat.common.cache')
list_context_opts = functools.partial(_opts_of, 'heat.common.context')
list_crypt_opts = functools.partial(_opts_of, 'heat.common.crypt')
list_wsgi_opts = functools.partial(_opts_of, 'heat.common.wsgi')
list_ec2token_opts = functools.partial(_opts_of, 'heat.api.aws.ec2token')
list_clients_opts = functools.partial(_opts_of, 'heat.engine.clients')
list_keystoneclient_opts = functools.partial(
    _opts_of, 'heat.engine.clients.os.keystone.heat_keystoneclient')
list_functions_opts = functools.partial(
    _opts_of, 'heat.engine.hot.functions')
list_notification_opts = functools.partial(
    _opts_of, 'heat.engine.notification')
list_resources_opts = functools.partial(_opts_of, 'heat.engine.resources')


def register_opts(conf=cfg.CONF):
    """Make all our options known to conf; a second call does nothing."""
    for _namespace, group, options in _own_groups():
        conf.register_opts(options, group=group)
    try:
        logging.register_options(conf)
    except cfg.ArgsAlreadyParsedError:
        # Some are options of the command line, which has been read, with
        # these options known from the first call.
        LOG.debug('The options of logging are registered already')
    conf.register_mutate_hook(_forget_what_was_read)
    if conf is cfg.CONF:
        request_budget.configure(OptionLimits(conf))


class OptionLimits:
    """The limits of requests that the options set, read at each use."""

    def __init__(self, conf):
        self._conf = conf
        # Looking up a group takes longer than looking up an option.
        self._budget = conf.request_budget
        self._yaql = conf.yaql

    @property
    def cpu_seconds(self):
        return self._budget.cpu_seconds

    @property
    def output_size(self):
        return self._budget.output_size

    @property
    def yaml_nodes(self):
        return self._budget.yaml_nodes

    @property
    def nested_definitions(self):
        return self._budget.nested_definitions

    @property
    def template_length(self):
        return self._conf.max_template_size

    @property
    def yaql_iterators(self):
        return self._yaql.limit_iterators

    @property
    def yaql_memory(self):
        return self._yaql.memory_quota


def _forget_what_was_read(conf, _changed):
    """Have the options looked up anew when their files were read anew.

    The library forgets the values that it has looked up before it reads the
    files, not after: what another thread looks up meanwhile is the old value
    and would be kept for good. Registering an option, known or not, makes it
    forget them, too.
    """
    conf.register_opt(opts_engine.limit_opts[0])


def set_config_defaults():
    """Set the defaults that we want for options of libraries."""
    set_policy_defaults()
    set_cors_defaults()


def set_policy_defaults():
    """Set the defaults of the library that knows policies."""
    policy_opts.set_defaults(cfg.CONF, POLICY_FILE)


def set_cors_defaults():
    """Set the defaults of the filter that APIs have for other origins."""
    cors.set_defaults(
        allow_headers=['X-Auth-Token', 'X-Identity-Status', 'X-Roles',
                       'X-Service-Catalog', 'X-User-Id', 'X-Tenant-Id',
                       'X-OpenStack-Request-ID'],
        expose_headers=['X-Auth-Token', 'X-Subject-Token',
                        'X-Service-Token', 'X-OpenStack-Request-ID'],
        allow_methods=['GET', 'PUT', 'POST', 'DELETE', 'PATCH'])


def parse_args(args, prog, conf=cfg.CONF, **kwargs):
    """Read the command line and the configuration files of a command."""
    logging.set_defaults(
        default_log_levels=logging.get_default_log_levels() + [
            'oslo_messaging._drivers.impl_rabbit=WARN',
            'oslo_policy=WARN'])
    conf(args=args, project='heat', prog=prog,
         version=version.version_info.version_string(), **kwargs)


def startup_sanity_check(conf=cfg.CONF):
    """Refuse to start with options that cannot work together."""
    if not conf.stack_user_domain_id and not conf.stack_user_domain_name:
        LOG.warning('Neither stack_user_domain_id nor '
                    'stack_user_domain_name is set: resources that need '
                    'users of their own fall back to the project of the '
                    'stack')
    elif not (conf.stack_domain_admin and conf.stack_domain_admin_password):
        raise exception.Error(
            _('The options stack_domain_admin and '
              'stack_domain_admin_password are needed when the stack user '
              'domain is set. See the installation guide.'))
    check_encryption_key(conf)


def check_encryption_key(conf=cfg.CONF):
    """Raise Error if the encryption key is published, or its length wrong."""
    if conf.auth_encryption_key == opts_auth.PUBLISHED_KEY:
        raise exception.Error(
            _('The option auth_encryption_key is not configured. Anybody '
              'can read the default; choose 32 characters at random, for '
              'instance by "openssl rand -hex 16", the same for all '
              'engines.'))
    length = len(conf.auth_encryption_key)
    if length in opts_auth.SHORT_KEYS:
        LOG.warning('auth_encryption_key has %d characters; change to one '
                    'of 32, see heat-manage update_params', length)
    elif length != 32:
        raise exception.Error(
            _('The option auth_encryption_key has %d characters, but must '
              'have 32.') % length)


def of_library(conf, group, option):
    """Return an option of a library, whether it is loaded or not.

    The library declares its options itself, and is large: until it does,
    they are read from the configuration files.

    :param option: the option, as the library declares it.
    """
    try:
        return getattr(conf[group], option.dest)
    except cfg.NoSuchOptError:
        return _read_from(tuple(getattr(conf, 'config_file', None) or ()),
                          tuple(getattr(conf, 'config_dir', None) or ()),
                          group, option)


@functools.lru_cache(maxsize=64)
def _read_from(files, directories, group, option):
    conf = cfg.ConfigOpts()
    conf.register_opt(option, group=group)
    conf(args=[], project='heat', default_config_files=list(files),
         default_config_dirs=list(directories))
    return getattr(conf[group], option.dest)


def get_client_option(client, option, fallback=True, conf=cfg.CONF):
    """Return an option of a client, else the one of all clients.

    :param fallback: whether an unset option takes the value of the group
                     [clients].
    """
    groups = ['clients_' + client] + (['clients'] if fallback else [])
    for name in groups:
        # A client of a plugin need not have a group of its own.
        group = getattr(conf, name, None)
        value = getattr(group, option, None)
        if value is not None:
            return value
    return None


def get_ssl_options(client):
    """Return the TLS arguments of a requests or keystoneauth session."""
    option = functools.partial(get_client_option, client)
    verify = not option('insecure')
    if verify and option('ca_file'):
        verify = option('ca_file')
    cert = option('cert_file')
    if cert and option('key_file'):
        cert = (cert, option('key_file'))
    return {'verify': verify, 'cert': cert}


def find_paste_config(conf=cfg.CONF):
    """Return the absolute path of the paste configuration.

    Looked up beside the configuration files. One that the operator has
    named must be there; otherwise that in etc/heat of the checkout, or of
    the environment that we are installed in, is used.
    """
    name = conf.paste_deploy.api_paste_config
    found = conf.find_file(name)
    location = conf.get_location('api_paste_config', 'paste_deploy')
    if found is None and (name != _PASTE_CONFIG
                          or location.location.is_user_controlled):
        raise exception.Error(
            _('The paste configuration %s was not found; see '
              '[paste_deploy] api_paste_config.') % name)
    checkout = os.path.dirname(os.path.dirname(os.path.dirname(
        os.path.abspath(__file__))))
    for root in (checkout, sys.prefix):
        nearby = os.path.join(root, 'etc', 'heat', os.path.basename(name))
        if found is None and os.path.exists(nearby):
            found = nearby
    if found is None:
        raise exception.Error(
            _('The paste configuration %s was not found; set '
              '[paste_deploy] api_paste_config.') % name)
    return os.path.abspath(found)


register_opts()
