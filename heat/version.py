"""The version of this software; the packaging reads it from here."""

__version__ = '1.0.0'

#: The version for pip. The epoch, 1!, places it after all releases of
#: OpenStack Heat: requirements such as openstack-heat>=27 are met, and an
#: upgrade never installs another heat package over this one.
DISTRIBUTION_VERSION = f'1!{__version__}'


class VersionInfo:
    """The version, as plugins and the API ask for it.

    The methods are those of pbr.version.VersionInfo, which plugins expect.
    """

    def __init__(self, package: str, version: str):
        self.package = package
        self._version = version

    def version_string(self) -> str:
        """Return the version without any local build suffix."""
        return self._version.partition('+')[0]

    def release_string(self) -> str:
        """Return the full version of this build."""
        return self._version

    def cached_version_string(self, prefix: str = '') -> str:
        """Return the version with a prefix in front."""
        return prefix + self.version_string()

    def product_string(self) -> str:
        """Return the name under which reports speak of us."""
        return 'OpenStack Heat'

    def vendor_string(self) -> str:
        """Return who is said to have made it."""
        return 'OpenStack Foundation'

    def version_string_with_package(self) -> str:
        """Return the version that reports show."""
        return self.release_string()

    def __str__(self) -> str:
        return self.version_string()


version_info = VersionInfo('heat', __version__)
