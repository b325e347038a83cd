"""Common parts of the client plugins of several services."""
import abc
import functools
from typing import Any

from oslo_cache import core
from oslo_config import cfg

from heat.common import cache
from heat.common import timeutils
from heat.engine.clients import kept_answers


def _memoizer(group):
    """Return a decorator that keeps results, if operators want that.

    The options are read at the first call, not when plugins are imported.
    """
    def decorate(function):
        @functools.cache
        def kept():
            return core.get_memoization_decorator(
                cfg.CONF, cache.get_cache_region(), group)(function)

        @functools.wraps(function)
        def call(*args, **kwargs):
            return kept()(*args, **kwargs)

        return call
    return decorate


MEMOIZE_EXTENSIONS = _memoizer('service_extension_cache')
MEMOIZE_FINDER = _memoizer('resource_finder_cache')


class ExtensionMixin(abc.ABC):
    """A client plugin of a service that has optional parts.

    The list of extensions is cached for five minutes. If it lacks the
    extension in question, each operation requests the list once more.
    """

    answers_key: Any

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self._began = timeutils.wallclock()

    @abc.abstractmethod
    def _list_extensions(self):
        """Return the names of the parts the service has."""

    def has_extension(self, alias):
        """Return whether the service has an optional part."""
        return alias in self._known() or alias in self._known(self._began)

    def _known(self, since=float('-inf')):
        return kept_answers.KEPT.get(
            (*self.answers_key(), 'extensions'),
            lambda: frozenset(self._list_extensions()), since)
