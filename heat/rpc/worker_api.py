"""Names of the RPC protocol between convergence workers."""

TOPIC = 'engine_worker'
