"""Common base of the resources of the DNS service."""
from heat.engine.resources import sdk_resource

#: States of what Designate tells its servers of by and by.
TOLD = sdk_resource.WaitFor(
    ready=frozenset(['ACTIVE']), pending=frozenset(['PENDING']),
    failed=frozenset(['ERROR']))

#: States of what its servers still have to forget.
FORGOTTEN = sdk_resource.WaitFor(
    ready=frozenset(['DELETED']), failed=frozenset(['ERROR']))


class DesignateResource(sdk_resource.SDKResource):
    """Base of the resources of the DNS service."""

    default_client_name = 'designate'

    ready = TOLD
    gone = FORGOTTEN
