"""The house is what its imports say: arrows go down, and never in a circle.

Every module is parsed, imports inside functions included.
"""
import ast
import functools
import pathlib

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
LINE_LIMIT = 600

LANGUAGE = {
    'function', 'template', 'template_common', 'template_files', 'hot',
    'cfn', 'parameters', 'parameter_groups', 'properties',
    'properties_group', 'constraints', 'constraint', 'conditions',
    'attributes', 'output', 'rsrc_defn', 'stk_defn', 'node_data',
    'translation', 'environment', 'environment_merge',
    'environment_registry', 'support', 'status', 'dependencies', 'suggest',
    'custom_constraint', 'bounded_regex', 'pattern', 'pattern_re2',
    'property_schema', 'problems', 'diagnosis', 'lazy_definitions',
    'value_size', 'yaql_bounds', 'any_index',
}
# Layer 4, though they live beside the plugins.
NESTED_BASES = {'heat.engine.resources.stack_resource',
                'heat.engine.resources.template_resource'}
# api-paste.ini names these; they are part of the front.
AUTH_FILTERS = {'heat.common.auth_url', 'heat.common.auth_password',
                'heat.common.custom_backend_auth', 'heat.common.noauth'}

# What each room may import, besides itself.
ALLOWED = {
    'common': {'policies'},
    'policies': {'common'},
    'language': {'common', 'policies'},
    'db': {'common'},
    'objects': {'common', 'db'},
    'rpc': {'common'},
    'clients': {'common', 'language', 'rpc'},
    'core': {'common', 'language', 'objects', 'rpc', 'clients'},
    'plugins': {'common', 'language', 'clients', 'plugin-contract', 'rpc'},
    'service': {'common', 'language', 'objects', 'rpc', 'clients', 'core',
                'plugins', 'plugin-contract'},
    'api': {'common', 'policies', 'rpc'},
    'entry': None,
}


def room_of(module):
    """Say which room of the house a module belongs to."""
    parts = module.split('.')
    if len(parts) == 1 or parts[1] == 'version':
        return 'common'
    top = parts[1]
    if module in AUTH_FILTERS:
        return 'api'
    if top in ('common', 'policies', 'db', 'objects', 'rpc', 'api'):
        return top
    if top in ('cmd', 'wsgi'):
        return 'entry'
    if top == 'scaling':
        return 'plugins'
    assert top == 'engine', f'{module} is in no room of the house'
    if len(parts) == 2:
        return 'language'
    name = parts[2]
    if name in LANGUAGE:
        return 'language'
    if name == 'clients':
        return 'clients'
    if module in NESTED_BASES:
        return 'core'
    if name == 'resources':
        return 'plugins'
    if name == 'api' or name == 'service' or name.startswith('service_'):
        return 'service'
    return 'core'


def is_plugin_contract(module):
    """Tell whether plugins may import this module of the engine core."""
    name = module.split('.')[2] if module.count('.') >= 2 else ''
    return (module in NESTED_BASES or name.startswith('resource')
            or name in ('scheduler', 'grouputils', 'lifecycle_plugin',
                        'software_config_io', 'software_configs',
                        'software_deployments', 'notification'))


def module_name(path):
    parts = path.relative_to(ROOT).with_suffix('').parts
    return '.'.join(parts[:-1] if parts[-1] == '__init__' else parts)


@functools.cache
def modules():
    return {module_name(p): p
            for p in sorted((ROOT / 'heat').rglob('*.py'))}


@functools.cache
def tree_of(module):
    return ast.parse(modules()[module].read_text())


def targets(module):
    """Yield (imported dotted name, line) of every import of a module."""
    for node in ast.walk(tree_of(module)):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name, node.lineno
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f'{module}:{node.lineno} is relative'
            for alias in node.names:
                full = f'{node.module}.{alias.name}'
                known = full in modules()
                yield (full if known else node.module), node.lineno


def inside(module):
    for name, line in targets(module):
        if name in modules() and name != module:
            yield name, line


def violations(module):
    room = room_of(module)
    allowed = ALLOWED[room]
    if allowed is None or module == 'heat.engine':
        return
    for name, line in inside(module):
        other = room_of(name)
        if other == room or other in allowed:
            continue
        if 'plugin-contract' in allowed and is_plugin_contract(name):
            continue
        if room == 'db' and name == 'heat.engine':
            continue
        yield f'{module}:{line} ({room}) imports {name} ({other})'


@pytest.mark.parametrize('module', sorted(modules()))
def test_imports_go_down(module):
    assert list(violations(module)) == []


def test_front_talks_to_engine_over_rpc_client_only():
    wrong = [f'{module}:{line} {name}'
             for module in modules() if room_of(module) == 'api'
             for name, line in inside(module)
             if name.startswith('heat.rpc')
             and name not in ('heat.rpc', 'heat.rpc.client', 'heat.rpc.api')]
    assert wrong == []


def test_nobody_imports_entry_points():
    wrong = [f'{module}:{line} {name}'
             for module in modules() if room_of(module) != 'entry'
             for name, line in inside(module) if room_of(name) == 'entry']
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


@pytest.mark.parametrize('module', sorted(modules()))
def test_module_is_small(module):
    lines = modules()[module].read_text().count('\n')
    assert lines <= LINE_LIMIT


def test_imports_stand_at_the_top():
    wrong = []
    for module in modules():
        if room_of(module) == 'entry':
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
def test_library_stays_in_its_room(library, home):
    wrong = [f'{module}:{line}'
             for module in modules()
             if module != home and not module.startswith(home + '.')
             for name, line in targets(module)
             if name.split('.')[0] == library]
    assert wrong == []


def test_only_the_driver_choice_asks_which_driver():
    homes = {'heat.engine.stack_driver', 'heat.engine.stack_store'}
    wrong = []
    for module in modules():
        if not module.startswith('heat.engine') or module in homes:
            continue
        wrong += [f'{module}:{node.lineno}'
                  for node in ast.walk(tree_of(module))
                  if isinstance(node, ast.Attribute)
                  and node.attr == 'convergence'
                  and isinstance(node.ctx, ast.Load)]
    assert wrong == []


def test_objects_is_the_only_user_of_the_database():
    wrong = [f'{module}:{line} {name}'
             for module in modules()
             if room_of(module) not in ('db', 'objects', 'entry')
             for name, line in inside(module) if name.startswith('heat.db')]
    assert wrong == []
