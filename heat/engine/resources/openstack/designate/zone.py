"""Zones of Designate."""
from heat.common import exception
from heat.common.i18n import _
from heat.engine import attributes
from heat.engine import constraints
from heat.engine import properties
from heat.engine import support
from heat.engine import translation
from heat.engine.resources.openstack.designate import designate_base


class DesignateZone(designate_base.DesignateResource):
    """A DNS zone of Designate.

    Designate manages the record sets of a primary zone and transfers a
    secondary zone from other servers.
    """

    type_name = 'OS::Designate::Zone'
    support_status = support.SupportStatus(version='8.0.0')
    entity = 'zones'
    noun = 'zone'
    name_property = None
    rename = {'primaries': 'masters'}

    properties_schema = {
        'attributes': properties.map(
            _('Attributes by which Designate schedules the zone to a pool of '
              'name servers.'),
            support_status=support.SupportStatus(version='24.0.0')),
        'description': properties.string(
            _('Description of the zone.'),
            update_allowed=True,
            constraints=[constraints.Length(max=160)]),
        'email': properties.string(
            _('E-mail address of the person responsible for the zone. '
              'Required for a zone of type PRIMARY.'),
            update_allowed=True),
        'masters': properties.list(
            _('Primary servers from which a zone of type SECONDARY is '
              'transferred.'),
            update_allowed=True,
            support_status=support.SupportStatus(
                status=support.DEPRECATED,
                version='15.0.0',
                message=_('Use the property primaries.'))),
        'name': properties.string(
            _('Domain name of the zone, with a trailing dot.'),
            required=True,
            constraints=[constraints.Length(max=255)]),
        'primaries': properties.list(
            _('Primary servers from which a zone of type SECONDARY is '
              'transferred.'),
            update_allowed=True),
        'ttl': properties.integer(
            _('Default time to live of the records in the zone, in seconds.'),
            update_allowed=True,
            constraints=[constraints.Range(min=1, max=2147483647)]),
        'type': properties.string(
            _('Type of the zone: managed in Designate (PRIMARY) or '
              'transferred from other servers (SECONDARY).'),
            default='PRIMARY',
            constraints=[constraints.AllowedValues(['PRIMARY', 'SECONDARY'])]),
    }

    attributes_schema = {
        'serial': attributes.Schema(
            _('Serial number of the zone. It increases with each change.'),
            type=attributes.Schema.STRING),
    }

    def translation_rules(self, properties):
        """Return the rule that lets masters be what primaries says."""
        return [*super().translation_rules(properties),
                translation.TranslationRule(
                    properties, translation.TranslationRule.REPLACE,
                    ['masters'], value_name='primaries')]

    def validate(self):
        """Check that there is what the type of zone needs."""
        problem = super().validate()
        kind = self.properties['type']
        needed = 'email' if kind == 'PRIMARY' else 'primaries'
        given = (self.properties[needed] or
                 needed == 'primaries' and self.properties['masters'])
        if not given:
            raise exception.StackValidationFailed(
                path=[self.stack.t.get_section_name('resources'), self.name,
                      self.stack.t.RES_PROPERTIES],
                message=_('%(needed)s is required for the type %(kind)s') % {
                    'needed': needed, 'kind': kind})
        return problem

    def prepare_update(self, body, prop_diff):
        """Send what either name of the same property says."""
        if 'masters' in body:
            body['masters'] = (prop_diff.get('primaries') or
                               prop_diff.get('masters'))
        return body
