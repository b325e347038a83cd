"""The syntax trees of the source, which several tests look at."""
import ast
import functools


@functools.cache
def of(path):
    """Return the tree of a file, which is parsed once; do not change it."""
    return ast.parse(path.read_text())
