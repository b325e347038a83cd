"""Tasks: generators that share a few threads and commits.

May import the common packages, the language, objects, rpc and clients.
"""
