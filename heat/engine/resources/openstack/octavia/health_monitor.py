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

    It checks the members of the pool periodically. Unhealthy members
    receive no connections.
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
                'The pool %(pool)s already has the health monitor '
                '%(monitor)s. A pool can have only one') % {
                    'pool': pool.id, 'monitor': pool.health_monitor_id})

    properties_schema = {
        'admin_state_up': properties.boolean(
            _('Whether the health monitor is administratively up.'),
            default=True,
            update_allowed=True),
        'delay': properties.integer(
            _('Interval between two checks of a member in seconds.'),
            required=True,
            update_allowed=True,
            constraints=[constraints.Range(min=0)]),
        'expected_codes': properties.string(
            _('HTTP status codes of a healthy member: one code, a list such '
              'as "200,202", or a range such as "200-204".'),
            update_allowed=True),
        'http_method': properties.string(
            _('HTTP method of the requests that check a member. Applies to '
              'the types HTTP and HTTPS.'),
            update_allowed=True,
            constraints=[constraints.AllowedValues([
                'GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'TRACE', 'OPTIONS',
                'CONNECT', 'PATCH'])]),
        'max_retries': properties.integer(
            _('Number of consecutive checks that change the health of a '
              'member.'),
            required=True,
            update_allowed=True,
            constraints=[constraints.Range(min=1, max=10)]),
        'pool': properties.string(
            _('Pool whose members are checked, by name or ID.'),
            required=True,
            constraints=[constraints.ref('octavia.pool')]),
        'tenant_id': properties.string(
            _('Project that owns the health monitor. Only administrators may '
              'specify a project other than their own.')),
        'timeout': properties.integer(
            _('Timeout of a check in seconds. It must be less than the '
              'delay.'),
            required=True,
            update_allowed=True,
            constraints=[constraints.Range(min=0)]),
        'type': properties.string(
            _('Type of the checks.'),
            required=True,
            constraints=[constraints.AllowedValues([
                'PING', 'TCP', 'HTTP', 'HTTPS', 'UDP-CONNECT'])]),
        'url_path': properties.string(
            _('URL path of the requests that check a member. Applies to the '
              'types HTTP and HTTPS.'),
            update_allowed=True),
    }

    attributes_schema = {
        'pools': attributes.Schema(
            _('Pools whose members are checked.'),
            type=attributes.Schema.LIST),
    }
