"""Applications that a paste configuration makes of others.

A composite section names one for each path, or one for each flavor.
"""
from collections.abc import Iterable, Mapping
from typing import Any
from wsgiref import types as wsgi_types

from oslo_config import cfg

from heat.common.i18n import _


class Composite:
    """Hands a request to the application with the longest fitting path."""

    def __init__(self, applications: Mapping[str, Any]) -> None:
        self.applications = sorted(
            ((path.rstrip('/'), application)
             for path, application in applications.items()),
            key=lambda item: len(item[0]), reverse=True)

    def __call__(self, environ: wsgi_types.WSGIEnvironment,
                 start_response: wsgi_types.StartResponse) -> Iterable[bytes]:
        path = environ.get('PATH_INFO', '')
        for prefix, application in self.applications:
            if path == prefix or path.startswith(prefix + '/'):
                if prefix:
                    environ['SCRIPT_NAME'] = (
                        environ.get('SCRIPT_NAME', '') + prefix)
                    environ['PATH_INFO'] = path[len(prefix):]
                return application(environ, start_response)
        start_response('404 Not Found', [('Content-Length', '0')])
        return []


def root_app_factory(loader: Any, global_conf: Any, **local_conf: str) -> Any:
    """Make the application of a composite section: path = application."""
    return Composite({
        path: loader.get_app(name, global_conf=global_conf)
        for path, name in local_conf.items() if path.startswith('/')})


def flavor_of(settings: Any, conf: Any = cfg.CONF) -> list[str]:
    """Return the names in the pipeline that a section has for the flavor.

    :param settings: {flavor: names of filters, and last of an application}.
    :raises LookupError: it has none.
    """
    flavor = conf.paste_deploy.flavor or 'default'
    names = settings.get(flavor, '').split()
    if not names and flavor in settings:
        raise LookupError(
            _('The pipeline %(flavor)s, which [paste_deploy] flavor asks '
              'for, is empty') % {'flavor': flavor})
    if not names:
        raise LookupError(
            _('The composite section has no pipeline %(flavor)s, which '
              '[paste_deploy] flavor asks for; it has: %(known)s')
            % {'flavor': flavor, 'known': ', '.join(sorted(settings))})
    return names


def pipeline_factory(loader: Any, global_conf: Any, **local_conf: str) -> Any:
    """Make the pipeline of a composite section: flavor = filters and app."""
    *filters, name = flavor_of(local_conf)
    application = loader.get_app(name, global_conf=global_conf)
    for each in reversed(filters):
        application = loader.get_filter(
            each, global_conf=global_conf)(application)
    return application
