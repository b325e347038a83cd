"""Wait for servers, together with all others of the project that do."""
from typing import Any

from heat.common import exception
from heat.common.i18n import _
from heat.engine.clients import shared_looks


class WaitsForServers:
    """The part of the plugin of Nova that waits for servers."""

    fetch_server: Any
    awaited_thing: Any
    get_status: Any
    is_active: Any
    is_not_found: Any
    sdk: Any
    deferred_server_statuses: Any

    def awaited_server(self, server_id, is_awaited):
        """Return a server to wait for, None while nobody can tell.

        :param is_awaited: whether whoever sees the server looks again
        :raises NotFoundException: of openstacksdk, if there is none
        """
        found = self.awaited_thing('server', server_id, shared_looks.Service(
            self.fetch_server, self._newest_servers, is_awaited))
        if found is not None and self.get_status(found) == 'ERROR' and (
                not getattr(found, 'fault', None)):
            # What has happened is told of a server alone.
            return self.fetch_server(server_id)
        return found

    def _newest_servers(self, number):
        return self.sdk().servers(sort_key='created_at', sort_dir='desc',
                                  limit=number, paginated=False)

    def is_built(self, server_id, res_name='Server'):
        """Return whether a server that is being made is active.

        It raises what is_active() does.
        """
        server = self.awaited_server(server_id, lambda found: (
            self.get_status(found) in self.deferred_server_statuses))
        return server is not None and self.is_active(server, res_name)

    def check_delete_server_complete(self, server_id):
        """Return whether a server is gone.

        :raises ResourceInError: deleting it failed.
        """
        try:
            server = self.awaited_server(server_id, lambda found: (
                self.get_status(found) not in ('DELETED', 'ERROR')))
        except Exception as error:
            if not self.is_not_found(error):
                raise
            return True
        if server is None:
            return False
        status = self.get_status(server)
        if status == 'DELETED':
            return True
        if status == 'ERROR' and not getattr(server, 'task_state', None):
            fault = getattr(server, 'fault', None) or {}
            raise exception.ResourceInError(
                resource_status=status,
                status_reason=fault.get('message', _('Unknown')))
        return False
