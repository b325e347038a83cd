"""The version of this software; the packaging reads it from here."""

__version__ = '1.0.0'


class VersionInfo:
    """What plugins and the API ask about the version.

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

    def __str__(self) -> str:
        return self.version_string()


version_info = VersionInfo('heat', __version__)
