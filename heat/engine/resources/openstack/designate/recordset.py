"""Record sets of Designate."""
from heat.common.i18n import _
from heat.engine import constraints
from heat.engine import properties
from heat.engine import support
from heat.engine.resources.openstack.designate import designate_base


class DesignateRecordSet(designate_base.DesignateResource):
    """A record set of Designate.

    A record set holds all DNS records of one name and one type in a
    zone.
    """

    type_name = 'OS::Designate::RecordSet'
    support_status = support.SupportStatus(version='8.0.0')
    entity = 'recordsets'
    noun = 'recordset'
    parent = 'zone'

    properties_schema = {
        'description': properties.string(
            _('Description of the record set.'),
            update_allowed=True,
            constraints=[constraints.Length(max=160)]),
        'name': properties.string(
            _('Name of the record set, a fully qualified domain name with a '
              'trailing dot.'),
            constraints=[constraints.Length(max=255)]),
        'records': properties.list(
            _('Data of the records, in the format of the record type.'),
            required=True,
            update_allowed=True),
        'ttl': properties.integer(
            _('Time to live of the records in seconds.'),
            update_allowed=True,
            constraints=[constraints.Range(min=1, max=2147483647)]),
        'type': properties.string(
            _('Record type.'),
            required=True,
            constraints=[constraints.AllowedValues([
                'A', 'AAAA', 'CNAME', 'MX', 'SRV', 'TXT', 'SPF', 'NS',
                'PTR', 'SSHFP', 'SOA', 'CAA', 'CERT', 'NAPTR'])]),
        'zone': properties.string(
            _('Zone of the record set, by name or ID.'),
            required=True,
            constraints=[constraints.ref('designate.zone')]),
    }

    def _update(self, prop_diff):
        # The client has no other place for the zone here.
        self.sdk().update_recordset(self.resource_id,
                                       zone_id=self.properties[self.parent],
                                       **self._body(prop_diff))
