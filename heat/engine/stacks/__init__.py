"""The stored parts of a stack and the states a stack may take.

May import ``tasks``, ``cluster`` and what they may import.
"""
