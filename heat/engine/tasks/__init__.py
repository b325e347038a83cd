"""How many generators share few threads and commits.

May import the common packages, the language, objects, rpc and clients.
"""
