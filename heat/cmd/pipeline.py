"""Load the WSGI pipelines of the paste configuration."""
import dataclasses
import logging as std_logging
from typing import Any

from keystoneauth1 import loading

# Declares the options of [keystone_authtoken] when it is imported.
import keystonemiddleware.auth_token  # noqa: F401
from oslo_config import cfg
from oslo_log import log as logging
from oslo_middleware import http_proxy_to_wsgi
from paste.deploy import loadwsgi

from heat.api import composite
from heat.common import config
from heat.common import endpoint_utils
from heat.common import exception
from heat.common import identity_headers
from heat.console import front
from heat.console import session

LOG = logging.getLogger(__name__)

#: The pipeline of the REST API, which the console is served with.
REST = 'heat-api'
KEYSTONE = 'keystone_authtoken'
#: Settings in the filter's own section that do instead of the group, or
#: name where to look.
KEYSTONE_SETTINGS = frozenset((
    'auth_type', 'auth_plugin', 'auth_section', 'oslo_config_project',
    'oslo_config_file', 'oslo_config_config'))

_FACTORY = 'paste.filter_factory'
#: {factory: replacement} of filters that earlier releases configure and that
#: oslo.middleware no longer has.
_FORMER_FACTORIES = {
    **dict.fromkeys(('oslo_middleware:Healthcheck.factory',
                     'oslo_middleware.healthcheck:Healthcheck.factory'),
                    'heat.api.middleware.healthcheck:filter_factory'),
    **dict.fromkeys(('oslo_middleware:SSLMiddleware.factory',
                     'oslo_middleware.ssl:SSLMiddleware.factory'),
                    'oslo_middleware:HTTPProxyToWSGI.factory'),
}

#: The kinds of sections that serve requests.
_APPLICATIONS = ('pipeline', 'composite', 'composit', 'app', 'application',
                 'filter-app')
#: Settings that name what to load.
_LOADED = frozenset((
    'use', 'pipeline', 'next', 'filter-with', 'paste.app_factory',
    'paste.filter_factory', 'paste.filter_app_factory',
    'paste.composite_factory', 'heat.app_factory', 'heat.filter_factory'))


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
    if _section_of(parser, name, _APPLICATIONS) is None:
        raise exception.Error(
            f'There is no pipeline {name} in {path}; see the option flavor '
            'of [paste_deploy].')
    for each in _filters_of(_Paste(path, parser, conf), name):
        section = f'filter:{each}'
        if parser.has_section(section) and parser.get(
                section, _FACTORY, fallback='').startswith(
                    'keystonemiddleware.'):
            _check_keystone(name, parser.options(section), conf)


def _section_of(parser, name, kinds):
    """Return the section of a name, None if there is none."""
    return next((section for section in (f'{kind}:{name}' for kind in kinds)
                 if parser.has_section(section)), None)


@dataclasses.dataclass(frozen=True, slots=True)
class _Paste:
    """A paste configuration, and the options that choose in it."""

    path: str
    parser: Any
    conf: Any

    def own(self, section):
        """Return the settings of a section that are not defaults."""
        defaults = self.parser.defaults()
        return {key: value
                for key, value in self.parser.items(section)
                if key not in defaults}

    def error(self, section, text):
        """Return the error of a section."""
        return exception.Error(f'[{section}] in {self.path} {text}')

    def require_values(self, section):
        """Raise Error if a setting that names what to load is empty."""
        for key, value in self.own(section).items():
            if not value.strip() and (key in _LOADED or key.startswith('/')):
                raise self.error(section, f'has nothing at "{key}"')


def _filters_of(paste, name, above=()):
    """Return the names of the filters that requests to a name go through.

    Not those of sections of other libraries: what these mean, they know.

    :param above: the sections that lead to the name
    :raises Error: a section lacks an entry, or leads to itself
    """
    section = _section_of(paste.parser, name, _APPLICATIONS)
    if section is None:
        return []
    if section in above:
        raise paste.error(section, 'leads to itself')
    paste.require_values(section)
    filters, applications = _parts_of(paste, section)
    for each in filters:
        if paste.parser.has_section(f'filter:{each}'):
            paste.require_values(f'filter:{each}')
    return filters + [
        each for inner in applications
        for each in _filters_of(paste, inner, (*above, section))]


def _parts_of(paste, section):
    """Return the filters and the applications that a section names."""
    own = paste.own(section)
    if section.startswith('pipeline:'):
        *filters, inner = own.get('pipeline', '').split() or [None]
        if inner is None:
            raise paste.error(section, 'names no pipeline')
        return filters, [inner]
    factory = own.pop('paste.composite_factory', '').strip()
    if factory == 'heat.api:pipeline_factory':
        try:
            *filters, inner = composite.flavor_of(own, paste.conf)
        except LookupError as error:
            raise exception.Error(f'[{section}]: {error}') from error
        return filters, [inner]
    if factory == 'heat.api:root_app_factory':
        inner = [each.strip() for path, each in own.items()
                 if path.startswith('/')]
        if not inner:
            raise paste.error(section, 'names no application for any path')
        return [], inner
    return [], []


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


def _with_console(app, conf):
    """Return an API with the console in front of it.

    :raises Error: nobody can log in: neither does the API without
        credentials, nor does it take tokens of a Keystone.
    """
    if conf.paste_deploy.flavor == 'noauth':
        return front.Console(app, None)
    if conf.paste_deploy.flavor or not endpoint_utils.is_configured(conf):
        raise exception.Error(
            'The console needs the pipeline heat-api-noauth, or heat-api '
            'with an option that names Keystone ([keystone_authtoken] '
            'www_authenticate_uri). Turn [console] enabled off otherwise.')
    # TLS may end at a proxy. Then the cookie is one for TLS only, too.
    return http_proxy_to_wsgi.HTTPProxyToWSGI(front.Console(
        app, session.Sessions(conf.console.session_idle_time)), conf)


def _loaded(path, name):
    """Load an application; use replacements for filters that are gone."""
    loader = loadwsgi.ConfigLoader(path)
    for section in loader.parser.sections():
        factory = loader.parser.get(section, _FACTORY, raw=True, fallback='')
        if factory.strip() in _FORMER_FACTORIES:
            loader.parser.set(section, _FACTORY,
                              _FORMER_FACTORIES[factory.strip()])
    return loader.get_context(loadwsgi.APP, name).create()


def application(name, conf=cfg.CONF, *, has_console=False):
    """Return the WSGI application of a pipeline.

    :param name: heat-api or heat-api-cfn; the option flavor of
        [paste_deploy] is appended to it.
    :param has_console: whether the REST API serves the console even where
        the option [console] enabled is off, if users can log in
    :raises Error: the pipeline cannot be loaded.
    """
    check(name, conf)
    config.set_cors_defaults()
    has_console = name == REST and (
        conf.console.enabled or
        has_console and (conf.paste_deploy.flavor or 'noauth') == 'noauth')
    path, name = _found(name, conf)
    try:
        app = _loaded(path, name)
    except (LookupError, ImportError, OSError) as error:
        raise exception.Error(
            f'Unable to load {name} from configuration file {path}: '
            f'{error}') from error
    if LOG.isEnabledFor(std_logging.DEBUG):
        conf.log_opt_values(LOG, std_logging.DEBUG)
    app = identity_headers.RemoveIdentity(app)
    if has_console:
        return _with_console(app, conf)
    return app
