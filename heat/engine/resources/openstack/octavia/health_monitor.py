"""Health monitors of Octavia."""
from heat.common import exception
from heat.common.i18n import _
from heat.engine import attributes
from heat.engine import constraints
from heat.engine import properties
from heat.engine import support
from heat.engine.resources.openstack.octavia import octavia_base


class HealthMonitor(octavia_base.OctaviaBase):
    """A health monitor of a pool of Octavia.

    A health monitor asks the members of a pool again and again whether they
    are well. Who is not gets no connections.
    """

    type_name = 'OS::Octavia::HealthMonitor'
    support_status = support.SupportStatus(version='10.0.0')
    noun = 'health_monitor'
    rename = {'pool': 'pool_id', 'tenant_id': 'project_id'}

    def prepare_for_replace(self):
        """Give up the monitor: a pool can only have one."""
        if self.resource_id is not None:
            with self.client_plugin().ignore_not_found:
                self._try(self._delete)

    def restore_prev_rsrc(self, convergence=False):
        """Make the monitor again that a replacement was to stand in for."""
        if self.resource_id is not None:
            with self.client_plugin().ignore_not_found:
                self._show_resource()
                # It never came to that.
                return
        self._try(self._create)

    def _is_busy(self, error):
        """Return whether it helps to wait: until the one before us is gone.
        """
        return self.client_plugin().is_conflict(error)

    def _try(self, request, *args):
        taken = super()._try(request, *args)
        if not taken and self.resource_id is None:
            self._require_place()
        return taken

    def _require_place(self):
        """Raise an error if waiting will not let the pool have a monitor."""
        pool = self.sdk().get_pool(self.properties['pool'])
        if pool.health_monitor_id and pool.provisioning_status == 'ACTIVE':
            raise exception.Error(_(
                'The pool %(pool)s has the health monitor %(monitor)s '
                'already, and can only have one') % {
                    'pool': pool.id, 'monitor': pool.health_monitor_id})

    properties_schema = {
        'admin_state_up': properties.boolean(
            _('Whether the health monitor is in service.'),
            default=True,
            update_allowed=True),
        'delay': properties.integer(
            _('The seconds between two checks of a member.'),
            required=True,
            update_allowed=True,
            constraints=[constraints.Range(min=0)]),
        'expected_codes': properties.string(
            _('Statuses of HTTP that mean that the member is well: one, a '
              'list such as "200,202", or a range such as "200-204".'),
            update_allowed=True),
        'http_method': properties.string(
            _('The method of the request that checks a member, for HTTP '
              'and HTTPS.'),
            update_allowed=True,
            constraints=[constraints.AllowedValues([
                'GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'TRACE', 'OPTIONS',
                'CONNECT', 'PATCH'])]),
        'max_retries': properties.integer(
            _('How many checks in a row decide about the health of a '
              'member.'),
            required=True,
            update_allowed=True,
            constraints=[constraints.Range(min=1, max=10)]),
        'pool': properties.string(
            _('The pool whose members are checked, by name or id.'),
            required=True,
            constraints=[constraints.ref('octavia.pool')]),
        'tenant_id': properties.string(
            _('The project that owns the health monitor. Only '
              'administrators may name another one than their own.')),
        'timeout': properties.integer(
            _('The seconds that a check waits for an answer. It must be '
              'less than the delay.'),
            required=True,
            update_allowed=True,
            constraints=[constraints.Range(min=0)]),
        'type': properties.string(
            _('How a member is checked.'),
            required=True,
            constraints=[constraints.AllowedValues([
                'PING', 'TCP', 'HTTP', 'HTTPS', 'UDP-CONNECT'])]),
        'url_path': properties.string(
            _('The path of the request that checks a member, for HTTP and '
              'HTTPS.'),
            update_allowed=True),
    }

    attributes_schema = {
        'pools': attributes.Schema(
            _('The pools whose members are checked.'),
            type=attributes.Schema.LIST),
    }
