"""The base of constraints that plugins register under a name.

heat.engine.constraints gives plugins these classes under its own name.
"""
from collections.abc import Sequence
from typing import Any

from heat.common import cloud_error
from heat.common import exception
from heat.common.i18n import _

#: Given as context where there is no cloud to ask.
OFFLINE = object()


class ValidationCache:
    """Where positive answers of custom constraints are kept for a while.

    The service hands over a dogpile region at start-up; without one every
    check asks again.
    """

    region: Any = None
    expiration_time: float | None = None

    @classmethod
    def configure(cls, region: Any, expiration_time: float | None = None
                  ) -> None:
        """Keep answers in this region from now on; None for nowhere.

        expiration_time is how many seconds an answer counts.
        """
        cls.region = region
        cls.expiration_time = expiration_time

    @classmethod
    def knows(cls, key: str) -> bool:
        """Return whether the region has a positive answer under key."""
        return cls.region is not None and cls.region.get(
            key, expiration_time=cls.expiration_time) is True

    @classmethod
    def keep(cls, key: str) -> None:
        """Remember a positive answer."""
        if cls.region is not None:
            cls.region.set(key, True)


class BaseCustomConstraint:
    """Base of custom constraints: does a cloud service know this value?

    A subclass names a client plugin and the plugin's method that finds the
    thing, or overrides validate_with_client(). An exception listed in
    expected_exceptions means "invalid", and so does one that says that the
    service has failed or cannot be reached; any other is passed on.
    """

    expected_exceptions: Sequence[type[BaseException]] = (
        exception.EntityNotFound,)
    resource_client_name: str | None = None
    resource_getter_name: str | None = None
    _error_message: str | None = None

    def error(self, value: Any) -> str:
        """Return why the value was found invalid."""
        if self._error_message is None:
            return _('Error validating value %(value)r') % {'value': value}
        return _('Error validating value %(value)r: %(message)s') % {
            'value': value, 'message': self._error_message}

    def validate(self, value: Any, context: Any) -> bool:
        """Return whether the value is valid, and note why if it is not.

        Without a cloud every value may be.
        """
        if context is OFFLINE:
            return True
        key = '%s:%s:%s' % (type(self).__name__,
                            getattr(context, 'project_id', None), value)
        if ValidationCache.knows(key):
            return True
        name = self.resource_client_name
        if name and context.clients.client_plugin(name) is None:
            self._error_message = _('The service %s is not available.') % name
            return False
        try:
            self.validate_with_client(context.clients, value)
        except tuple(self.expected_exceptions) as exc:
            self._error_message = cloud_error.told_by(exc) or str(exc)
            return False
        except Exception as exc:
            # Whether there is such a thing, nobody knows: that the user is
            # to be told, too.
            self._error_message = cloud_error.told_by(exc)
            if self._error_message is None:
                raise
            return False
        ValidationCache.keep(key)
        return True

    def validate_with_client(self, client: Any, resource_id: Any) -> None:
        """Ask the client plugin; raise if it does not know the value."""
        if not (self.resource_client_name and self.resource_getter_name):
            raise ValueError(
                _('The constraint %s must name a client plugin and one of '
                  'its methods.') %
                type(self).__name__)
        plugin = client.client_plugin(self.resource_client_name)
        getattr(plugin, self.resource_getter_name)(resource_id)
