"""Names of the RPC protocol that reaches one engine by its id."""

TOPIC = 'heat-engine-listener'

#: 1.1: load
RPC_API_VERSION = '1.1'
