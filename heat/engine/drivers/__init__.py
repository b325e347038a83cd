"""Which driver carries out an operation, and how stacks change sides.

This is the only package that knows both ``convergence`` and ``legacy``.
"""
