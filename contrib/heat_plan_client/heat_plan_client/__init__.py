"""Plans, change sets and timelines of stacks, by the REST API of Heat.

No module of the service is imported. The commands are in `osc`. Their output
is computed by modules that know neither the client nor the command line.
"""
