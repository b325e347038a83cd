"""How one resource goes through one action.

May import ``stacks`` and what it may import.
"""
