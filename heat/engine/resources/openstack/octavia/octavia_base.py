"""Common base of the resources of load balancers."""
from heat.engine.resources import sdk_resource

#: States of whatever belongs to a load balancer.
PROVISIONED = sdk_resource.WaitFor(
    attribute='provisioning_status', ready=frozenset(['ACTIVE']),
    pending=frozenset(['PENDING_CREATE', 'PENDING_UPDATE']),
    failed=frozenset(['ERROR']))

#: States of what is going away; some things are remembered as deleted.
GONE = sdk_resource.WaitFor(
    attribute='provisioning_status', ready=frozenset(['DELETED']),
    failed=frozenset(['ERROR']))


class OctaviaBase(sdk_resource.SDKResource):
    """Base of what belongs to a load balancer.

    Octavia changes one thing of a load balancer at a time, and refuses
    other requests meanwhile. They are made again until they are taken.
    """

    default_client_name = 'octavia'

    ready = PROVISIONED
    gone = GONE
    retry_busy = True

    def _is_busy(self, error):
        """Return whether it helps to wait.

        The same answer says that there is such a thing already.
        """
        return super()._is_busy(error) and not (
            self.resource_id is None and 'already' in str(error))

    def _check_status(self, expected_status='ACTIVE'):
        """Return whether the thing has reached a state."""
        if expected_status == 'ACTIVE':
            return self._is_ready()
        live = self._show_resource()
        return live.get(self.ready.attribute) == expected_status

    def check_create_complete(self, properties):
        """Return whether the thing is there.

        :param properties: whether Octavia has taken the request.
        """
        return super().check_create_complete(properties)

    def check_update_complete(self, prop_diff):
        """Return whether the changes are made.

        :param prop_diff: those that had still to be sent.
        """
        return super().check_update_complete(prop_diff)

    def _path(self, *names):
        """Return where in the template a property is."""
        return [self.stack.t.get_section_name('resources'), self.name,
                self.stack.t.RES_PROPERTIES, *names]
