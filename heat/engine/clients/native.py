"""Clients of the services' own libraries, python-novaclient and its kin.

Third-party plugins expect them. The engine neither needs nor installs
them: a library is imported when a plugin first asks for its client.
"""
from collections.abc import Callable
import dataclasses
import functools
import importlib
import importlib.util
import logging
import sys
from typing import Any

from heat.common import lazy

ks_exceptions = lazy.module('keystoneauth1.exceptions')

LOG = logging.getLogger(__name__)

#: Attributes in which the libraries' errors keep the HTTP status.
_STATUS = ('status_code', 'http_status', 'http_code', 'code')


@dataclasses.dataclass(frozen=True, slots=True)
class Endpoint:
    """Where and as whom a client makes requests."""

    session: Any
    service_type: str
    interface: str
    region_name: str | None
    #: The URL, if it is not to be looked up in the catalogue.
    endpoint_override: str | None = None

    def url(self) -> str:
        """Return the URL of the service.

        :raises EndpointNotFound: the catalogue has none.
        """
        found = self.endpoint_override or self.session.get_endpoint(
            service_type=self.service_type, interface=self.interface,
            region_name=self.region_name)
        if found is None:
            raise ks_exceptions.EndpointNotFound()
        return found

    def arguments(self, *left_out: str, **renamed: str) -> dict[str, Any]:
        """Return the arguments of a client.

        :param left_out: names that the client has no argument for
        :param renamed: what the client calls a name
        """
        return {renamed.get(field.name, field.name):
                getattr(self, field.name)
                for field in dataclasses.fields(self)
                if field.name not in left_out}


@dataclasses.dataclass(frozen=True, slots=True)
class Library:
    """A client library, and how it makes a client.

    `make` takes the module, the Endpoint, and the version or None.
    """

    distribution: str
    module: str
    make: Callable[[Any, Endpoint, str | None], Any]
    #: Where the library has its newest microversion: (module, attribute).
    newest: tuple[str, str] | None = None
    #: The package of another library whose errors it raises, too.
    borrowed: str | None = None

    @property
    def package(self) -> str:
        """The top package, which the errors of the library are from."""
        return self.module.partition('.')[0]


def _nova(module, endpoint, version):
    return module.Client(
        version or '2.1', **endpoint.arguments(interface='endpoint_type'))


def _cinder(module, endpoint, version):
    return module.Client(
        version or '3', **endpoint.arguments(interface='endpoint_type',
                                             endpoint_override='os_endpoint'))


def _neutron(module, endpoint, _version):
    return module.Client(**endpoint.arguments('interface'),
                         endpoint_type=endpoint.interface)


def _versioned(default):
    """Return a maker for libraries whose Client takes a version first."""
    return lambda module, endpoint, version: module.Client(
        version or default, **endpoint.arguments())


def _keystone(module, endpoint, _version):
    return module.Client(**endpoint.arguments('service_type'))


def _swift(module, endpoint, _version):
    url = endpoint.endpoint_override
    return module.Connection(
        session=endpoint.session,
        os_options={'service_type': endpoint.service_type,
                    'endpoint_type': endpoint.interface,
                    'region_name': endpoint.region_name,
                    **({'object_storage_url': url} if url else {})})


def _manila(module, endpoint, version):
    return module.Client(
        version or '2', **endpoint.arguments(
            interface='endpoint_type',
            endpoint_override='service_catalog_url'))


def _octavia(module, endpoint, _version):
    # It has no versions that a plugin could choose from.
    return module.OctaviaAPI(endpoint.url(), session=endpoint.session,
                             service_type=endpoint.service_type)


def _barbican(module, endpoint, version):
    return module.Client(version or 'v1', **endpoint.arguments(
        endpoint_override='endpoint'))


def _designate(module, endpoint, version):
    return module.Client(version or '2', **endpoint.arguments(
        interface='endpoint_type'))


def _trove(module, endpoint, version):
    return module.Client(version or '1.0', **endpoint.arguments(
        interface='endpoint_type', endpoint_override='bypass_url'))


