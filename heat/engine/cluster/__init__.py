"""Which engines live, and how they wake each other.

May import what ``tasks`` may, and ``tasks``.
"""
