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

    A lease reserves hosts, or room for servers, from one point in time to
    another.
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
            _('The name of the lease.'),
            required=True),
        'start_date': _time(
            _('When the lease begins, in UTC: "YYYY-MM-DD HH:MM".'),
            required=True),
        'end_date': _time(
            _('When the lease ends, in UTC: "YYYY-MM-DD HH:MM".'),
            required=True),
        'before_end_date': _time(
            _('When Blazar does what comes before the end of the lease, in '
              'UTC: "YYYY-MM-DD HH:MM".')),
        RESERVATIONS: properties.list(
            _('What the lease reserves.'),
            required=True,
            schema=properties.map(
                _('One reservation.'),
                schema={
                    'resource_type': properties.string(
                        _('What is reserved.'),
                        required=True,
                        constraints=[constraints.AllowedValues([
                            'virtual:instance', 'physical:host'])]),
                    'min': _hosts(_('The least number of hosts.')),
                    'max': _hosts(_('The greatest number of hosts.')),
                    'hypervisor_properties': properties.string(
                        _('Properties that the hypervisors must have, for '
                          'instance [">=", "$vcpus", "2"].')),
                    'resource_properties': properties.string(
                        _('Properties that the hosts must have, for '
                          'instance ["==", "$gpu", "True"].')),
                    'before_end': properties.string(
                        _('What Blazar does before the end of the lease.'),
                        default='default',
                        constraints=[constraints.AllowedValues([
                            'default', 'snapshot'])]),
                    'amount': _amount(_('The number of servers.')),
                    'vcpus': _amount(_('The number of CPUs of a server.')),
                    'memory_mb': _amount(
                        _('The memory of a server in megabytes.')),
                    'disk_gb': _amount(
                        _('The disk of a server in gigabytes.')),
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
                        _('The type of the event.'), required=True),
                    'time': properties.string(
                        _('When the event occurs.'), required=True),
                })),
    }

    attributes_schema = {
        'name': attributes.Schema(
            _('The name of the lease.'),
            type=attributes.Schema.STRING),
        'start_date': attributes.Schema(
            _('When the lease begins.'),
            type=attributes.Schema.STRING),
        'end_date': attributes.Schema(
            _('When the lease ends.'),
            type=attributes.Schema.STRING),
        'created_at': attributes.Schema(
            _('When the lease was created.'),
            type=attributes.Schema.STRING),
        'updated_at': attributes.Schema(
            _('When the lease last changed.'),
            type=attributes.Schema.STRING),
        'status': attributes.Schema(
            _('The status of the lease.'),
            type=attributes.Schema.STRING),
        'user_id': attributes.Schema(
            _('The id of the user who created the lease.'),
            type=attributes.Schema.STRING),
        'project_id': attributes.Schema(
            _('The id of the project of the lease.'),
            type=attributes.Schema.STRING),
        'trust_id': attributes.Schema(
            _('The id of the trust with which Blazar acts for the user.'),
            type=attributes.Schema.STRING),
        'reservations': attributes.Schema(
            _('The reservations of the lease, with their ids.'),
            type=attributes.Schema.LIST),
        'events': attributes.Schema(
            _('The events of the lease.'),
            type=attributes.Schema.LIST),
        'degraded': attributes.Schema(
            _('Whether the lease has lost some of what it reserved.'),
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
                        message=_('%(name)s is needed for %(type)s') % {
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
                'Blazar has no host to reserve: add one, for instance with '
                'OS::Blazar::Host.'))
        return super()._create()
