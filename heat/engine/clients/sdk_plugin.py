"""Common base of the client plugins over openstacksdk."""
import itertools
from typing import Any

from oslo_config import cfg
from oslo_utils import uuidutils

from heat.common import cloud_error
from heat.common import exception
from heat.engine import constraints
from heat.engine.clients import client_plugin
from heat.engine.clients import microversion_mixin
from heat.engine.clients import native
from heat.engine.clients import sdk
from heat.engine.clients import shared_looks


class SDKClientPlugin(client_plugin.ClientPlugin):
    """Makes the clients of one service, and judges their errors.

    sdk() returns the proxy of openstacksdk, which the engine's own types
    use. client() returns the client of the service's own library for
    third-party plugins, or the proxy if that library is not installed.
    """

    exceptions_module: Any = sdk.exceptions
    #: Whether it is of no use where there is no Keystone.
    needs_cloud = True

    #: The name of the service in the configuration: [clients_<name>].
    client_name: str
    #: The attribute of a connection that is the proxy of the service.
    proxy: str
    #: {noun: method of the proxy that lists by name} where IDs are UUIDs.
    listed_by_name: dict[str, str] = {}

    def __init__(self, context):
        super().__init__(context)
        self._first_seen = {}

    def sdk(self, version=None):
        """Return the proxy, made when it is first asked for."""
        version = version or self.default_version
        if version is not None:
            self._check_version(version)
        return self._made_once(('sdk', version),
                               lambda: self._connect(version=version))

    def _create(self, version=None):
        return native.client(self.client_name, self._endpoint,
                             version) or self.sdk(version)

    def _endpoint(self):
        return native.Endpoint(
            session=self._connection().session,
            service_type=self.service_types[0],
            interface=self._get_client_option(self.client_name,
                                              'endpoint_type'),
            region_name=self._get_region_name())

    def _connect(self, version=None):
        """Return a new client over openstacksdk."""
        return self._adapter()

    def _adapter(self):
        """Return a new proxy, which has the session of its connection."""
        proxy = getattr(self._connection(), self.proxy)
        logger = sdk.logger_of(self.client_name)
        if logger is not None:
            proxy.logger = logger
        return proxy

    def _connection(self):
        return sdk.connect(self.context, service=self.client_name,
                           region_name=self._get_region_name())

    def is_not_found(self, ex):
        """Return whether an error means that there is no such thing."""
        return isinstance(ex, (sdk.exceptions.NotFoundException,
                               exception.EntityNotFound)) or (
            native.status_of(self.client_name, ex) == 404)

    def is_over_limit(self, ex):
        """Return whether an error means that a quota or rate is exhausted."""
        return (cloud_error.status_of(ex) in (413, 429) or
                native.status_of(self.client_name, ex) in (413, 429) or
                cloud_error.is_quota_refusal(ex))

    def is_conflict(self, ex):
        """Return whether an error means "not now": something is in the way.

        A quota is exhausted in a moment as well, whatever the status.
        """
        return (isinstance(ex, sdk.exceptions.ConflictException) or
                native.status_of(self.client_name, ex) == 409) and (
            not cloud_error.is_quota_refusal(ex))

    def is_client_exception(self, ex):
        """Return whether a client of the service raised this error."""
        return (super().is_client_exception(ex) or
                native.is_raised_by(self.client_name, ex))

    def find(self, entity, name_or_id, **filters):
        """Return the id of a thing, given that or its name.

        :param entity: the noun of the proxy's method find_<entity>.
        :raises EntityNotFound: there is none.
        :raises PhysicalResourceNameAmbiguity: there are several.
        """
        return self.finds.ask(
            entity, filters, name_or_id,
            lambda: self._ask(entity, name_or_id, filters))

    def _finder(self, entity):
        return getattr(self.sdk(), 'find_' + entity)

    def _ask(self, entity, name_or_id, filters):
        found = self._named(entity, name_or_id, filters)
        if found is None:
            found = self._sought(entity, name_or_id, filters)
        self._first_seen[entity, found.id] = found
        return found.id

    def _named(self, entity, name, filters):
        """Return the only object of a name; None to look further.

        openstacksdk requests the object whose ID the name might be first.
        """
        if entity not in self.listed_by_name or uuidutils.is_uuid_like(name):
            return None
        named = getattr(self.sdk(), self.listed_by_name[entity])(
            name=name, **filters)
        found = [each for each in itertools.islice(named, 2)
                 if each.name == name]
        return found[0] if len(found) == 1 else None

    def _sought(self, entity, name_or_id, filters):
        try:
            # openstacksdk has deprecated the other answer, None.
            found = self._finder(entity)(name_or_id, ignore_missing=False,
                                         **filters)
        except sdk.exceptions.NotFoundException as error:
            raise exception.EntityNotFound(entity=entity,
                                           name=name_or_id) from error
        except sdk.exceptions.DuplicateResource as error:
            raise exception.PhysicalResourceNameAmbiguity(
                name=name_or_id) from error
        if found is None:
            raise exception.EntityNotFound(entity=entity, name=name_or_id)
        return found

    def first_seen(self, entity, its_id):
        """Return a thing as it was when it was first asked for, by its id.

        For what does not change, or need not be the latest.
        """
        if (entity, its_id) not in self._first_seen:
            self._first_seen[entity, its_id] = getattr(
                self.sdk(), 'get_' + entity)(its_id)
        return self._first_seen[entity, its_id]

    def awaited_thing(self, entity, its_id, service):
        """Return an object that a resource waits for, or None if unknown.

        All waiting resources of a project share the requests.

        :param service: a shared_looks.Service
        """
        return shared_looks.LOOKS.look(
            (*self.answers_key(), self.context.project_id, entity), its_id,
            service)


