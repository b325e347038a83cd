"""Find the modules of plugins, and what they provide."""
import collections.abc
import importlib
import importlib.util
import itertools
import pkgutil
import sys
import types

from oslo_log import log as logging

from heat.common import exception

LOG = logging.getLogger(__name__)

#: The package as whose modules files in the plugin directories appear.
PLUGIN_PACKAGE = 'heat.engine.plugins'


def builtin_modules(package):
    """Import and yield all modules of a package of ours."""
    for name in _module_names(package.__path__, package.__name__):
        yield importlib.import_module(name)


def plugin_modules(directories):
    """Import and yield the modules in the plugin directories.

    :raises Error: a module cannot be imported; an operator who names a
        directory wants its plugins.
    """
    package = sys.modules.get(PLUGIN_PACKAGE)
    if package is None:
        package = types.ModuleType(PLUGIN_PACKAGE)
        package.__path__ = []
        sys.modules[PLUGIN_PACKAGE] = package
    package.__path__[:] = list(directories)
    importlib.invalidate_caches()
    for name in _module_names(package.__path__, PLUGIN_PACKAGE):
        LOG.info('Loading plugin module %s', name)
        yield _plugin_module(name)


def _plugin_module(name):
    try:
        return importlib.import_module(name)
    except (Exception, SystemExit) as error:
        spec = importlib.util.find_spec(name)
        where = name if spec is None else spec.origin
        raise exception.Error(
            f'[DEFAULT] plugin_dirs: the plugin {where} cannot be '
            f'imported: {type(error).__name__}: {error}') from error


def _module_names(path, package_name):
    prefix = package_name + '.'
    for info in sorted(pkgutil.walk_packages(path, prefix),
                       key=lambda info: info.name):
        # Plugins may come with what makes packages and tests of them.
        if '.tests.' not in info.name and not info.name.endswith('.setup'):
            yield info.name


def resource_types(module):
    """Yield (type name, class) of the resource types of a module.

    First the classes that name their type, then what mappings say.
    """
    declared = (
        (vars(value)['type_name'], value) for value in vars(module).values()
        if isinstance(value, type) and value.__module__ == module.__name__
        and 'type_name' in vars(value))
    return itertools.chain(
        declared, _mapping(module, 'available_resource_mapping',
                           'resource_mapping').items())


def constraint_types(module):
    """Yield (name, class) of the constraints of a module."""
    return _mapping(module, 'constraint_mapping').items()


def _mapping(module, *function_names):
    """Return what the first of the functions that exists returns."""
    for name in function_names:
        function = getattr(module, name, None)
        if not callable(function):
            continue
        try:
            mapping = function()
        except (Exception, SystemExit) as error:
            raise exception.Error(
                f'{name}() of the plugin {module.__file__} fails: '
                f'{type(error).__name__}: {error}') from error
        if mapping is None:
            return {}
        if isinstance(mapping, collections.abc.Mapping):
            return mapping
        LOG.error('%s() of %s returns no mapping; it is ignored', name,
                  module.__name__)
        return {}
    return {}
