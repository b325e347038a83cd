"""What the text of a template means, and what is wrong with it.

These are the private parts of the template language; the published ones
stand in ``heat.engine``. May import the common packages and ``sandbox``.
"""