class ListingPlugin(SDKClientPlugin):
    """Asks a service, or parts of one, that the SDK has no classes for."""

    def answer(self, response):
        """Return the decoded body of an answer; raise its error."""
        sdk.exceptions.raise_from_response(response)
        return response.json() if response.content else {}

    def shown(self, path, its_id):
        """Return what there is at the path of a thing.

        :raises EntityNotFound: there is nothing.
        """
        try:
            return self.answer(self.sdk().get(f'{path}/{its_id}'))
        except sdk.exceptions.NotFoundException as error:
            raise exception.EntityNotFound(
                entity=_noun(path), name=its_id) from error

    def listed(self, path, key=None):
        """Return the dicts that a collection has.

        :param key: of the list in the answer; by default like the path.
        :raises EntityNotFound: there is no such collection.
        """
        try:
            body = self.answer(self.sdk().get(path))
        except sdk.exceptions.NotFoundException as error:
            raise exception.EntityNotFound(entity=_noun(path),
                                           name=path) from error
        return (body if isinstance(body, list)
                else body[key or path.replace('-', '_')])

    def find_listed(self, path, name_or_id, key=None, its_id='id'):
        """Return the id of a thing in a collection, given that or its name.

        :param its_id: the key of the id in the description of a thing.
        :raises EntityNotFound: there is none.
        :raises PhysicalResourceNameAmbiguity: there are several.
        """
        return self.finds.ask(
            path, {}, name_or_id,
            lambda: self._found_in(path, self.listed(path, key), name_or_id,
                                   its_id))

    @staticmethod
    def _found_in(path, known, name_or_id, its_id):
        found = {each[its_id] for each in known
                 if each[its_id] == name_or_id} or {
            each[its_id] for each in known if each['name'] == name_or_id}
        if not found:
            raise exception.EntityNotFound(entity=_noun(path),
                                           name=name_or_id)
        if len(found) > 1:
            raise exception.PhysicalResourceNameAmbiguity(name=name_or_id)
        return found.pop()


def _noun(path):
    """Return what a collection has: a share network of share-networks."""
    name = path.partition('/')[0].removeprefix('os-')
    return name.replace('-', '_').removesuffix('s')


class MicroversionedPlugin(microversion_mixin.MicroversionMixin,
                           SDKClientPlugin):
    """Hands out the proxy of a service that has microversions.

    The proxy chooses one for each request, unless a client for a certain
    one is asked for.
    """

    #: The option by which operators bound the microversion.
    bound: str | None = None

    def client(self, version=None):
        """Return a client, by default for the highest microversion.

        It is the highest that both the service and the library know.
        """
        if version is not None:
            return super().client(version)
        return self._made_once(None, lambda: self._create(
            version=native.known_microversion(self.client_name,
                                              self.get_max_microversion())))

    def sdk(self, version=None):
        """Return the proxy, by default one that chooses microversions."""
        if version is not None and not self.is_version_supported(version):
            raise exception.InvalidServiceVersion(
                version=version, service=self._get_service_name())
        return self._made_once(('sdk', version),
                               lambda: self._connect(version=version))

    def _connect(self, version=None):
        proxy = self._adapter()
        if version is not None:
            proxy.default_microversion = version
        return proxy

    def get_max_microversion(self):
        """Return the highest microversion to use.

        It is the highest of the service unless an option bounds it.
        """
        bound = self.bound and getattr(cfg.CONF, self.bound)
        if bound:
            return str(bound)
        if self._max_microversion is None:
            limits = self.sdk().get_endpoint_data()
            self._max_microversion = '.'.join(
                str(part) for part in limits.max_microversion or ())
        return self._max_microversion

    _max_microversion: str | None = None

    def is_version_supported(self, version):
        """Return whether the service has a microversion."""
        return sdk.utils.supports_microversion(self.sdk(), version)


class SDKConstraint(constraints.BaseCustomConstraint):
    """Something exists that the client of a service looks for.

    Any error of openstacksdk means that it does not.
    """

    #: What else means that.
    expected: tuple[type[BaseException], ...] = (exception.EntityNotFound,)

    @property
    def expected_exceptions(self):  # type: ignore[override]
        """The errors that mean "invalid"."""
        return (sdk.exceptions.SDKException, *self.expected)
