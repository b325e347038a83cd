"""Names of the RPC protocol between convergence workers."""

TOPIC = 'engine_worker'

#: 1.9 is what Heat has; 1.10 adds check_nodes, several nodes in a message;
#: 1.11 adds wake, which tells all engines of events.
RPC_API_VERSION = '1.11'

NODE_TYPES = (
    NODE_RESOURCE, NODE_SNAPSHOT,
) = (
    'resource', 'snapshot',
)
