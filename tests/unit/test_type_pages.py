"""Each type that templates may use stands on one page of the reference."""
import pathlib
import re

from heat.engine import environment
from heat.engine import resources
from heat.engine import support

PAGES = (pathlib.Path(__file__).resolve().parents[2] / 'doc' / 'source'
         / 'resource_types')


def test_each_type_has_its_page():
    prefixes = [prefix for page in PAGES.glob('*.rst') for prefix in
                re.findall(r'^\.\. resource-reference:: (\S+)$',
                           page.read_text(), re.MULTILINE)]
    resources.initialise()
    types = [name for name, cls in
             environment.global_env().registered_classes().items()
             if cls.support_status.status != support.HIDDEN and
             cls.__module__.startswith('heat.')]
    assert types
    found = {name: [prefix for prefix in prefixes
                    if name.startswith(prefix + '::')] for name in types}
    assert {name: pages for name, pages in found.items()
            if len(pages) != 1} == {}
