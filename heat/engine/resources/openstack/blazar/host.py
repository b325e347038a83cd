"""Hosts of Blazar."""
from heat.common.i18n import _
from heat.engine import attributes
from heat.engine import properties
from heat.engine import support
from heat.engine.resources import sdk_resource


class Host(sdk_resource.SDKResource):
    """A compute host that can be reserved with Blazar.

    Only administrators may add hosts. The host must not run servers.
    Nova does not schedule servers to it unless a lease reserves it.
    """

    type_name = 'OS::Blazar::Host'
    support_status = support.SupportStatus(version='12.0.0')
    default_client_name = 'blazar'
    entity = 'host'

    EXTRA_CAPABILITY = 'extra_capability'

    properties_schema = {
        'name': properties.string(
            _('Name of the compute host in Nova.'),
            required=True),
        EXTRA_CAPABILITY: properties.map(
            _('Extra capabilities by which leases select the host.')),
    }

    attributes_schema = {
        'hypervisor_hostname': attributes.Schema(
            _('Hypervisor host name of the host.'),
            type=attributes.Schema.STRING),
        'hypervisor_type': attributes.Schema(
            _('Type of the hypervisor.'),
            type=attributes.Schema.STRING),
        'hypervisor_version': attributes.Schema(
            _('Version of the hypervisor.'),
            type=attributes.Schema.INTEGER),
        'cpu_info': attributes.Schema(
            _('Information about the CPUs of the host.'),
            type=attributes.Schema.MAP),
        'created_at': attributes.Schema(
            _('Time at which the host was added.'),
            type=attributes.Schema.STRING),
        'extra_capability': attributes.Schema(
            _('Extra capabilities of the host.'),
            type=attributes.Schema.MAP),
        'local_gb': attributes.Schema(
            _('Disk size of the host in gigabytes.'),
            type=attributes.Schema.INTEGER),
        'memory_mb': attributes.Schema(
            _('Memory size of the host in megabytes.'),
            type=attributes.Schema.INTEGER),
        'reservable': attributes.Schema(
            _('Whether the host can be reserved.'),
            type=attributes.Schema.BOOLEAN),
        'service_name': attributes.Schema(
            _('Name of the compute service on the host.'),
            type=attributes.Schema.STRING),
        'status': attributes.Schema(
            _('Status of the host.'),
            type=attributes.Schema.STRING),
        'trust_id': attributes.Schema(
            _('ID of the trust that Blazar uses to act for the user.'),
            type=attributes.Schema.STRING),
        'updated_at': attributes.Schema(
            _('Time of the last update of the host.'),
            type=attributes.Schema.STRING),
        'vcpus': attributes.Schema(
            _('Number of virtual CPUs of the host.'),
            type=attributes.Schema.INTEGER),
    }

    def prepare_create(self, body):
        """Put the further capabilities beside the name, as Blazar wants."""
        return {**(body.pop(self.EXTRA_CAPABILITY, None) or {}), **body}

    def _find_by_name(self):
        """Return None: the name is that of a host that is there before."""

    def parse_live(self, live):
        """Return what is shown, with the further capabilities in a map."""
        return {**live, self.EXTRA_CAPABILITY: {
            name: value for name, value in live.items()
            if name not in self.attributes_schema and name != 'id'}}
