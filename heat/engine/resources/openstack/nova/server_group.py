"""Server groups of Nova."""
from heat.common import exception
from heat.common.i18n import _
from heat.engine import constraints
from heat.engine import properties
from heat.engine import support
from heat.engine.resources import sdk_resource

#: The microversions that brought soft policies, and rules.
_SOFT, _RULES = '2.15', '2.64'


class ServerGroup(sdk_resource.SDKResource):
    """A server group of Nova: servers that are placed by a common policy.

    A server joins the group by the scheduler hint ``group``.
    """

    type_name = 'OS::Nova::ServerGroup'
    support_status = support.SupportStatus(version='2014.2')
    default_client_name = 'nova'
    entity = 'server_groups'
    noun = 'server_group'

    POLICIES, RULES = 'policies', 'rules'

    properties_schema = {
        'name': properties.string(
            _('Name of the group. If omitted, a name is generated.')),
        'policies': properties.list(
            _('Placement policy of the group: servers run on the same host '
              '(affinity) or on different hosts (anti-affinity). The soft '
              'policies are applied as far as possible.'),
            default=['anti-affinity'],
            constraints=[constraints.AllowedValues([
                             'anti-affinity', 'affinity',
                             'soft-anti-affinity', 'soft-affinity'])],
            schema=properties.string()),
        'rules': properties.map(
            _('Rules of the policy.'),
            schema={
                'max_server_per_host': properties.number(
                    _('Maximum number of servers of the group per host. '
                      'Applies to the policy anti-affinity.')),
            },
            support_status=support.SupportStatus(version='17.0.0')),
    }

    def validate(self):
        """Check that Nova has the policies, and rules if there are any."""
        problem = super().validate()
        soft = [policy for policy in self.properties[self.POLICIES]
                if 'soft' in policy]
        for name, version, needed in ((self.POLICIES, _SOFT, soft), (
                self.RULES, _RULES, self._rules())):
            if needed and not self.client_plugin().is_version_supported(
                    version):
                raise exception.StackValidationFailed(message=_(
                    'The %(name)s require version %(version)s of the Compute '
                    'API, which is not available in this cloud') % {
                        'name': name, 'version': version})
        return problem

    def _rules(self):
        return {name: int(value) for name, value
                in (self.properties[self.RULES] or {}).items()
                if value is not None}

    def prepare_create(self, body):
        """Leave out rules that say nothing."""
        body.pop(self.RULES, None)
        rules = self._rules()
        return {**body, self.RULES: rules} if rules else body

    def needs_replace_failed(self):
        """Replace what failed unless it is there."""
        if not self.resource_id:
            return True
        with self.client_plugin().ignore_not_found:
            self._show_resource()
            return False
        return True
