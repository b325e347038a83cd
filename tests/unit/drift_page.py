"""The page of the resource types that can be compared with what exists.

    python -m tests.unit.drift_page     write it
"""
import importlib
import pathlib
import pkgutil
import textwrap

from heat.engine import resources
from heat.engine import support as support_status
from heat.engine.comparison import support
from heat.engine.resources import plugin_loader

PAGE = (pathlib.Path(__file__).resolve().parents[2] / 'doc' / 'source' /
        'template_guide' / 'drift_types.rst')
_INTRODUCTION = """\
==============================
Resource types and their drift
==============================

The detection of drift compares these properties of a resource with what its
service shows, if the template sets them or they have a default. A property
that a service does not show is not compared, nor is one that cannot change
after the creation of a resource. A resource of any of these types is found to
be ``DELETED`` if it is gone. Resources of other types are ``UNSUPPORTED``.

"""


def types():
    """Return {name: class} of all resource types."""
    found = {}
    for info in pkgutil.walk_packages(resources.__path__,
                                      resources.__name__ + '.'):
        found.update(plugin_loader.resource_types(
            importlib.import_module(info.name)))
    return found


def service_of(name):
    """Return the part of a type's name that is for its service."""
    return name.split('::')[1]


def page():
    """Return the text of the page."""
    services = {}
    for name, cls in sorted(types().items()):
        if (name.startswith('OS::') and
                cls.support_status.status != support_status.HIDDEN):
            services.setdefault(service_of(name), []).append((name, cls))
    return _INTRODUCTION + '\n'.join(
        _section(service, rows) for service, rows in services.items())


def _section(service, rows):
    lines = [service, '=' * len(service), '', '.. list-table::',
             '   :header-rows: 1', '   :widths: 40 60', '',
             '   * - Type', '     - Compared properties']
    for name, cls in rows:
        reason = support.reason(cls)
        names = ', '.join('``%s``' % each for each in support.compared(cls))
        lines += [f'   * - {name}', textwrap.fill(
            f'UNSUPPORTED: {reason}' if reason else
            names or 'its existence only', 79, initial_indent='     - ',
            subsequent_indent='       ', break_on_hyphens=False)]
    return '\n'.join([*lines, ''])


if __name__ == '__main__':
    PAGE.write_text(page())
