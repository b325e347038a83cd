"""Host aggregates of Nova."""
from heat.common.i18n import _
from heat.engine import constraints
from heat.engine import properties
from heat.engine import support
from heat.engine.resources import sdk_resource


class HostAggregate(sdk_resource.SDKResource):
    """A host aggregate of Nova: a group of hosts with common metadata.

    The scheduler selects hosts by the metadata of aggregates. By
    default only administrators may create it.
    """

    type_name = 'OS::Nova::HostAggregate'
    support_status = support.SupportStatus(version='6.0.0')
    default_client_name = 'nova'
    entity = 'aggregates'
    noun = 'aggregate'

    HOSTS, METADATA = 'hosts', 'metadata'

    properties_schema = {
        'name': properties.string(
            _('Name of the host aggregate.'),
            required=True,
            update_allowed=True),
        'availability_zone': properties.string(
            _('Name of the availability zone that the aggregate forms.'),
            update_allowed=True),
        'hosts': properties.list(
            _('Names of the hosts in the aggregate.'),
            schema=properties.string(
                constraints=[constraints.CustomConstraint('nova.host')]),
            update_allowed=True),
        'metadata': properties.map(
            _('Metadata of the aggregate, by which the scheduler selects '
              'hosts.'),
            default={},
            update_allowed=True),
    }

    omit = (HOSTS, METADATA)

    def _create(self):
        created = self.sdk().create_aggregate(
            **self._body(self._given()))
        self.resource_id_set(str(created.id))
        if self.properties[self.METADATA]:
            self.sdk().set_aggregate_metadata(
                self.resource_id, self.properties[self.METADATA])
        self._add(self.properties[self.HOSTS] or [])
        return created

    def _update(self, prop_diff):
        super()._update(prop_diff)
        if self.METADATA in prop_diff:
            gone = dict.fromkeys(self.properties[self.METADATA] or {})
            self.sdk().set_aggregate_metadata(
                self.resource_id,
                {**gone, **(prop_diff[self.METADATA] or {})})
        if self.HOSTS in prop_diff:
            wanted = set(prop_diff[self.HOSTS] or [])
            present = set(self._show_resource().get(self.HOSTS) or [])
            self._remove(sorted(present - wanted))
            self._add(sorted(wanted - present))

    def _add(self, hosts):
        for host in hosts:
            self.sdk().add_host_to_aggregate(self.resource_id, host)

    def _remove(self, hosts):
        for host in hosts:
            with self.client_plugin().ignore_not_found:
                self.sdk().remove_host_from_aggregate(self.resource_id,
                                                         host)

    def _delete(self):
        # Nova deletes no aggregate that has hosts.
        self._remove(self._show_resource().get(self.HOSTS) or [])
        super()._delete()
