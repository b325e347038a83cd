"""The convergence driver: engines that share a traversal.

May import ``lifecycle``, ``heat.engine.resource`` and what they may import;
never ``legacy`` or ``drivers``.
"""
