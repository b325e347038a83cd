"""Record sets of Designate."""
from heat.common.i18n import _
from heat.engine import constraints
from heat.engine import properties
from heat.engine import support
from heat.engine.resources.openstack.designate import designate_base


class DesignateRecordSet(designate_base.DesignateResource):
    """A record set of DNS.

    A record set is what a zone says about a name: all records of the same
    type.
    """

    type_name = 'OS::Designate::RecordSet'
    support_status = support.SupportStatus(version='8.0.0')
    entity = 'recordsets'
    noun = 'recordset'
    parent = 'zone'

    properties_schema = {
        'description': properties.string(
            _('What the records are for.'),
            update_allowed=True,
            constraints=[constraints.Length(max=160)]),
        'name': properties.string(
            _('The name that the records are about, with a trailing dot.'),
            constraints=[constraints.Length(max=255)]),
        'records': properties.list(
            _('What the records say, in the form of their type.'),
            required=True,
            update_allowed=True),
        'ttl': properties.integer(
            _('The seconds that others may remember what the records say.'),
            update_allowed=True,
            constraints=[constraints.Range(min=1, max=2147483647)]),
        'type': properties.string(
            _('The type of the records.'),
            required=True,
            constraints=[constraints.AllowedValues([
                'A', 'AAAA', 'CNAME', 'MX', 'SRV', 'TXT', 'SPF', 'NS',
                'PTR', 'SSHFP', 'SOA', 'CAA', 'CERT', 'NAPTR'])]),
        'zone': properties.string(
            _('The zone that has the records, by name or id.'),
            required=True,
            constraints=[constraints.ref('designate.zone')]),
    }

    def _update(self, prop_diff):
        # The client has no other place for the zone here.
        self.sdk().update_recordset(self.resource_id,
                                       zone_id=self.properties[self.parent],
                                       **self._body(prop_diff))
