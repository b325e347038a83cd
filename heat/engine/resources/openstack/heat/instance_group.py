"""OS::Heat::InstanceGroup: a number of like servers."""
from heat.common import environment_format
from heat.common import exception
from heat.common import short_id
from heat.common import timeutils
from heat.common.i18n import _
from heat.engine import attributes
from heat.engine import grouputils
from heat.engine import output
from heat.engine import properties
from heat.engine import rsrc_defn
from heat.engine import scheduler
from heat.engine.resources import stack_resource
from heat.scaling import lbutils
from heat.scaling import rolling_update
from heat.scaling import steps
from heat.scaling import template as scl_template

#: The type that members have in the nested stack.
SCALED_RESOURCE_TYPE = 'OS::Heat::ScaledResource'

#: The longest pause between two batches, in seconds.
_MAX_PAUSE = 3600
#: What stands in the list for a server without an address.
_NO_ADDRESS = '0.0.0.0'
_METERING = 'metering.'


class InstanceGroup(stack_resource.StackResource):
    """A group of identically configured servers.

    The servers are created according to a launch configuration. When it
    changes, existing servers are kept unless the update policy
    specifies a rolling update.
    """

    PROPERTIES: tuple[str, ...]
    PROPERTIES = (
        AVAILABILITY_ZONES, LAUNCH_CONFIGURATION_NAME, SIZE,
        LOAD_BALANCER_NAMES, TAGS,
    ) = (
        'AvailabilityZones', 'LaunchConfigurationName', 'Size',
        'LoadBalancerNames', 'Tags',
    )

    _TAG_KEYS = (
        TAG_KEY, TAG_VALUE,
    ) = (
        'Key', 'Value',
    )

    _ROLLING_UPDATE_SCHEMA_KEYS = (
        MIN_INSTANCES_IN_SERVICE, MAX_BATCH_SIZE, PAUSE_TIME,
    ) = (
        'MinInstancesInService', 'MaxBatchSize', 'PauseTime',
    )

    _UPDATE_POLICY_SCHEMA_KEYS = (ROLLING_UPDATE,) = ('RollingUpdate',)

    ATTRIBUTES: tuple[str, ...]
    ATTRIBUTES = (
        INSTANCE_LIST,
    ) = (
        'InstanceList',
    )

    (OUTPUT_MEMBER_IDS,) = ('references',)

    properties_schema = {
        AVAILABILITY_ZONES: properties.Schema(
            properties.Schema.LIST,
            _('Availability zones of the servers. This property has no '
              'effect.'),
            required=True),
        LAUNCH_CONFIGURATION_NAME: properties.Schema(
            properties.Schema.STRING,
            _('Reference to the launch configuration of the servers.'),
            required=True,
            update_allowed=True),
        SIZE: properties.Schema(
            properties.Schema.INTEGER,
            _('Number of servers in the group.'),
            required=True,
            update_allowed=True),
        LOAD_BALANCER_NAMES: properties.Schema(
            properties.Schema.LIST,
            _('References to the load balancers to which the servers are '
              'added.')),
        TAGS: properties.Schema(
            properties.Schema.LIST,
            _('Tags of each server.'),
            schema=properties.Schema(
                properties.Schema.MAP,
                _('One tag.'),
                schema={
                    TAG_KEY: properties.Schema(
                        properties.Schema.STRING,
                        _('Name of the tag.'),
                        required=True),
                    TAG_VALUE: properties.Schema(
                        properties.Schema.STRING,
                        _('Value of the tag.'),
                        required=True),
                })),
    }

    attributes_schema = {
        INSTANCE_LIST: attributes.Schema(
            _('IP addresses of the servers, separated by commas.'),
            type=attributes.Schema.STRING),
    }

    rolling_update_schema = {
        MIN_INSTANCES_IN_SERVICE: properties.Schema(
            properties.Schema.INTEGER,
            _('Minimum number of servers in service during an update.'),
            default=0),
        MAX_BATCH_SIZE: properties.Schema(
            properties.Schema.INTEGER,
            _('Maximum number of servers updated at once.'),
            default=1),
        PAUSE_TIME: properties.Schema(
            properties.Schema.STRING,
            _('Pause between two batches as an ISO 8601 duration, such as '
              'PT10S.'),
            default='PT0S'),
    }

    update_policy_schema = {
        ROLLING_UPDATE: properties.Schema(
            properties.Schema.MAP,
            schema=rolling_update_schema),
    }

    # -- what the group is to be --------------------------------------------

    def get_size(self):
        """Return how many members there shall be."""
        return self.properties[self.SIZE]

    def _target_capacity(self):
        """Return how many members an update leads to."""
        return self.get_size()

    def _rolling_policy(self):
        """Return the update policy for batches, or None."""
        return self.update_policy.get(self._UPDATE_POLICY_SCHEMA_KEYS[0])

    def _group_data(self, refresh=False):
        """Return an inspector of the members, anew when told so."""
        if refresh or getattr(self, '_inspector', None) is None:
            self._inspector = (
                grouputils.GroupInspector.from_parent_resource(self))
        return self._inspector

    def _launch_configuration(self):
        """Return the resource that says how to make servers."""
        reference = self.properties[self.LAUNCH_CONFIGURATION_NAME]
        conf = self.stack.resource_by_refid(reference)
        if conf is None and reference in self.stack:
            conf = self.stack[reference]
        if conf is None:
            raise exception.StackValidationFailed(message=_(
                '%(property)s: the stack has no launch configuration '
                '"%(name)s".') % {
                    'property': self.LAUNCH_CONFIGURATION_NAME,
                    'name': reference})
        return conf

    def _get_conf_properties(self):
        """Return the launch configuration and the properties it gives."""
        conf = self._launch_configuration()
        values = conf.frozen_definition().properties(
            conf.properties_schema, conf.context)
        given = {name: _without_null(value)
                 for name, value in values.items() if value is not None}
        given.pop('InstanceId', None)
        return conf, given

    def _tags(self):
        """Return the tags of each member.

        Unless the user has tags for metering, one names the group.
        """
        tags = list(self.properties[self.TAGS] or ())
        if any(tag[self.TAG_KEY].startswith(_METERING) for tag in tags):
            return tags
        return [*tags, {self.TAG_KEY: _METERING + 'groupname',
                        self.TAG_VALUE: self.planned_id()}]

    def _get_resource_definition(self):
        """Return the definition of a member."""
        conf, values = self._get_conf_properties()
        values['Tags'] = self._tags()
        return rsrc_defn.ResourceDefinition(
            None, SCALED_RESOURCE_TYPE, values, conf.t.metadata())

    # -- the nested template ------------------------------------------------

    def child_template(self):
        """Return the template of all members."""
        return self._create_template(self.get_size())

    def child_params(self):
        """Return the environment that says what a member is."""
        return {
            environment_format.PARAMETERS: {},
            environment_format.RESOURCE_REGISTRY: {
                SCALED_RESOURCE_TYPE: 'AWS::EC2::Instance'},
        }

    def child_template_files(self, child_env):
        """Return the files, during a rolling update also the old ones."""
        return grouputils.get_child_template_files(
            self.context, self.stack, bool(self._rolling_policy()),
            self.old_template_id)

    def _create_template(self, num_instances, num_replace=0,
                         template_version=('HeatTemplateFormatVersion',
                                           '2012-12-12')):
        """Return a template with so many members.

        :param num_replace: how many of them may be made or changed now;
            what is missing is made in any case.
        """
        wanted = self._get_resource_definition()
        return self._assemble(scl_template.member_definitions(
            [(name, defn) for name, defn, _ok in self._ranked(wanted)],
            wanted, num_instances, num_replace, short_id.generate_id),
            template_version)

    def _assemble(self, definitions, template_version):
        definitions = list(scl_template.measured(definitions))
        tmpl = scl_template.make_template(definitions,
                                          version=template_version)
        names = [name for name, _defn in definitions]
        for defn in self._outputs_for(tmpl, names):
            tmpl.add_output(defn)
        return tmpl

    def _outputs_for(self, tmpl, names):
        if 'heat_template_version' in tmpl.t:
            return self._nested_output_defns(
                names, lambda path: {'get_attr': path},
                lambda name: {'get_resource': name})
        return self._nested_output_defns(
            names, lambda path: {'Fn::GetAtt': path},
            lambda name: {'Ref': name})

    def _nested_output_defns(self, resource_names, get_attr_fn, get_res_fn):
        """Yield the outputs that we read from the nested stack."""
        if self.INSTANCE_LIST in self.referenced_attrs():
            yield output.OutputDefinition(
                self.INSTANCE_LIST,
                [get_attr_fn([name, 'PublicIp']) for name in resource_names])
        yield output.OutputDefinition(
            self.OUTPUT_MEMBER_IDS,
            {name: get_res_fn(name) for name in resource_names})

    def _ranked(self, wanted):
        """Return (name, definition, whether it is as wanted) of members.

        Those that shall go first when there are too many come first: what
        has failed, then what is out of date, then the oldest.
        """
        healthy = set(self._group_data().member_names(include_failed=False))
        members = [
            (name, defn, name in healthy and defn == wanted) for name, defn
            in grouputils.get_member_definitions(self, include_failed=True)]
        return sorted(members, key=lambda member: (member[0] in healthy,
                                                   member[2]))

    # -- validation ---------------------------------------------------------

    def validate(self):
        """Check what the schema cannot say, then the nested stack."""
        super().validate()
        self._validate_policy()
        for name in self._load_balancer_names():
            balancer = self._load_balancer(name)
            if balancer is not None:
                lbutils.require_load_balancer(balancer)

    def _validate_policy(self):
        policy = self._rolling_policy()
        if not policy:
            return
        if timeutils.parse_isoduration(policy[self.PAUSE_TIME]) > _MAX_PAUSE:
            raise ValueError(_('Maximum %s is 1 hour.') % self.PAUSE_TIME)

    def validate_nested_stack(self):
        """Validate one member on behalf of all; none for an empty group."""
        size = self._target_capacity()
        if not size:
            return
        self._validate_as_nested(
            lambda: scl_template.example(self._nested_for_parameters(), size))
        self._check_wanted(size)
        self.validated_size *= size

    def _nested_for_parameters(self):
        """Return the template of one member: all have the same parameters.
        """
        return self._create_template(1)

    # -- create and update --------------------------------------------------

    def handle_create(self):
        """Begin to create the members."""
        return self.create_with_template(self.child_template(),
                                         self.child_params())

    def handle_adopt(self, resource_data=None):
        """Begin to adopt the members that a group had."""
        adopted = (resource_data or {}).get('resources') or {}
        version = next(item for item in self.child_template().t.items()
                       if item[0].lower().endswith('version'))
        wanted = self._get_resource_definition()
        return self.create_with_template(
            self._assemble([(name, wanted) for name in sorted(adopted)],
                           version),
            self.child_params(), adopt_data=resource_data)

    def check_create_complete(self, task=None):
        """Look whether all members are there; tell load balancers then."""
        done = super().check_create_complete(task)
        if done:
            self._lb_reload()
        return done

    def handle_update(self, json_snippet, tmpl_diff, prop_diff):
        """Begin to change the members, in batches if so wished."""
        if tmpl_diff and tmpl_diff.update_policy_changed():
            self.update_policy = json_snippet.update_policy(
                self.update_policy_schema, self.context)
        self.properties = json_snippet.properties(self.properties_schema,
                                                  self.context)
        self._group_data(refresh=True)
        runners = self._try_rolling_update(prop_diff or {})
        if not runners:
            capacity = self._target_capacity()
            runners = [scheduler.TaskRunner(
                self._run_batch, capacity, 0, self.stack.timeout_mins)]
        return steps.begin(runners)

    def check_update_complete(self, cookie=None):
        """Look whether all batches are complete."""
        if not steps.are_done(cookie):
            return False
        self._lb_reload()
        return True

    def _try_rolling_update(self, prop_diff):
        """Return the steps of a rolling update, None if there is none."""
        policy = self._rolling_policy()
        if not policy or self.LAUNCH_CONFIGURATION_NAME not in prop_diff:
            return None
        return self._replace(
            policy[self.MIN_INSTANCES_IN_SERVICE],
            policy[self.MAX_BATCH_SIZE],
            timeutils.parse_isoduration(policy[self.PAUSE_TIME]))

    def _replace(self, min_in_service, batch_size, pause_sec):
        """Return the steps that bring all members up to date."""
        members = self._ranked(self._get_resource_definition())
        batches = rolling_update.batches(
            self._target_capacity(), len(members),
            sum(1 for *_rest, is_right in members if is_right),
            max(batch_size, 1), max(min_in_service, 0))
        return steps.batched(self._run_batch, batches, pause_sec,
                             self.stack.timeout_secs())

    def _run_batch(self, capacity, num_new, timeout_mins):
        """A task to bring the group to a size and change some members."""
        self._group_data(refresh=True)
        tmpl = self._create_template(capacity, num_new)
        self._lb_reload(tmpl)
        if self.resource_id is None:
            self.create_with_template(tmpl, self.child_params(),
                                      timeout_mins)
            check = super().check_create_complete
        else:
            self.update_with_template(tmpl, self.child_params(),
                                      timeout_mins)
            check = super().check_update_complete
        while not check():
            yield

    def resize(self, new_capacity):
        """Begin to give the group another size; return a cookie.

        The oldest members go first.
        """
        self._group_data(refresh=True)
        tmpl = self._create_template(new_capacity)
        self._lb_reload(tmpl)
        return self.update_with_template(tmpl, self.child_params())

    # -- load balancers -----------------------------------------------------

    def _load_balancer(self, name):
        """Return the load balancer that a name or reference is of."""
        found = self.stack.resource_by_refid(name)
        if found is None and name in self.stack:
            found = self.stack[name]
        return found

    def _load_balancer_names(self):
        return self.properties[self.LOAD_BALANCER_NAMES] or ()

    def _lb_reload(self, to_come=None):
        """Tell the load balancers which members there are.

        :param to_come: the next template; members that it drops or changes
            are going out of service.
        """
        names = self._load_balancer_names()
        if not names or self.resource_id is None:
            return
        members = self._member_refs()
        for name in self._leaving(to_come) if to_come is not None else ():
            members.pop(name, None)
        balancers = [self._load_balancer(name) for name in names]
        for name, balancer in zip(names, balancers, strict=True):
            if balancer is None or balancer.action == self.INIT:
                raise exception.Error(_(
                    'Load balancer "%s" was not created; a reference to it '
                    'would have made the group wait for it.') % name)
        lbutils.reconfigure_loadbalancers(balancers, list(members.values()))

    def _leaving(self, to_come):
        """Return the members that a template drops or changes."""
        definitions = to_come.resource_definitions(None)
        return [name for name, defn in grouputils.get_member_definitions(
                self, include_failed=True)
                if definitions.get(name) != defn]

    def _member_refs(self):
        """Return {name: reference id} of the members in service."""
        return {member.name: member.FnGetRefId()
                for member in grouputils.get_members(self)}

    # -- values -------------------------------------------------------------

    def _resolve_attribute(self, name):
        if name != self.INSTANCE_LIST:
            return None
        try:
            addresses = self.get_output(self.INSTANCE_LIST)
        except exception.NotFound:
            # Nothing referred to it when the nested stack was made.
            addresses = [member.FnGetAtt('PublicIp')
                         for member in grouputils.get_members(self)]
        if addresses is None:
            return None
        return ','.join(address or _NO_ADDRESS for address in addresses)


def _without_null(value):
    """Return a value without the keys of mappings in it that are null."""
    if isinstance(value, dict):
        return {key: _without_null(item) for key, item in value.items()
                if item is not None}
    if isinstance(value, list):
        return [_without_null(item) for item in value]
    return value


def resource_mapping():
    """Return the types this module has, by name."""
    return {
        'OS::Heat::InstanceGroup': InstanceGroup,
    }
