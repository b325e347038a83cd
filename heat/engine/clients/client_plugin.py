"""The base of client plugins: one for each cloud service."""
import abc
import collections
import collections.abc
import threading
from typing import Any
import weakref

from keystoneauth1 import exceptions as ks_exceptions
from oslo_config import cfg
from oslo_utils import excutils
import requests

from heat.common import cloud_error
from heat.common import config
from heat.common import exception
from heat.common import reading

#: Seconds to wait for a client that somebody else makes.
_TOGETHER = 5


class Finds:
    """The ids of things, by what they were asked for by.

    They are remembered as long as the plugin lives, which is as long as the
    context of an operation. Who wants to know the same at the same time
    waits for the answer.
    """

    def __init__(self):
        self._known = {}
        self._asking = collections.defaultdict(threading.Lock)

    def ask(self, entity, filters, name_or_id, finder):
        """Return an id, found by a function that takes no argument."""
        about = (entity, tuple(sorted(filters.items())))
        with self._asking[about, name_or_id]:
            if (about, name_or_id) not in self._known:
                found = finder()
                # The id that a name has become is looked up, too.
                self._known[about, name_or_id] = found
                self._known[about, found] = found
        return self._known[about, name_or_id]

    def know(self, entity, thing_id):
        """Take for granted that there is a thing of this id."""
        self._known[(entity, ()), thing_id] = thing_id


class ClientPlugin(metaclass=abc.ABCMeta):
    """Makes clients of one service for one context, and judges its errors.
    """

    #: The module, or list of modules, whose exceptions the client raises.
    exceptions_module: Any = None
    #: Types under which the catalogue may have the service.
    service_types: list[str] = []
    #: Versions that client() may be asked for.
    supported_versions: list[str] = []
    #: The version when none is asked for.
    default_version: str | None = None
    #: Whether an empty text, list or map of a template is sent.
    sends_empty = True

    _get_client_option = staticmethod(config.get_client_option)

    def __init__(self, context):
        self._context = weakref.ref(context)
        self._clients = weakref.ref(context.clients)
        self._client_instances = {}
        # Making a client may take another one of the same service.
        self._making = threading.RLock()
        self._endpoint_existence = {}
        #: What was found by name or id, or has just been made.
        self.finds = Finds()

    @property
    def context(self):
        """The request context."""
        context = self._context()
        assert context is not None, 'Need a reference to the context'
        return context

    @property
    def clients(self):
        """The holder of all clients of the context."""
        return self._clients()

    def client(self, version=None):
        """Return the client, made when it is first asked for."""
        version = version or self.default_version
        return self._made_once(version, lambda: self._new_client(version))

    def sdk(self, version=None):
        """Return the client that the engine's own types use.

        A plugin that is not made for openstacksdk has only one client.
        """
        return self.client() if version is None else self.client(version)

    def _made_once(self, version, make):
        """Return a client, made by a function if there is none.

        A service may have to be asked for its versions then: who wants a
        client at the same time waits for the answer, but not one after the
        other for a service that hangs.
        """
        reading.require_engine()
        made = self._client_instances.get(version)
        if made is not None:
            return made
        is_mine = self._making.acquire(timeout=_TOGETHER)
        try:
            made = self._client_instances.get(version)
            if made is None:
                made = self._client_instances[version] = make()
        finally:
            if is_mine:
                self._making.release()
        return made

    def _new_client(self, version):
        if version is None:
            return self._create()
        self._check_version(version)
        return self._create(version=version)

    def _check_version(self, version):
        if version not in self.supported_versions:
            raise exception.InvalidServiceVersion(
                version=version, service=self._get_service_name())

    def reconnect(self):
        """Make new clients when they are next asked for."""
        self._client_instances.clear()

    @abc.abstractmethod
    def _create(self, version=None):
        """Return a new client."""

    def _get_service_name(self):
        return type(self).__name__

    @property
    def region_name(self):
        """The region whose endpoints to use, None where there is but one."""
        return self._get_region_name()

    def answers_key(self):
        """Return what identifies the service among those of all clouds."""
        return self.context.auth_url, self._get_region_name(), type(self)

    def _get_region_name(self):
        """Return the region whose endpoints to use."""
        shared = cfg.CONF.region_name_for_shared_services
        if shared and set(self.service_types) & set(
                cfg.CONF.shared_services_types):
            return shared
        return self.context.region_name or cfg.CONF.region_name_for_services

    def url_for(self, **kwargs):
        """Return the URL of an endpoint; EndpointNotFound without one."""
        interface = kwargs.pop('endpoint_type', None)
        if interface is not None:
            kwargs.setdefault('interface', interface)
        region = self._get_region_name()
        if region is not None:
            kwargs.setdefault('region_name', region)
        if not self.context.can_authenticate:
            # Whoever is nobody in the cloud has no catalogue.
            raise ks_exceptions.EmptyCatalog()
        url = self.context.keystone_session.get_endpoint(
            auth=self.context.auth_plugin, **kwargs)
        if url is None:
            raise ks_exceptions.EndpointNotFound()
        return url

    def does_endpoint_exist(self, service_type, service_name):
        """Return whether the catalogue has an endpoint of the service."""
        key = (service_type, service_name)
        if key not in self._endpoint_existence:
            try:
                self.url_for(service_type=service_type,
                             endpoint_type=self._get_client_option(
                                 service_name, 'endpoint_type'))
                self._endpoint_existence[key] = True
            except (ks_exceptions.EndpointNotFound,
                    ks_exceptions.EmptyCatalog):
                self._endpoint_existence[key] = False
        return self._endpoint_existence[key]

    def is_client_exception(self, ex):
        """Return whether the client raised this error."""
        modules = self.exceptions_module
        if modules is None:
            return False
        if not isinstance(modules, (list, tuple)):
            modules = [modules]
        return any(type(ex) in vars(module).values() for module in modules)

    def given(self, values):
        """Return those of the values that a request carries.

        None is never sent, and what is empty only to services for which
        it differs from what is absent.
        """
        return {name: value for name, value in values.items()
                if value is not None and
                (self.sends_empty or not _is_empty(value))}

    def is_not_found(self, ex):
        """Return whether an error means that there is no such thing."""
        return False

    def is_over_limit(self, ex):
        """Return whether an error means that a quota or rate is exhausted."""
        return False

    def is_conflict(self, ex):
        """Return whether an error means "not now": something is in the way."""
        return False

    def may_have_been_done(self, ex):
        """Return whether the service may have done what it did not confirm."""
        status = cloud_error.status_of(ex)
        return (isinstance(ex, ks_exceptions.ConnectionError) or
                (status or 0) >= 500)

    @excutils.exception_filter  # type: ignore[arg-type]
    def ignore_not_found(self, ex):
        """Swallow errors that mean that there is no such thing.

        As a context manager, or as a function of an exception.
        """
        return self.is_not_found(ex)

    @excutils.exception_filter  # type: ignore[arg-type]
    def ignore_conflict_and_not_found(self, ex):
        """Swallow conflicts, and errors that mean there is no such thing."""
        return self.is_conflict(ex) or self.is_not_found(ex)


def retry_if_connection_err(exception):
    """Return whether an error came from the connection, for retrying."""
    return isinstance(exception, (requests.ConnectionError,
                                  ks_exceptions.ConnectFailure))


def retry_if_result_is_false(result):
    """Return whether a result is False, for retrying."""
    return result is False


def _is_empty(value):
    """Return whether a value is a text, list or map without contents."""
    return not value and isinstance(value, (
        str, collections.abc.Sequence, collections.abc.Mapping))