def _ironic(module, endpoint, version):
    return module.get_client(1, os_ironic_api_version=version,
                             **endpoint.arguments())


#: By the names of client plugins.
LIBRARIES = {
    'barbican': Library('python-barbicanclient', 'barbicanclient.client',
                        _barbican),
    'blazar': Library('python-blazarclient', 'blazarclient.client',
                      _versioned('1')),
    'cinder': Library('python-cinderclient', 'cinderclient.client', _cinder,
                      ('cinderclient.api_versions', 'MAX_VERSION')),
    'designate': Library('python-designateclient', 'designateclient.client',
                         _designate),
    'glance': Library('python-glanceclient', 'glanceclient.client',
                      _versioned('2')),
    'heat': Library('python-heatclient', 'heatclient.client',
                    _versioned('1')),
    'ironic': Library('python-ironicclient', 'ironicclient.client', _ironic,
                      ('ironicclient.common.http', 'LATEST_VERSION')),
    'keystone': Library('python-keystoneclient', 'keystoneclient.v3.client',
                        _keystone),
    'magnum': Library('python-magnumclient', 'magnumclient.client',
                      _versioned('1')),
    'manila': Library('python-manilaclient', 'manilaclient.client', _manila),
    'neutron': Library('python-neutronclient', 'neutronclient.v2_0.client',
                       _neutron),
    'nova': Library('python-novaclient', 'novaclient.client', _nova,
                    ('novaclient', 'API_MAX_VERSION')),
    'octavia': Library('python-octaviaclient', 'octaviaclient.api.v2.octavia',
                       _octavia, borrowed='osc_lib'),
    'swift': Library('python-swiftclient', 'swiftclient.client', _swift),
    'trove': Library('python-troveclient', 'troveclient.client', _trove),
    'zun': Library('python-zunclient', 'zunclient.client',
                   _versioned('1.12')),
}


@functools.cache
def _is_installed(library: Library) -> bool:
    """Return whether a library is there; say once if it is not."""
    if importlib.util.find_spec(library.package) is not None:
        return True
    LOG.warning('Plugins get a client of openstacksdk, since %s is not '
                'installed', library.distribution)
    return False


def client(name: str, endpoint: Callable[[], Endpoint],
           version: str | None = None) -> Any:
    """Return a client of a service's own library, None without it.

    :param name: the name of the client plugin
    :param endpoint: a function that returns the Endpoint
    """
    library = LIBRARIES.get(name)
    if library is None or not _is_installed(library):
        return None
    return library.make(importlib.import_module(library.module), endpoint(),
                        version)


def known_microversion(name: str, version: str) -> str:
    """Return a microversion, or the newest that the library knows."""
    library = LIBRARIES.get(name)
    if library is None or not library.newest or not version or (
            not _is_installed(library)):
        return version
    module, attribute = library.newest
    newest = getattr(importlib.import_module(module), attribute)
    text = newest if isinstance(newest, str) else newest.get_string()
    return min(version, text, key=lambda each: [
        int(part) for part in each.split('.')])


def is_raised_by(name: str, error: BaseException) -> bool:
    """Return whether an error is one of a service's own library.

    The library is not imported: one that is not loaded raises nothing.
    """
    library = LIBRARIES.get(name)
    return library is not None and library.package in sys.modules and any(
        kind.__module__.partition('.')[0] in (library.package,
                                              library.borrowed)
        for kind in type(error).__mro__)


def status_of(name: str, error: BaseException) -> int | None:
    """Return the HTTP status of an error of a service's own library.

    It is None for errors of anything else.
    """
    if is_raised_by(name, error):
        # python-blazarclient keeps the status among the arguments; the
        # attribute is that of the class.
        arguments = getattr(error, 'kwargs', None)
        kept = arguments if isinstance(arguments, dict) else {}
        for attribute in _STATUS:
            status = kept.get(attribute) or getattr(error, attribute, None)
            if isinstance(status, int) and status:
                return status
    return None
