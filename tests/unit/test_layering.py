"""The layer of a module follows from its path, and imports go down.

Every module is parsed, imports inside functions included.
"""
import ast
import functools
import pathlib

import pytest

from tests.unit import source_trees

ROOT = pathlib.Path(__file__).resolve().parents[2]
LINE_LIMIT = 600

#: The packages of the engine that the template language consists of.
LANGUAGE = {'sandbox', 'language', 'hot', 'cfn', 'constraint'}
#: The core of the engine, in this order: each may import those before it.
CORE = ['tasks', 'cluster', 'stacks', 'comparison', 'lifecycle']
_ENGINE_BASE = {'common', 'published', 'language', 'sandbox'}
_CORE_BASE = _ENGINE_BASE | {'objects', 'clients', 'notification'}

#: What each package may import besides itself. Packages of heat.engine are
#: named without it; 'published' is the modules at its top level.
ALLOWED = {
    # custom_backend_auth, whose path api-paste.ini names, asks the engine.
    'common': {'policies', 'wire'},
    'policies': {'common'},
    'db': {'common'},
    'objects': {'common', 'db'},
    'wire': {'common'},
    'sandbox': {'common'},
    'language': {'common', 'published', 'sandbox'},
    'constraint': _ENGINE_BASE,
    # Functions of one language build on those of the other.
    'cfn': _ENGINE_BASE | {'hot'},
    'hot': _ENGINE_BASE | {'cfn'},
    'clients': _ENGINE_BASE | {'wire'},
    'notification': {'common'},
    'tasks': {'common', 'objects'},
    'cluster': {'common', 'objects', 'tasks'},
    'stacks': _CORE_BASE | {'tasks', 'cluster'},
    'comparison': _ENGINE_BASE | {'stacks'},
    'lifecycle': _CORE_BASE | {'tasks', 'cluster', 'stacks', 'comparison'},
    'convergence': _CORE_BASE | set(CORE),
    'legacy': _CORE_BASE | set(CORE),
    'drivers': _CORE_BASE | set(CORE) | {'convergence', 'legacy'},
    'published': _CORE_BASE | set(CORE) | {'drivers', 'wire'},
    # Rules know nothing of stacks: what they act upon, a signal reaches.
    'watch': {'common', 'tasks', 'objects', 'wire'},
    'software': {'common', 'published', 'objects', 'wire', 'cluster'},
    'resources': {'common', 'published', 'language', 'clients', 'wire',
                  'notification', 'software', 'scaling', 'constraint',
                  'watch'},
    'scaling': {'common', 'published', 'sandbox', 'resources'},
    'drift': _CORE_BASE | set(CORE) | {'plans'},
    'process': _CORE_BASE | set(CORE) | {'convergence', 'drivers', 'wire'},
    'plans': _CORE_BASE | set(CORE),
    'history': _CORE_BASE | set(CORE),
    'rpc': _CORE_BASE | set(CORE) | {'drift', 'drivers', 'history', 'hot',
                                     'plans', 'software', 'wire'},
    # It puts the process together.
    'service': _CORE_BASE | set(CORE) | {'drivers', 'process', 'resources',
                                         'rpc', 'watch', 'wire'},
    'api': {'common', 'policies', 'wire'},
    'console': {'common'},
    'author': _ENGINE_BASE | {'cfn', 'hot', 'resources', 'clients'},
    # Entry points: they may import everything, and nobody imports them.
    'cmd': None,
    'wsgi': None,
}
#: Entry points choose the backend before they import anything else; and
#: heat-template loads the resource types only for what checks templates.
MAY_IMPORT_LATE = {'cmd', 'wsgi', 'author'}
#: A package of the first kind may not reach those of the second, however
#: many imports are between.
UNREACHABLE = [
    (LANGUAGE, {'db', 'objects', 'wire', 'clients', 'resources',
                'convergence', 'legacy', 'drivers', *CORE}),
    ({'tasks'}, {'cluster', 'stacks', 'lifecycle'}),
    ({'cluster'}, {'stacks', 'lifecycle'}),
    ({'stacks'}, {'lifecycle'}),
    (set(CORE), {'convergence', 'legacy', 'drivers', 'resources'}),
    ({'convergence'}, {'legacy', 'drivers', 'resources'}),
    ({'legacy'}, {'convergence', 'drivers', 'resources'}),
    ({'resources', 'scaling'}, {'process', 'rpc', 'service'}),
    ({'api'}, {'db', 'objects', 'published', *LANGUAGE}),
]


@functools.cache
def package_of(module):
    """Return the package of a module, as ALLOWED names it."""
    parts = module.split('.')
    if parts in (['heat'], ['heat', 'version']):
        return 'common'
    if parts[1] != 'engine':
        return 'wire' if parts[1] == 'rpc' else parts[1]
    if module in ('heat.engine.service', 'heat.engine.reader'):
        return 'service'
    if len(parts) == 2 or not is_package('.'.join(parts[:3])):
        return 'published'
    return parts[2]


