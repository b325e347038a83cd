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
    """A zone of DNS.

    A zone is a domain whose names Designate answers for. It has record
    sets, or is copied from other servers.
    """

    type_name = 'OS::Designate::Zone'
    support_status = support.SupportStatus(version='8.0.0')
    entity = 'zones'
    noun = 'zone'
    name_property = None
    rename = {'primaries': 'masters'}

    properties_schema = {
        'attributes': properties.map(
            _('What helps Designate to choose the servers of the zone, by '
              'name.'),
            support_status=support.SupportStatus(version='24.0.0')),
        'description': properties.string(
            _('What the zone is for.'),
            update_allowed=True,
            constraints=[constraints.Length(max=160)]),
        'email': properties.string(
            _('The address of who is responsible for the zone. A zone of '
              'type PRIMARY needs one.'),
            update_allowed=True),
        'masters': properties.list(
            _('The servers that a zone of type SECONDARY is copied from.'),
            update_allowed=True,
            support_status=support.SupportStatus(
                status=support.DEPRECATED,
                version='15.0.0',
                message=_('Use the property primaries.'))),
        'name': properties.string(
            _('The name of the domain, with a trailing dot.'),
            required=True,
            constraints=[constraints.Length(max=255)]),
        'primaries': properties.list(
            _('The servers that a zone of type SECONDARY is copied from.'),
            update_allowed=True),
        'ttl': properties.integer(
            _('The seconds that others may remember what records of the '
              'zone say.'),
            update_allowed=True,
            constraints=[constraints.Range(min=1, max=2147483647)]),
        'type': properties.string(
            _('Whether the zone is kept in Designate, or copied from other '
              'servers.'),
            default='PRIMARY',
            constraints=[constraints.AllowedValues(['PRIMARY', 'SECONDARY'])]),
    }

    attributes_schema = {
        'serial': attributes.Schema(
            _('The serial number of the zone, which grows with each '
              'change.'),
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
                message=_('%(needed)s is needed for the type %(kind)s') % {
                    'needed': needed, 'kind': kind})
        return problem

    def prepare_update(self, body, prop_diff):
        """Send what either name of the same property says."""
        if 'masters' in body:
            body['masters'] = (prop_diff.get('primaries') or
                               prop_diff.get('masters'))
        return body
