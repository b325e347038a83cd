"""The template language: meaning and diagnostics.

These are the private parts of the template language; the published ones
stand in ``heat.engine``. May import the common packages and ``sandbox``.
"""
