"""Rules of layer 7 of Octavia."""
from heat.common import exception
from heat.common.i18n import _
from heat.engine import constraints
from heat.engine import properties
from heat.engine import support
from heat.engine.resources.openstack.octavia import octavia_base


class L7Rule(octavia_base.OctaviaBase):
    """A rule of a layer 7 policy of Octavia.

    A rule compares a part of the request with a value.
    """

    type_name = 'OS::Octavia::L7Rule'
    support_status = support.SupportStatus(version='10.0.0')
    noun = 'l7_rule'
    parent = 'l7policy'
    # The client has another use for a "value" when it updates.
    rename = {'value': 'rule_value'}

    properties_schema = {
        'admin_state_up': properties.boolean(
            _('Whether the rule is administratively up.'),
            default=True,
            update_allowed=True),
        'compare_type': properties.string(
            _('Comparison of the part of the request with the value.'),
            required=True,
            update_allowed=True,
            constraints=[constraints.AllowedValues([
                'REGEX', 'STARTS_WITH', 'ENDS_WITH', 'CONTAINS',
                'EQUAL_TO'])]),
        'invert': properties.boolean(
            _('Whether the result of the comparison is inverted.'),
            default=False,
            update_allowed=True),
        'key': properties.string(
            _('Name of the header or cookie. Applies to the types HEADER and '
              'COOKIE.'),
            update_allowed=True),
        'l7policy': properties.string(
            _('Policy to which the rule belongs, by name or ID.'),
            required=True,
            constraints=[constraints.ref('octavia.l7policy')]),
        'type': properties.string(
            _('Part of the request to compare.'),
            required=True,
            update_allowed=True,
            constraints=[constraints.AllowedValues([
                'HOST_NAME', 'PATH', 'FILE_TYPE', 'HEADER', 'COOKIE'])]),
        'value': properties.string(
            _('Value to compare the part of the request with.'),
            required=True,
            update_allowed=True),
    }

    def validate(self):
        """Check that what is compared has a name, and can be compared so."""
        problem = super().validate()
        kind = self.properties['type']
        if kind in ('HEADER', 'COOKIE') and not self.properties['key']:
            raise exception.StackValidationFailed(
                path=self._path('type'),
                message=_('key is required for the type %s') % kind)
        if kind == 'FILE_TYPE' and self.properties['compare_type'] not in (
                'EQUAL_TO', 'REGEX'):
            raise exception.StackValidationFailed(
                path=self._path('compare_type'),
                message=_('the type FILE_TYPE supports only the comparisons '
                          'EQUAL_TO and REGEX'))
        return problem
