"""OS::Heat::AutoScalingGroup: resources, as many as are needed."""
from heat.common import exception
from heat.common.i18n import _
from heat.engine import attributes
from heat.engine import constraints
from heat.engine import grouputils
from heat.engine import properties
from heat.engine import rsrc_defn
from heat.engine import support
from heat.engine.resources.aws.autoscaling import (
    autoscaling_group as aws_group,
)
from heat.scaling import values

_HOT = ('heat_template_version', '2015-04-30')

#: What a definition of a member may have.
_DEFINITION_KEYS = {
    'type': 'resource_type', 'properties': 'properties',
    'metadata': 'metadata', 'deletion_policy': 'deletion_policy',
    'update_policy': 'update_policy', 'description': 'description',
}


class AutoScalingResourceGroup(aws_group.AutoScalingGroup):
    """A group of resources whose size scaling policies change.

    Members can be of any type, for example servers, or templates with a
    server and its related resources. The size stays between
    ``min_size`` and ``max_size``. After a change of its size the group
    does not scale again until ``cooldown`` has elapsed. When the group
    shrinks, the oldest members are removed first.
    """

    support_status = support.SupportStatus(version='2014.1')

    PROPERTIES = (
        RESOURCE, MAX_SIZE, MIN_SIZE, COOLDOWN, DESIRED_CAPACITY,
        ROLLING_UPDATES,
    ) = (
        'resource', 'max_size', 'min_size', 'cooldown', 'desired_capacity',
        'rolling_updates',
    )

    _ROLLING_UPDATES_SCHEMA = (
        MIN_IN_SERVICE, MAX_BATCH_SIZE, PAUSE_TIME,
    ) = (
        'min_in_service', 'max_batch_size', 'pause_time',
    )

    ATTRIBUTES = (
        OUTPUTS, OUTPUTS_LIST, CURRENT_SIZE, REFS, REFS_MAP,
    ) = (
        'outputs', 'outputs_list', 'current_size', 'refs', 'refs_map',
    )

    #: A member and its attribute, by its place: resource.<number>.<name>.
    undeclared_attributes = (values.MEMBER_PREFIX,)

    properties_schema = {
        RESOURCE: properties.Schema(
            properties.Schema.MAP,
            _('Definition of a member, as in the resources section of a HOT '
              'template.'),
            required=True,
            update_allowed=True),
        MAX_SIZE: properties.Schema(
            properties.Schema.INTEGER,
            _('Maximum number of members in the group.'),
            required=True,
            update_allowed=True,
            constraints=[constraints.Range(min=0)]),
        MIN_SIZE: properties.Schema(
            properties.Schema.INTEGER,
            _('Minimum number of members in the group.'),
            required=True,
            update_allowed=True,
            constraints=[constraints.Range(min=0)]),
        COOLDOWN: properties.Schema(
            properties.Schema.INTEGER,
            _('Cooldown in seconds: the group does not scale again within '
              'this time after a change of its size.'),
            update_allowed=True),
        DESIRED_CAPACITY: properties.Schema(
            properties.Schema.INTEGER,
            _('Number of members after creation and after each update.'),
            update_allowed=True),
        ROLLING_UPDATES: properties.Schema(
            properties.Schema.MAP,
            _('Policy for updating the members '
              'when their definition changes.'),
            update_allowed=True,
            schema={
                MIN_IN_SERVICE: properties.Schema(
                    properties.Schema.INTEGER,
                    _('Minimum number of members '
                      'in service during an update.'),
                    constraints=[constraints.Range(min=0)],
                    default=0),
                MAX_BATCH_SIZE: properties.Schema(
                    properties.Schema.INTEGER,
                    _('Maximum number of members updated at once.'),
                    constraints=[constraints.Range(min=1)],
                    default=1),
                PAUSE_TIME: properties.Schema(
                    properties.Schema.NUMBER,
                    _('Pause between batches in seconds.'),
                    constraints=[constraints.Range(min=0)],
                    default=0),
            },
            default={MIN_IN_SERVICE: 0, MAX_BATCH_SIZE: 1, PAUSE_TIME: 0}),
    }

    attributes_schema = {
        OUTPUTS: attributes.Schema(
            _('Values of the attribute that the path names, by the name of '
              'the member.'),
            support_status=support.SupportStatus(version='2014.2'),
            type=attributes.Schema.MAP),
        OUTPUTS_LIST: attributes.Schema(
            _('Values of the attribute that the path names, as a list.'),
            support_status=support.SupportStatus(version='2014.2'),
            type=attributes.Schema.LIST),
        CURRENT_SIZE: attributes.Schema(
            _('Number of members that have not failed.'),
            support_status=support.SupportStatus(version='2015.1'),
            type=attributes.Schema.INTEGER),
        REFS: attributes.Schema(
            _('List of the reference IDs of the members.'),
            type=attributes.Schema.LIST,
            support_status=support.SupportStatus(version='7.0.0')),
        REFS_MAP: attributes.Schema(
            _('Reference IDs of the members, by the name of the member.'),
            type=attributes.Schema.MAP,
            support_status=support.SupportStatus(version='7.0.0')),
    }

    update_policy_schema = {}

    # -- what the group is to be --------------------------------------------

    def _get_resource_definition(self):
        """Return the definition of a member."""
        given = self.properties[self.RESOURCE]
        unknown = sorted(set(given) - set(_DEFINITION_KEYS))
        if unknown or not isinstance(given.get('type'), str):
            raise exception.StackValidationFailed(message=_(
                '"%(name)s" must have a type and no keys other than '
                '%(keys)s. Unknown: %(unknown)s.') % {
                    'name': self.RESOURCE,
                    'keys': ', '.join(_DEFINITION_KEYS),
                    'unknown': ', '.join(unknown) or _('none')})
        return rsrc_defn.ResourceDefinition(None, **{
            _DEFINITION_KEYS[key]: value for key, value in given.items()})

    def child_params(self):
        """Return the parameters: there are none."""
        return {}

    def _rolling_policy(self):
        return self.properties[self.ROLLING_UPDATES]

    def _create_template(self, num_instances, num_replace=0,
                         template_version=_HOT):
        return super()._create_template(num_instances, num_replace,
                                        template_version=template_version)

    def _try_rolling_update(self, prop_diff):
        """Return the steps of a rolling update, None if there is none."""
        if self.RESOURCE not in prop_diff:
            return None
        policy = self._rolling_policy()
        return self._replace(policy[self.MIN_IN_SERVICE],
                             policy[self.MAX_BATCH_SIZE],
                             policy[self.PAUSE_TIME])

    def _validate_policy(self):
        """Find nothing wrong: the schema has said it all."""

    def _validate_source(self):
        self._get_resource_definition()

    def _load_balancer_names(self):
        """Return none: members find their load balancers themselves."""
        return ()

    # -- values -------------------------------------------------------------

    def _nested_output_defns(self, resource_names, get_attr_fn, get_res_fn):
        """Yield the outputs for the attributes that somebody refers to."""
        names = list(resource_names)

        def value_of(key, path):
            if key == self.REFS:
                return [get_res_fn(name) for name in names]
            if key == self.REFS_MAP:
                return {name: get_res_fn(name) for name in names}
            if key == self.OUTPUTS and path:
                return {name: get_attr_fn([name, *path]) for name in names}
            if key == self.OUTPUTS_LIST and path:
                return [get_attr_fn([name, *path]) for name in names]
            return None

        yield from values.outputs(
            {self._as_output(*values.split(attr))
             for attr in self.referenced_attrs()}, value_of)

    def _as_output(self, key, path):
        """Return the attribute that is an output of its own."""
        whole = (self.REFS, self.REFS_MAP)
        return key if key in whole or not path else (key, *path)

    def get_attribute(self, key, *path):
        """Return an attribute of the group or of its members.

        None is kept: the members change when nobody updates the stack.
        """
        if key in self.base_attributes_schema:
            return super().get_attribute(key, *path)
        if key == self.CURRENT_SIZE:
            return grouputils.get_size(self)
        if key.startswith(values.MEMBER_PREFIX):
            return grouputils.get_nested_attrs(self, key, True, *path)
        if key in (self.REFS, self.REFS_MAP):
            return attributes.select_from_attribute(
                self._from_nested(key), path)
        if key in (self.OUTPUTS, self.OUTPUTS_LIST) and path:
            return self._from_nested(key, *path)
        raise exception.InvalidTemplateAttribute(resource=self.name, key=key)

    def _from_nested(self, key, *path):
        """Return what an output of the nested stack says, or the members.
        """
        if self.resource_id is None:
            return None
        try:
            return self.get_output(values.output_name(key, *path))
        except exception.NotFound:
            # Nothing referred to it when the nested stack was made.
            pass
        names = [member.name for member in grouputils.get_members(self)]
        if key in (self.REFS, self.REFS_MAP):
            found = values.live_refs(self, names)
        else:
            found = values.live_attributes(self, names, *path)
        if key in (self.REFS, self.OUTPUTS_LIST):
            return list(found.values())
        return found

    def _resolve_attribute(self, name):
        # The others are read where a template refers to them.
        if name == self.CURRENT_SIZE:
            return grouputils.get_size(self)
        if name in (self.REFS, self.REFS_MAP):
            return self._from_nested(name)
        return None


def resource_mapping():
    """Return the types this module has, by name."""
    return {
        'OS::Heat::AutoScalingGroup': AutoScalingResourceGroup,
    }
