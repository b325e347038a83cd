"""AWS::AutoScaling::AutoScalingGroup: servers, as many as are needed."""
import dataclasses

from oslo_log import log as logging

from heat.common import exception
from heat.common.i18n import _
from heat.engine import attributes
from heat.engine import constraints
from heat.engine import grouputils
from heat.engine import properties
from heat.engine import resource
from heat.engine import rsrc_defn
from heat.engine import scheduler
from heat.engine import support
from heat.engine.notification import autoscaling as notification
from heat.engine.resources import stack_resource
from heat.engine.resources.openstack.heat import instance_group
from heat.scaling import cooldown
from heat.scaling import scalingutil

LOG = logging.getLogger(__name__)

#: Seconds between two looks at a group that is being resized.
_LOOK_INTERVAL = 1

_OF_INSTANCES = instance_group.InstanceGroup.properties_schema


class AutoScalingGroup(cooldown.CooldownMixin, instance_group.InstanceGroup):
    """A group of servers whose size scaling policies change.

    The size stays between ``MinSize`` and ``MaxSize``. After a change
    of its size the group does not scale again until ``Cooldown`` has
    elapsed.
    """

    support_status = support.SupportStatus(version='2014.1')

    PROPERTIES: tuple[str, ...]
    PROPERTIES = (
        AVAILABILITY_ZONES, LAUNCH_CONFIGURATION_NAME, MAX_SIZE, MIN_SIZE,
        COOLDOWN, DESIRED_CAPACITY, HEALTH_CHECK_GRACE_PERIOD,
        HEALTH_CHECK_TYPE, LOAD_BALANCER_NAMES, VPCZONE_IDENTIFIER, TAGS,
        INSTANCE_ID,
    ) = (
        'AvailabilityZones', 'LaunchConfigurationName', 'MaxSize', 'MinSize',
        'Cooldown', 'DesiredCapacity', 'HealthCheckGracePeriod',
        'HealthCheckType', 'LoadBalancerNames', 'VPCZoneIdentifier', 'Tags',
        'InstanceId',
    )

    _UPDATE_POLICY_SCHEMA_KEYS = (
        ROLLING_UPDATE,
    ) = (
        'AutoScalingRollingUpdate',
    )

    properties_schema = {
        AVAILABILITY_ZONES: _OF_INSTANCES[AVAILABILITY_ZONES],
        LAUNCH_CONFIGURATION_NAME: properties.Schema(
            properties.Schema.STRING,
            _('Reference to the launch configuration of the servers.'),
            update_allowed=True),
        INSTANCE_ID: properties.Schema(
            properties.Schema.STRING,
            _('ID of a server whose settings new members copy. Use it instead '
              'of a launch configuration.'),
            constraints=[constraints.CustomConstraint('nova.server')]),
        MAX_SIZE: properties.Schema(
            properties.Schema.INTEGER,
            _('Maximum number of servers in the group.'),
            required=True,
            update_allowed=True),
        MIN_SIZE: properties.Schema(
            properties.Schema.INTEGER,
            _('Minimum number of servers in the group.'),
            required=True,
            update_allowed=True),
        COOLDOWN: properties.Schema(
            properties.Schema.INTEGER,
            _('Cooldown in seconds: the group does not scale again within '
              'this time after a change of its size.'),
            update_allowed=True),
        DESIRED_CAPACITY: properties.Schema(
            properties.Schema.INTEGER,
            _('Number of servers in the group after creation and after each '
              'update.'),
            update_allowed=True),
        HEALTH_CHECK_GRACE_PERIOD: properties.Schema(
            properties.Schema.INTEGER,
            _('Grace period in seconds before the health of a new server is '
              'checked.'),
            implemented=False),
        HEALTH_CHECK_TYPE: properties.Schema(
            properties.Schema.STRING,
            _('Method of checking the health of the servers.'),
            constraints=[constraints.AllowedValues(['EC2', 'ELB'])],
            implemented=False),
        LOAD_BALANCER_NAMES: _OF_INSTANCES[LOAD_BALANCER_NAMES],
        VPCZONE_IDENTIFIER: properties.Schema(
            properties.Schema.LIST,
            _('Subnet of the servers, as a list with one ID.'),
            schema=properties.Schema(
                properties.Schema.STRING,
                _('ID of the subnet.'))),
        TAGS: _OF_INSTANCES[TAGS],
    }

    attributes_schema = {
        instance_group.InstanceGroup.INSTANCE_LIST: attributes.Schema(
            _('IP addresses of the servers, separated by commas.'),
            type=attributes.Schema.STRING),
    }

    update_policy_schema = {
        ROLLING_UPDATE: properties.Schema(
            properties.Schema.MAP,
            schema=instance_group.InstanceGroup.rolling_update_schema),
    }

    # -- what the group is to be --------------------------------------------

    def get_size(self):
        """Return how many members a new group has."""
        desired = self.properties[self.DESIRED_CAPACITY]
        return self.properties[self.MIN_SIZE] if desired is None else desired

    def _target_capacity(self):
        """Return how many members an update leads to.

        A size that scaling has led to stays, unless another one is wished.
        """
        desired = self.properties[self.DESIRED_CAPACITY]
        if desired is None:
            desired = (self.get_size() if self.resource_id is None
                       else grouputils.get_size(self))
        return self._new_capacity(desired, desired,
                                  scalingutil.CFN_EXACT_CAPACITY)

    def _new_capacity(self, capacity, adjustment, adjustment_type,
                      min_adjustment_step=None):
        return scalingutil.calculate_new_capacity(
            capacity, adjustment, adjustment_type, min_adjustment_step,
            self.properties[self.MIN_SIZE], self.properties[self.MAX_SIZE])

    def _get_conf_properties(self):
        """Return the launch configuration and the properties it gives."""
        conf, values = None, {}
        instance_id = self.properties.get(self.INSTANCE_ID)
        if instance_id:
            server = self.client_plugin('nova').get_server(instance_id)
            values = {
                'ImageId': server.image['id'],
                'InstanceType': server.flavor['id'],
                'SecurityGroups': [group['name'] for group
                                   in server.security_groups or ()],
            }
            if server.key_name:
                values['KeyName'] = server.key_name
        else:
            conf, values = super()._get_conf_properties()
        subnets = self.properties.get(self.VPCZONE_IDENTIFIER)
        if subnets:
            values['SubnetId'] = subnets[0]
        return conf, values

    def _get_resource_definition(self):
        """Return the definition of a member."""
        conf, values = self._get_conf_properties()
        values['Tags'] = self._tags()
        return rsrc_defn.ResourceDefinition(
            None, instance_group.SCALED_RESOURCE_TYPE, values,
            conf.t.metadata() if conf is not None else None)

    def _tags(self):
        """Return the tags of each member, one of which names the group."""
        return [*super()._tags(), {
            self.TAG_KEY: 'metering.AutoScalingGroupName',
            self.TAG_VALUE: self.planned_id()}]

    # -- validation ---------------------------------------------------------

    def validate(self):
        """Check what the schema cannot say, then the nested stack."""
        self._validate_sizes()
        self._validate_source()
        super().validate()

    def _validate_sizes(self):
        least, most = (self.properties[self.MIN_SIZE],
                       self.properties[self.MAX_SIZE])
        if least > most:
            raise exception.StackValidationFailed(message=_(
                '%(min)s (%(least)d) must not be greater than %(max)s '
                '(%(most)d).') % {'min': self.MIN_SIZE, 'max': self.MAX_SIZE,
                                  'least': least, 'most': most})
        desired = self.properties[self.DESIRED_CAPACITY]
        if desired is not None and not least <= desired <= most:
            raise exception.StackValidationFailed(message=_(
                '%(desired)s (%(size)d) must be between %(min)s (%(least)d) '
                'and %(max)s (%(most)d).') % {
                    'desired': self.DESIRED_CAPACITY, 'size': desired,
                    'min': self.MIN_SIZE, 'least': least,
                    'max': self.MAX_SIZE, 'most': most})

    def _validate_source(self):
        subnets = self.properties.get(self.VPCZONE_IDENTIFIER)
        if subnets is not None and len(subnets) != 1:
            raise exception.NotSupported(feature=_(
                'Anything other than one VPCZoneIdentifier'))
        if bool(self.properties.get(self.INSTANCE_ID)) == bool(
                self.properties.get(self.LAUNCH_CONFIGURATION_NAME)):
            raise exception.StackValidationFailed(message=_(
                'Specify either %(instance)s or %(conf)s, but not '
                'both.') % {'instance': self.INSTANCE_ID,
                            'conf': self.LAUNCH_CONFIGURATION_NAME})

    # -- create and update --------------------------------------------------

    def check_create_complete(self, task=None):
        """Look whether all members are there; the pause begins then."""
        done = super().check_create_complete(task)
        if done:
            self._note_size()
        return done

    def check_update_complete(self, cookie=None):
        """Look whether all batches are complete; the pause begins then."""
        done = super().check_update_complete(cookie)
        if done:
            self._note_size()
        return done

    def _note_size(self):
        self._finished_scaling(
            self.properties[self.COOLDOWN],
            '%s : %s' % (scalingutil.CFN_EXACT_CAPACITY,
                         grouputils.get_size(self)))

    # -- scaling ------------------------------------------------------------

    def is_scaling(self):
        """Return whether members come or go."""
        state = self.nested_status()
        return state is not None and state[1] == self.IN_PROGRESS

    def adjust(self, adjustment,
               adjustment_type=scalingutil.CFN_CHANGE_IN_CAPACITY,
               min_adjustment_step=None, cooldown=None):
        """Begin to change the size, or raise NoActionRequired."""
        if not self._may_scale():
            raise resource.NoActionRequired(
                res_name=self.name,
                reason=_('the status of the group is %s')
                % '_'.join(self.state))
        if cooldown is None:
            cooldown = self.properties[self.COOLDOWN]
        capacity = grouputils.get_size(self)
        wanted = self._new_capacity(capacity, adjustment, adjustment_type,
                                    min_adjustment_step)
        if wanted == capacity:
            raise resource.NoActionRequired(
                res_name=self.name, reason=_('no change in capacity %d')
                % capacity)
        scaling = _Scaling(adjustment, adjustment_type, capacity, wanted,
                           cooldown)
        lost = self._check_scaling_allowed(cooldown,
                                           dataclasses.asdict(scaling))
        if lost is not None:
            # Nobody has told of its end.
            self._notify(_Scaling(**lost), 'error', self._lost(), capacity)
        self._scale(scaling)

    def _may_scale(self):
        return self.status == self.COMPLETE and self.action not in (
            self.SUSPEND, self.DELETE, self.INIT)

    def _scale(self, scaling):
        """Begin to change the size; what follows goes on beside us."""
        self._notify(scaling, 'start', _('Start resizing the group %s')
                     % self.FnGetRefId(), scaling.before)
        try:
            self.resize(scaling.after)
            self.clear_stored_attributes()
        except Exception as error:
            self._scaled(scaling, error, began_here=True)
            raise
        manager = self.stack.thread_group_mgr
        if manager is not None:
            manager.start(self.stack.id, self._watch(self.stack, scaling))

    def watch_again(self):
        """See to its end what an engine that is gone has begun."""
        noted = self._noted_scaling()
        if noted is not None:
            self.stack.thread_group_mgr.start(
                self.stack.id, self._watch_for(self.stack, noted))

    def _noted_scaling(self):
        noted = self.metadata_get(refresh=True).get(self._SCALING)
        return None if noted is None else _Scaling(**noted)

    def _watch_for(self, stack, scaling):
        """A task to see to its end what another engine has begun.

        That engine may still be there, and others may watch as well.
        """
        error = None
        try:
            yield from self._await_size()
            while (self._noted_scaling() == scaling and
                   grouputils.get_size(self) != scaling.after):
                # Unless the nested stack is about to be told by somebody.
                if self._take_over_scaling(dataclasses.asdict(scaling)):
                    self._scale_for(scaling)
                    yield from self._await_size()
                    break
                yield _LOOK_INTERVAL
                yield from self._await_size()
            # New members count before they are complete, and may have come
            # since the nested stack was looked at.
            yield from self._await_size()
            self.clear_stored_attributes()
        except Exception as failure:  # noqa: BLE001
            LOG.warning('Resizing group %s of stack %s failed: %s',
                        self.name, stack.id, exception.text_of(failure))
            error = failure
        self._scaled(scaling, error)

    def _scale_for(self, scaling):
        """Tell the nested stack what its engine did not come to tell it.

        :raises Error: the group is not what it was to be scaled from.
        """
        if not self._may_scale() or grouputils.get_size(
                self) != scaling.before:
            raise exception.Error(self._lost())
        LOG.info('Going on with resizing group %s of stack %s', self.name,
                 self.stack.id)
        self.resize(scaling.after)

    def _lost(self):
        return _('The engine that was resizing the group %s is gone'
                 ) % self.FnGetRefId()

    def _await_size(self):
        """A task to wait until all members are there."""
        while not self._is_resized():
            yield scheduler.WaitFor(self.wake_key(), _LOOK_INTERVAL)
        self._lb_reload()

    def _watch(self, stack, scaling):
        """A task to see the change of size to its end.

        It holds the stack, to which a resource only refers.
        """
        error = None
        try:
            yield from self._await_size()
        except GeneratorExit:
            # If the engine ends, another one will see to the end.
            if not stack.thread_group_mgr.is_ending:
                self._scaled(scaling, _cancelled(self.FnGetRefId()),
                             began_here=True)
            raise
        except Exception as failure:  # noqa: BLE001
            LOG.warning('Resizing group %s of stack %s failed: %s',
                        self.name, stack.id, exception.text_of(failure))
            # Of a task that was told to stop nothing more is known.
            error = (failure if str(failure) else
                     _cancelled(self.FnGetRefId()))
        self._scaled(scaling, error, began_here=True)

    def _is_resized(self):
        if self.update_is_pending():
            stack_resource.StackResource.check_update_complete(self)
            return False
        state = self.nested_status()
        if state is None:
            raise exception.EntityNotFound(entity='Stack',
                                           name=self.resource_id)
        _action, status, reason, _when = state
        if status == self.FAILED:
            raise exception.Error(reason)
        if status != self.COMPLETE:
            return False
        # Somebody may have looked at the members meanwhile.
        self._forget_nested()
        return True

    def _scaled(self, scaling, error, began_here=False):
        """Tell of the end of scaling; the pause begins.

        Nothing is done if somebody else has done so.
        """
        if not self._finished_scaling(
                scaling.cooldown, '%s : %s' % (scaling.adjustment_type,
                                               scaling.adjustment),
                size_changed=error is None,
                scaling=dataclasses.asdict(scaling), began_here=began_here):
            return
        if error is None:
            self._notify(scaling, 'end', _('End resizing the group %s')
                         % self.FnGetRefId(), scaling.after)
        else:
            self._notify(scaling, 'error', exception.text_of(error),
                         grouputils.get_size(self))

    def _notify(self, scaling, suffix, message, capacity):
        notification.send(
            self.stack, adjustment=scaling.adjustment,
            adjustment_type=scaling.adjustment_type, capacity=capacity,
            groupname=self.FnGetRefId(), message=message, suffix=suffix)


@dataclasses.dataclass(frozen=True, slots=True)
class _Scaling:
    """A change of size: what was asked for, and what comes of it."""

    adjustment: float
    adjustment_type: str
    before: int
    after: int
    cooldown: int | None


def _cancelled(group):
    return exception.Error(_('Resizing the group %s was cancelled') % group)


def resource_mapping():
    """Return the types this module has, by name."""
    return {
        'AWS::AutoScaling::AutoScalingGroup': AutoScalingGroup,
    }
