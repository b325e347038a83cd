"""Poll servers, sharing the requests within a project."""
from typing import Any

from heat.common import exception
from heat.common.i18n import _
from heat.engine.clients import shared_looks


class WaitsForServers:
    """The part of the Nova plugin that polls servers."""

    fetch_server: Any
    awaited_thing: Any
    get_status: Any
    is_active: Any
    ignore_not_found: Any
    sdk: Any
    deferred_server_statuses: Any

    def awaited_server(self, server_id, is_awaited):
        """Return a server that a resource waits for, or None if unknown.

        :param is_awaited: returns whether the caller polls the server again
        :raises NotFoundException: (openstacksdk) the server does not exist
        """
        found = self.awaited_thing('server', server_id, shared_looks.Service(
            self.fetch_server, self._newest_servers, is_awaited))
        if found is not None and self.get_status(found) == 'ERROR' and (
                not getattr(found, 'fault', None)):
            # Lists of some releases have no faults.
            return self.fetch_server(server_id)
        return found

    def _newest_servers(self, number):
        return self.sdk().servers(sort_key='created_at', sort_dir='desc',
                                  limit=number, paginated=False)

    def is_built(self, server_id, res_name='Server'):
        """Return whether a server that is being created is active.

        It raises the same errors as is_active().
        """
        server = self.awaited_server(server_id, lambda found: (
            self.get_status(found) in self.deferred_server_statuses))
        return server is not None and self.is_active(server, res_name)

    def check_delete_server_complete(self, server_id):
        """Return whether a server is gone.

        :raises ResourceInError: deleting it failed.
        """
        with self.ignore_not_found:
            server = self.awaited_server(server_id, lambda found: (
                self.get_status(found) not in ('DELETED', 'ERROR')))
            return server is not None and self._is_deleted(server)
        return True

    def _is_deleted(self, server):
        status = self.get_status(server)
        if status == 'ERROR' and not getattr(server, 'task_state', None):
            fault = getattr(server, 'fault', None) or {}
            raise exception.ResourceInError(
                resource_status=status,
                status_reason=fault.get('message', _('Unknown')))
        return status == 'DELETED'
