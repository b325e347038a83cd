"""QoS specs of Cinder, and the types of volumes they are for."""
from heat.common.i18n import _
from heat.engine import constraints
from heat.engine import properties
from heat.engine import support
from heat.engine.resources import sdk_resource


class QoSSpecs(sdk_resource.SDKResource):
    """QoS specs of Cinder: performance settings for volume types.

    By default only administrators may create them.
    """

    type_name = 'OS::Cinder::QoSSpecs'
    support_status = support.SupportStatus(version='7.0.0')
    default_client_name = 'cinder'
    entity = 'qos_specs'
    noun = 'qos_spec'

    SPECS = 'specs'

    properties_schema = {
        'name': properties.string(
            _('Name of the specs. If omitted, a name is generated.')),
        'specs': properties.map(
            _('QoS keys and values, as defined by the storage back end.'),
            required=True,
            update_allowed=True),
    }

    def prepare_create(self, body):
        """Say the specs beside the name."""
        return {**body.pop(self.SPECS, {}), **body}

    def _update(self, prop_diff):
        before, after = self.properties[self.SPECS], prop_diff[self.SPECS]
        changed = {key: value for key, value in after.items()
                   if key not in before or before[key] != value}
        if changed:
            self.sdk().update_qos_spec(self.resource_id, **changed)
        removed = sorted(set(before) - set(after))
        if removed:
            self.sdk().delete_qos_spec_metadata(self.resource_id, removed)

    def _delete(self):
        self.sdk().disassociate_all_qos_spec(self.resource_id)
        super()._delete()


class QoSAssociation(sdk_resource.SDKResource):
    """The association of QoS specs with volume types of Cinder.

    By default only administrators may create it.
    """

    type_name = 'OS::Cinder::QoSAssociation'
    support_status = support.SupportStatus(version='8.0.0')
    default_client_name = 'cinder'

    drift_unsupported = _('The associations of QoS specs are not read.')

    QOS_SPECS, VOLUME_TYPES = 'qos_specs', 'volume_types'

    properties_schema = {
        'qos_specs': properties.string(
            _('QoS specs, by name or ID.'),
            required=True,
            constraints=[constraints.ref('cinder.qos_specs')]),
        'volume_types': properties.list(
            _('Volume types with which the QoS specs are associated, by name '
              'or ID.'),
            required=True,
            schema=properties.string(
                constraints=[constraints.ref('cinder.vtype')]),
            update_allowed=True),
    }

    def _create(self):
        self.resource_id_set(self.physical_resource_name())
        self._associate(self.properties[self.VOLUME_TYPES])

    def _associate(self, types):
        for volume_type in types:
            self.sdk().associate_qos_spec(
                self.properties[self.QOS_SPECS], volume_type)

    def _disassociate(self, types):
        for volume_type in types:
            with self.client_plugin().ignore_not_found:
                self.sdk().disassociate_qos_spec(
                    self.properties[self.QOS_SPECS], volume_type)

    def _update(self, prop_diff):
        before = set(self.properties[self.VOLUME_TYPES])
        after = set(prop_diff[self.VOLUME_TYPES])
        self._disassociate(sorted(before - after))
        self._associate(sorted(after - before))

    def _delete(self):
        self._disassociate(self.properties[self.VOLUME_TYPES])

    def _show_resource(self):
        return None

    def handle_check(self):
        """Look whether the specs are there."""
        self.sdk().get_qos_spec(self.properties[self.QOS_SPECS])
