"""Types of Rackspace's former plugins, so that old stacks can be deleted.

Put the directory of this file into ``plugin_dirs``.
"""
from oslo_log import log as logging

from heat.common import exception
from heat.common.i18n import _
from heat.engine import support
from heat.engine.resources.openstack.heat import none_resource

LOG = logging.getLogger(__name__)

TYPES = (
    'Rackspace::AutoScale::Group',
    'Rackspace::AutoScale::ScalingPolicy',
    'Rackspace::AutoScale::WebHook',
    'Rackspace::Cloud::DNS',
    'Rackspace::Cloud::LoadBalancer',
    'Rackspace::Cloud::Network',
    'Rackspace::Cloud::Server',
    'Rackspace::Cloud::WinServer',
)


class Placeholder(none_resource.NoneResource):
    """A resource of a type that is not supported any more.

    It cannot be created. Deleting it removes it from the stack and leaves the
    cloud resource as it is.
    """

    support_status = support.SupportStatus(
        status=support.HIDDEN, message=_(
            'The type is not supported any more. Existing resources can be '
            'removed from their stacks.'))

    def handle_create(self):
        """Refuse."""
        raise exception.ResourceActionNotSupported(action='create')

    def handle_delete(self):
        """Leave what is in the cloud, and say so."""
        if self.resource_id is not None:
            LOG.warning('%s %s is removed from its stack; %s stays in the '
                        'cloud', self.type(), self.name, self.resource_id)


def resource_mapping():
    """Return the types of this module, as templates call them."""
    return dict.fromkeys(TYPES, Placeholder)
