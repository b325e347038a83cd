"""Each option of ours has an effect: somewhere it is looked at."""
import ast
import functools
import pathlib

import pytest

from tests.unit import source_trees
from tests.unit.common import test_config

HEAT = pathlib.Path(__file__).resolve().parents[3] / 'heat'

#: Options of libraries that are found among ours because we register them:
#: the library looks at them.
OF_LIBRARIES = ('database', 'trustee', 'ec2authtoken')
NAMES = {key for key in test_config.WANTED
         if not key[0].startswith(OF_LIBRARIES)}


@functools.cache
def words():
    """Return attributes and texts that code looks something up by.

    Not those of the modules that declare options, nor docstrings.
    """
    found = set()
    for path in HEAT.rglob('*.py'):
        if path.name.startswith('opts_'):
            continue
        for node in ast.walk(source_trees.of(path)):
            if isinstance(node, ast.Attribute) and isinstance(
                    node.ctx, ast.Load):
                found.add(node.attr)
            elif isinstance(node, ast.Call | ast.Subscript | ast.Dict):
                found.update(_texts(node))
    return found


def _texts(node):
    """Return the texts that a call, index or mapping has directly."""
    if isinstance(node, ast.Call):
        parts = node.args
    elif isinstance(node, ast.Subscript):
        parts = [node.slice]
    else:
        parts = node.values
    return {part.value for part in parts
            if isinstance(part, ast.Constant) and isinstance(part.value, str)}


def is_read(key):
    """Tell whether an option is looked at by its name."""
    return key[1] in words()


@pytest.mark.parametrize('key', sorted(NAMES), ids='.'.join)
def test_option_is_read(key):
    assert is_read(key), f'[{key[0]}] {key[1]} has no effect'
