"""Load the WSGI pipelines of the paste configuration."""
import logging as std_logging

from keystoneauth1 import loading

# Declares the options of [keystone_authtoken] when it is imported.
import keystonemiddleware.auth_token  # noqa: F401
from oslo_config import cfg
from oslo_log import log as logging
from paste import deploy
from paste.deploy import loadwsgi

from heat.api import composite
from heat.common import config
from heat.common import exception
from heat.common import identity_headers

LOG = logging.getLogger(__name__)

KEYSTONE = 'keystone_authtoken'
#: Settings in the filter's own section that do instead of the group, or
#: name where to look.
KEYSTONE_SETTINGS = frozenset((
    'auth_type', 'auth_plugin', 'auth_section', 'oslo_config_project',
    'oslo_config_file', 'oslo_config_config'))


def _found(name, conf):
    """Return (path of the paste configuration, name of the pipeline)."""
    if conf.paste_deploy.flavor:
        name = f'{name}-{conf.paste_deploy.flavor}'
    return config.find_paste_config(conf), name


def check(name, conf=cfg.CONF):
    """See that a pipeline is there and has what it needs.

    :raises Error: it is not, or it would ask a Keystone that is nowhere
        configured.
    """
    path, name = _found(name, conf)
    parser = loadwsgi.ConfigLoader(path).parser
    kinds = ('pipeline', 'composite', 'composit', 'app', 'application',
             'filter-app')
    if not any(parser.has_section(f'{kind}:{name}') for kind in kinds):
        raise exception.Error(
            f'There is no pipeline {name} in {path}; see the option flavor '
            'of [paste_deploy].')
    for each in _filters_of(parser, name, conf):
        section = f'filter:{each}'
        if parser.has_section(section) and parser.get(
                section, 'paste.filter_factory', fallback='').startswith(
                    'keystonemiddleware.'):
            _check_keystone(name, parser.options(section), conf)


def _filters_of(parser, name, conf):
    """Return the names of the filters that requests to a name go through.

    Not those of sections of other libraries: what these mean, they know.
    """
    if parser.has_section(f'pipeline:{name}'):
        return parser.get(f'pipeline:{name}', 'pipeline').split()[:-1]
    section = f'composite:{name}'
    if not parser.has_section(section):
        return []
    own = {key: value for key, value in parser.items(section)
           if key not in parser.defaults()}
    factory = own.pop('paste.composite_factory', '').strip()
    if factory == 'heat.api:pipeline_factory':
        try:
            return composite.flavor_of(own, conf)[:-1]
        except LookupError as error:
            raise exception.Error(f'[{section}]: {error}') from error
    if factory == 'heat.api:root_app_factory':
        return [each for path, inner in own.items() if path.startswith('/')
                for each in _filters_of(parser, inner.strip(), conf)]
    return []


def _check_keystone(name, settings, conf):
    """Raise Error unless it is configured how tokens are checked.

    The filter would start without, and answer each request with an error.
    """
    loading.register_auth_conf_options(conf, KEYSTONE)
    group = conf[KEYSTONE]
    if group.auth_type or group.auth_section or (
            KEYSTONE_SETTINGS.intersection(settings)):
        return
    raise exception.Error(
        f'The pipeline {name} has Keystone check tokens, but [{KEYSTONE}] '
        'auth_type is not configured. Say there how to reach Keystone; or '
        'choose a pipeline that does without it, by [paste_deploy] flavor: '
        'standalone, custombackend or noauth.')


def application(name, conf=cfg.CONF):
    """Return the WSGI application of a pipeline.

    :param name: heat-api or heat-api-cfn; the option flavor of
        [paste_deploy] is appended to it.
    :raises Error: the pipeline cannot be loaded.
    """
    check(name, conf)
    config.set_cors_defaults()
    path, name = _found(name, conf)
    try:
        app = deploy.loadapp(f'config:{path}', name=name)
    except (LookupError, ImportError, OSError) as error:
        raise exception.Error(
            f'Unable to load {name} from configuration file {path}: '
            f'{error}') from error
    if LOG.isEnabledFor(std_logging.DEBUG):
        conf.log_opt_values(LOG, std_logging.DEBUG)
    return identity_headers.RemoveIdentity(app)