def is_package(module):
    path = modules().get(module)
    return path is not None and path.name == '__init__.py'


def module_name(path):
    parts = path.relative_to(ROOT).with_suffix('').parts
    return '.'.join(parts[:-1] if parts[-1] == '__init__' else parts)


@functools.cache
def modules():
    return {module_name(p): p
            for p in sorted((ROOT / 'heat').rglob('*.py'))}


@functools.cache
def tree_of(module):
    return source_trees.of(modules()[module])


@functools.cache
def targets(module):
    """Return (imported dotted name, line) of every import of a module."""
    found = []
    for node in ast.walk(tree_of(module)):
        if isinstance(node, ast.Import):
            for alias in node.names:
                found.append((alias.name, node.lineno))
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f'{module}:{node.lineno} is relative'
            for alias in node.names:
                full = f'{node.module}.{alias.name}'
                known = full in modules()
                found.append((full if known else node.module, node.lineno))
    return found


@functools.cache
def inside(module):
    return [(name, line) for name, line in targets(module)
            if name in modules() and name != module]


@functools.cache
def reached_from(module):
    """Return all modules that importing a module imports."""
    found, waiting = set(), [module]
    while waiting:
        for name, _line in inside(waiting.pop()):
            if name not in found:
                found.add(name)
                waiting.append(name)
    return found


def test_each_package_has_a_row():
    assert {package_of(module) for module in modules()} == set(ALLOWED)


def test_imports_go_down():
    wrong = []
    for module in modules():
        allowed = ALLOWED[package_of(module)]
        for name, line in inside(module) if allowed is not None else ():
            other = package_of(name)
            if other != package_of(module) and other not in allowed:
                wrong.append(f'{module}:{line} imports {name} ({other})')
    assert wrong == []


def test_packages_do_not_reach_what_stands_above_them():
    wrong = []
    for lower, upper in UNREACHABLE:
        for module in modules():
            if package_of(module) in lower:
                wrong += [f'{module} reaches {name}'
                          for name in sorted(reached_from(module))
                          if package_of(name) in upper]
    assert wrong == []


def test_no_package_has_the_name_of_a_published_module():
    assert [module for module in modules() if is_package(module)
            and modules()[module].parent.with_suffix('.py').exists()] == []


def test_front_talks_to_engine_over_rpc_client_only():
    wrong = [f'{module}:{line} {name}'
             for module in modules() if package_of(module) == 'api'
             for name, line in inside(module)
             if name.startswith('heat.rpc')
             and name not in ('heat.rpc', 'heat.rpc.client', 'heat.rpc.api')]
    assert wrong == []


def test_no_import_cycle():
    graph = {m: {n for n, _ in inside(m)} for m in modules()}
    done, path = set(), []

    def visit(module):
        if module in done:
            return
        assert module not in path, ' -> '.join(path + [module])
        path.append(module)
        for name in sorted(graph[module]):
            visit(name)
        path.pop()
        done.add(module)

    for module in graph:
        visit(module)


def test_modules_are_small():
    assert [module for module, path in modules().items()
            if path.read_text().count('\n') > LINE_LIMIT] == []


def test_imports_stand_at_the_top():
    wrong = []
    for module in modules():
        if package_of(module) in MAY_IMPORT_LATE:
            continue
        for node in ast.walk(tree_of(module)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                wrong += [f'{module}:{n.lineno}' for n in ast.walk(node)
                          if isinstance(n, ast.Import | ast.ImportFrom)]
    assert wrong == []


@pytest.mark.parametrize(('library', 'home'), [
    ('eventlet', 'heat.cmd'),
    ('oslo_service', 'heat.cmd'),
    ('sqlalchemy', 'heat.db'),
    ('oslo_db', 'heat.db'),
    ('alembic', 'heat.db'),
    # It is large: sdk.py gives others what they need of it, when they do.
    ('openstack', 'heat.engine.clients.sdk'),
])
def test_library_stays_in_its_package(library, home):
    wrong = [f'{module}:{line}'
             for module in modules()
             if module != home and not module.startswith(home + '.')
             for name, line in targets(module)
             if name.split('.')[0] == library]
    assert wrong == []


def test_only_the_driver_choice_asks_which_driver():
    homes = ('heat.engine.drivers.', 'heat.engine.stacks.store')
    wrong = []
    for module in modules():
        if not module.startswith('heat.engine') or module.startswith(homes):
            continue
        wrong += [f'{module}:{node.lineno}'
                  for node in ast.walk(tree_of(module))
                  if isinstance(node, ast.Attribute)
                  and node.attr == 'convergence'
                  and isinstance(node.ctx, ast.Load)]
    assert wrong == []
