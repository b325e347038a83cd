"""Ask Nova for several objects at once: servers to poll, flavors by name."""
import datetime
from typing import Any

from oslo_utils import uuidutils

from heat.common import exception
from heat.common import timeutils
from heat.common.i18n import _
from heat.engine.clients import sdk_plugin
from heat.engine.clients import shared_looks

#: Servers that have changed since then are listed during a deletion. It allows
#: for long deletions and clocks that differ; Nova searches an index.
_CHANGED = datetime.timedelta(hours=1)


class AsksTogether(sdk_plugin.MicroversionedPlugin):
    """The part of the Nova plugin that lists servers and flavors."""

    fetch_server: Any
    get_status: Any
    is_active: Any
    deferred_server_statuses: Any

    def awaited_server(self, server_id, is_awaited):
        """Return a server that a resource waits for, or None if unknown.

        :param is_awaited: returns whether the caller polls the server again
        :raises NotFoundException: (openstacksdk) the server does not exist
        """
        return self._with_fault(self.awaited_thing(
            'server', server_id, shared_looks.Service(
                self.fetch_server, self._newest_servers, is_awaited)))

    def _deleted_server(self, server_id):
        """Return a server that is being deleted, or None if unknown."""
        return self._with_fault(self.awaited_thing(
            'deleted server', server_id, shared_looks.Service(
                self.fetch_server, self._changed_servers, lambda found: (
                    self.get_status(found) not in ('DELETED', 'ERROR')))))

    def _with_fault(self, found):
        if found is not None and self.get_status(found) == 'ERROR' and (
                not getattr(found, 'fault', None)):
            # Lists of some releases have no faults.
            return self.fetch_server(found.id)
        return found

    def _newest_servers(self, number):
        return self.sdk().servers(sort_key='created_at', sort_dir='desc',
                                  limit=number)

    def _changed_servers(self, number):
        """List servers by the time of their last change, deleted ones too.

        https://docs.openstack.org/api-ref/compute/, "changes-since".
        """
        since = timeutils.utcnow() - _CHANGED
        return self.sdk().servers(
            changes_since=since.isoformat(timespec='seconds') + 'Z',
            sort_key='updated_at', sort_dir='desc', limit=number)

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
            server = self._deleted_server(server_id)
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

    # -- flavors ------------------------------------------------------------

    def _named(self, entity, name, filters):
        """Return the flavor of a name or an ID that is no UUID.

        Flavors cannot be listed by name, but one list has both.
        """
        if entity != 'flavor' or uuidutils.is_uuid_like(name):
            return super()._named(entity, name, filters)
        known = list(self.sdk().flavors())
        found = ([each for each in known if each.id == name] or
                 [each for each in known if each.name == name])
        return found[0] if len(found) == 1 else None
