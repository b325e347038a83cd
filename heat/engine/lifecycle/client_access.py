"""Access of resources to the clients of cloud services.

Plugins of third parties call client(), or the method of a service, and get
the client of that service's own library. The engine's own types call
sdk(), also in subclasses that third parties make of them.
"""
from typing import Any


class Clients:
    """Hands out the clients of the stack of a resource."""

    stack: Any

    #: The client plugin that methods use unless one is named.
    default_client_name: str | None = None

    def client(self, name: str | None = None, version: Any = None) -> Any:
        """Return a client, of the default service unless named."""
        name = name or self.default_client_name
        return name and self.stack.clients.client(name, version=version)

    def sdk(self, name: str | None = None, version: Any = None) -> Any:
        """Return the client that our own types use, as client() does."""
        name = name or self.default_client_name
        return name and self.stack.clients.sdk(name, version=version)

    def client_plugin(self, name: str | None = None) -> Any:
        """Return a client plugin, None if there is none of the name."""
        name = name or self.default_client_name
        return name and self.stack.clients.client_plugin(name)

    def keystone(self) -> Any:
        """Return the client of the identity service."""
        return self.client('keystone')

    def nova(self) -> Any:
        """Return the client of the compute service."""
        return self.client('nova')

    def swift(self) -> Any:
        """Return the client of the object store."""
        return self.client('swift')

    def neutron(self) -> Any:
        """Return the client of the network service."""
        return self.client('neutron')

    def cinder(self) -> Any:
        """Return the client of the block storage service."""
        return self.client('cinder')

    def trove(self) -> Any:
        """Return the client of the database service."""
        return self.client('trove')

    def glance(self) -> Any:
        """Return the client of the image service."""
        return self.client('glance')

    def heat(self) -> Any:
        """Return the client of the orchestration service."""
        return self.client('heat')
