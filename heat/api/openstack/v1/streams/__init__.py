"""Events that are sent to clients while they happen.

One thread asks the engine for the events of all listeners of the process.
It may import common, the engine client and the views of the REST API.
"""
