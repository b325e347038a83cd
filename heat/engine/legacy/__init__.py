"""The legacy driver: one engine that works on a stack under its lock.

May import ``lifecycle``, ``heat.engine.resource`` and what they may import;
never ``convergence`` or ``drivers``.
"""
