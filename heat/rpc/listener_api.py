"""Names of the RPC protocol that reaches one engine by its id."""

TOPIC = 'heat-engine-listener'
