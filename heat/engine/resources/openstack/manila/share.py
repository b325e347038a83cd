"""Shares of Manila."""
from heat.common import exception
from heat.common.i18n import _
from heat.engine import attributes
from heat.engine import constraints
from heat.engine import properties
from heat.engine import support
from heat.engine.resources import sdk_resource


class ManilaShare(sdk_resource.SDKResource):
    """A share of Manila.

    A share is a file system that several servers can use at the same
    time.
    """

    type_name = 'OS::Manila::Share'
    support_status = support.SupportStatus(version='5.0.0')
    default_client_name = 'manila'
    entity = 'shares'
    noun = 'share'

    ACCESS_RULES, METADATA, EXPORT_LOCATIONS = (
        'access_rules', 'metadata', 'export_locations')

    properties_schema = {
        'share_protocol': properties.string(
            _('Protocol of the share.'),
            required=True,
            constraints=[constraints.AllowedValues([
                'NFS', 'CIFS', 'GlusterFS', 'HDFS', 'CEPHFS'])]),
        'size': properties.integer(
            _('Size of the share in gigabytes.'),
            required=True),
        'snapshot': properties.string(
            _('Snapshot from which the share is created, by name or ID.'),
            constraints=[constraints.ref('manila.share_snapshot')]),
        'name': properties.string(
            _('Name of the share.'),
            update_allowed=True),
        METADATA: properties.map(
            _('Metadata of the share.'),
            update_allowed=True),
        'share_network': properties.string(
            _('Share network of the share, by name or ID.'),
            constraints=[constraints.ref('manila.share_network')]),
        'description': properties.string(
            _('Description of the share.'),
            update_allowed=True),
        'share_type': properties.string(
            _('Share type, by name or ID. Defaults to the default share type '
              'of the cloud.'),
            constraints=[constraints.ref('manila.share_type')]),
        'is_public': properties.boolean(
            _('Whether the share is visible to all projects.'),
            default=False,
            update_allowed=True),
        ACCESS_RULES: properties.list(
            _('Access rules of the share.'),
            default=[],
            schema=properties.map(
                _('One access rule.'),
                schema={
                    'access_to': properties.string(
                        _('IP address, user or other identity to which access '
                          'is granted.'),
                        required=True),
                    'access_type': properties.string(
                        _('Type of the identity.'),
                        required=True,
                        constraints=[constraints.AllowedValues([
                            'ip', 'user', 'cert', 'cephx'])]),
                    'access_level': properties.string(
                        _('Access level: read-only ("ro") or read and write '
                          '("rw").'),
                        constraints=[constraints.AllowedValues([
                            'ro', 'rw'])]),
                }),
            update_allowed=True),
    }

    attributes_schema = {
        'availability_zone': attributes.Schema(
            _('Availability zone of the share.'),
            type=attributes.Schema.STRING),
        'host': attributes.Schema(
            _('Host of the share.'),
            type=attributes.Schema.STRING),
        EXPORT_LOCATIONS: attributes.Schema(
            _('Export locations from which the share can be mounted.'),
            type=attributes.Schema.LIST),
        'share_server_id': attributes.Schema(
            _('ID of the share server.'),
            type=attributes.Schema.STRING),
        'created_at': attributes.Schema(
            _('Time at which the share was created.'),
            type=attributes.Schema.STRING),
        'status': attributes.Schema(
            _('Status of the share.'),
            type=attributes.Schema.STRING),
        'project_id': attributes.Schema(
            _('ID of the project that owns the share.'),
            type=attributes.Schema.STRING),
    }

    rename = {'share_protocol': 'share_proto', 'snapshot': 'snapshot_id',
              'share_network': 'share_network_id'}
    omit = (ACCESS_RULES,)
    ready = sdk_resource.WaitFor(
        ready=frozenset(['available']),
        pending=frozenset(['creating', 'creating_from_snapshot']),
        failed=frozenset(['error']))
    gone = sdk_resource.WaitFor(
        failed=frozenset(['error', 'error_deleting']))

    #: States of rules that are on their way out.
    _DENIED = ('queued_to_deny', 'denying')

    # The rules that an update has asked for; None for no change.
    _wanted_rules: list | None = None

    # -- create and update --------------------------------------------------

    def check_create_complete(self, taken):
        """Return whether the share is there with its access rules."""
        rules = self.properties[self.ACCESS_RULES]
        return super().check_create_complete(taken) and (
            not rules or self._apply_rules(rules))

    def _update(self, prop_diff):
        # Manila names what changes as it did in its first version.
        names = {'name': 'display_name', 'description': 'display_description',
                 'is_public': 'is_public'}
        body = {names[name]: value for name, value in prop_diff.items()
                if name in names}
        if 'display_name' in body and body['display_name'] is None:
            body['display_name'] = self.physical_resource_name()
        if body:
            self.sdk().update_share(self.resource_id, **body)
        if self.METADATA in prop_diff:
            self.client_plugin().set_share_metadata(
                self.resource_id, prop_diff[self.METADATA] or {})
        self._wanted_rules = (prop_diff[self.ACCESS_RULES] or [] if
                              self.ACCESS_RULES in prop_diff else None)

    def check_update_complete(self, unsent):
        """Return whether the share and its access rules have changed."""
        return super().check_update_complete(unsent) and (
            self._wanted_rules is None or
            self._apply_rules(self._wanted_rules))

    # -- access rules -------------------------------------------------------

    def _apply_rules(self, rules):
        """Ask for missing rules to be allowed, and others to be denied.

        A rule is allowed after the one for the same identity is gone.

        :returns: whether just the given rules are in force.
        :raises ResourceInError: Manila could not apply one.
        """
        wanted = {(each['access_type'], each['access_to'],
                   each['access_level'] or 'rw') for each in rules or ()}
        present = {_key(each): each for each in
                   self.sdk().access_rules(self.resource_id)}
        for key, rule in present.items():
            if rule.state == 'error' and key in wanted:
                raise exception.ResourceInError(
                    resource_status=rule.state, status_reason=_(
                        'the access rule for %s cannot be applied') % key[1])
            if key not in wanted and rule.state not in self._DENIED:
                self.sdk().delete_access_rule(rule.id, self.resource_id,
                                              ignore_missing=True)
        taken = {key[:2] for key in present}
        for kind, identity, level in sorted(wanted):
            if (kind, identity) not in taken:
                self.sdk().create_access_rule(
                    self.resource_id, access_type=kind, access_to=identity,
                    access_level=level)
        return present.keys() == wanted and all(
            rule.state == 'active' for rule in present.values())

    # -- what others see ----------------------------------------------------

    def _resolve_attribute(self, name):
        if name == self.EXPORT_LOCATIONS and self.resource_id is not None:
            return [sdk_resource.shown(each) for each in
                    self.sdk().export_locations(self.resource_id)]
        return super()._resolve_attribute(name)

    def parse_live(self, live):
        """Return what is shown, with the access rules."""
        return {**super().parse_live(live), self.ACCESS_RULES: [
            {'access_type': each.access_type, 'access_to': each.access_to,
             'access_level': each.access_level}
            for each in self.sdk().access_rules(self.resource_id)]}


def _key(rule):
    return rule.access_type, rule.access_to, rule.access_level
