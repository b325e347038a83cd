"""For client plugins of services with microversions."""
import abc
from typing import Any

from heat.common import exception


class MicroversionMixin(metaclass=abc.ABCMeta):
    """Hands out clients of any microversion that the service has."""

    # What the plugin has.
    _get_service_name: Any
    _made_once: Any
    _create: Any

    def client(self, version=None):
        """Return the client for a microversion, by default the highest."""
        if version is None:
            version = self.get_max_microversion()
        elif not self.is_version_supported(version):
            raise exception.InvalidServiceVersion(
                version=version, service=self._get_service_name())
        return self._made_once(version,
                               lambda: self._create(version=version))

    @abc.abstractmethod
    def get_max_microversion(self):
        """Return the highest microversion to use."""

    @abc.abstractmethod
    def is_version_supported(self, version):
        """Return whether the service has a microversion."""
