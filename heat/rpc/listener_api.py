"""Names of the RPC protocol that reaches one engine by its id."""

TOPIC = 'heat-engine-listener'

RPC_API_VERSION = '1.0'
