"""Leases of Blazar."""
from heat.common import exception
from heat.common.i18n import _
from heat.engine import attributes
from heat.engine import constraints
from heat.engine import properties
from heat.engine import support
from heat.engine.resources import sdk_resource

_TIME = r'\d{4}-\d{2}-\d{2}\s\d{2}:\d{2}'
#: The largest number that Blazar stores.
_MAX = 2147483647


def _time(description, **options):
    return properties.string(
        description,
        constraints=[constraints.AllowedPattern(_TIME)], **options)


def _amount(description):
    return properties.integer(
        description, constraints=[constraints.Range(min=0, max=_MAX)])


def _hosts(description):
    return properties.integer(
        description, constraints=[constraints.Range(min=1)])


class Lease(sdk_resource.SDKResource):
    """A lease of Blazar.

    A lease reserves hosts, or capacity for servers, for a period of
    time.
    """

    type_name = 'OS::Blazar::Lease'
    support_status = support.SupportStatus(version='12.0.0')
    default_client_name = 'blazar'
    entity = 'lease'

    RESERVATIONS = 'reservations'

    #: What each type of reservation needs.
    _NEEDED = {
        'physical:host': ('min', 'max'),
        'virtual:instance': ('amount', 'vcpus', 'memory_mb', 'disk_gb')}
    #: What only one type of reservation has.
    _OF_HOSTS = ('before_end', 'hypervisor_properties', 'max', 'min')
    _OF_SERVERS = ('affinity', 'amount', 'disk_gb', 'memory_mb', 'vcpus')

    properties_schema = {
        'name': properties.string(
            _('Name of the lease.'),
            required=True),
        'start_date': _time(
            _('Start time of the lease, in UTC: "YYYY-MM-DD HH:MM".'),
            required=True),
        'end_date': _time(
            _('End time of the lease, in UTC: "YYYY-MM-DD HH:MM".'),
            required=True),
        'before_end_date': _time(
            _('Time of the action before the end of the lease, in UTC: '
              '"YYYY-MM-DD HH:MM".')),
        RESERVATIONS: properties.list(
            _('Reservations of the lease.'),
            required=True,
            schema=properties.map(
                _('One reservation.'),
                schema={
                    'resource_type': properties.string(
                        _('Type of the resource to reserve.'),
                        required=True,
                        constraints=[constraints.AllowedValues([
                            'virtual:instance', 'physical:host'])]),
                    'min': _hosts(_('Minimum number of hosts.')),
                    'max': _hosts(_('Maximum number of hosts.')),
                    'hypervisor_properties': properties.string(
                        _('Properties that the hypervisors must have, for '
                          'instance [">=", "$vcpus", "2"].')),
                    'resource_properties': properties.string(
                        _('Properties that the hosts must have, for '
                          'instance ["==", "$gpu", "True"].')),
                    'before_end': properties.string(
                        _('Action that Blazar performs before the lease '
                          'ends.'),
                        default='default',
                        constraints=[constraints.AllowedValues([
                            'default', 'snapshot'])]),
                    'amount': _amount(_('Number of servers.')),
                    'vcpus': _amount(_('Number of virtual CPUs of each '
                                       'server.')),
                    'memory_mb': _amount(
                        _('Memory size of each server in megabytes.')),
                    'disk_gb': _amount(
                        _('Disk size of each server in gigabytes.')),
                    'affinity': properties.boolean(
                        _('Whether all servers run on the same host.'),
                        default=False),
                })),
        'events': properties.list(
            _('Events of the lease.'),
            default=[],
            schema=properties.map(
                _('One event.'),
                schema={
                    'event_type': properties.string(
                        _('Type of the event.'), required=True),
                    'time': properties.string(
                        _('Time of the event.'), required=True),
                })),
    }

    attributes_schema = {
        'name': attributes.Schema(
            _('Name of the lease.'),
            type=attributes.Schema.STRING),
        'start_date': attributes.Schema(
            _('Start time of the lease.'),
            type=attributes.Schema.STRING),
        'end_date': attributes.Schema(
            _('End time of the lease.'),
            type=attributes.Schema.STRING),
        'created_at': attributes.Schema(
            _('Time at which the lease was created.'),
            type=attributes.Schema.STRING),
        'updated_at': attributes.Schema(
            _('Time of the last update of the lease.'),
            type=attributes.Schema.STRING),
        'status': attributes.Schema(
            _('Status of the lease.'),
            type=attributes.Schema.STRING),
        'user_id': attributes.Schema(
            _('ID of the user who created the lease.'),
            type=attributes.Schema.STRING),
        'project_id': attributes.Schema(
            _('ID of the project that owns the lease.'),
            type=attributes.Schema.STRING),
        'trust_id': attributes.Schema(
            _('ID of the trust that Blazar uses to act for the user.'),
            type=attributes.Schema.STRING),
        'reservations': attributes.Schema(
            _('Reservations of the lease, with their IDs.'),
            type=attributes.Schema.LIST),
        'events': attributes.Schema(
            _('Events of the lease.'),
            type=attributes.Schema.LIST),
        'degraded': attributes.Schema(
            _('Whether the lease is degraded because some reserved resources '
              'are unavailable.'),
            type=attributes.Schema.BOOLEAN),
    }

    ready = sdk_resource.WaitFor(
        ready=frozenset(['PENDING', 'ACTIVE', 'TERMINATED']),
        pending=frozenset(['CREATING', 'STARTING', 'UPDATING',
                           'TERMINATING']),
        failed=frozenset(['ERROR']))
    gone = sdk_resource.WaitFor(failed=frozenset(['ERROR']))

    def validate(self):
        """Check that each reservation has what its type needs."""
        problem = super().validate()
        for index, each in enumerate(self.properties[self.RESERVATIONS]):
            for name in self._NEEDED[each['resource_type']]:
                if each[name] is None:
                    raise exception.StackValidationFailed(
                        path=[self.stack.t.get_section_name('resources'),
                              self.name, self.stack.t.RES_PROPERTIES,
                              self.RESERVATIONS, index],
                        message=_('%(name)s is required for %(type)s') % {
                            'name': name, 'type': each['resource_type']})
        return problem

    def prepare_create(self, body):
        """Send of each reservation what its type has."""
        body[self.RESERVATIONS] = [
            self._reservation(each) for each in body[self.RESERVATIONS]]
        return body

    def _reservation(self, given):
        other = (self._OF_SERVERS if given['resource_type'] == 'physical:host'
                 else self._OF_HOSTS)
        # Blazar wants these even where they say nothing.
        texts = dict.fromkeys(
            ('hypervisor_properties', 'resource_properties'), '')
        return {**{name: value for name, value in texts.items()
                   if name not in other},
                **{name: value for name, value in given.items()
                   if value is not None and name not in other}}

    def _create(self):
        if not self.client_plugin().has_host():
            raise exception.Error(_(
                'Blazar has no host to reserve. Add one, for example with '
                'OS::Blazar::Host.'))
        return super()._create()
