"""The life cycle of resources: one resource, one action.

May import ``stacks`` and what it may import.
"""
