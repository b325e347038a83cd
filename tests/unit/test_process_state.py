"""All state of a process outside objects that are passed on is documented.

State is what a function may change: names under a ``global`` statement,
module-level containers and objects, attributes of classes, and what each
thread has of its own. Values that functools.cache keeps follow from the
arguments, so they do not count; locks and metrics neither.
"""
import ast
import functools
import pathlib
import re

from tests.unit import source_trees

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / 'doc' / 'source' / 'contributor' / 'process_state.rst'

CONTAINERS = {'dict', 'list', 'set', 'OrderedDict', 'defaultdict', 'deque',
              'Counter', 'WeakSet', 'WeakKeyDictionary',
              'WeakValueDictionary'}
CHANGES = {'add', 'append', 'appendleft', 'clear', 'discard', 'extend',
           'insert', 'move_to_end', 'pop', 'popitem', 'popleft', 'remove',
           'setdefault', 'update'}
FUNCTIONS = ast.FunctionDef | ast.AsyncFunctionDef


def module_name(path):
    parts = path.relative_to(ROOT).with_suffix('').parts
    return '.'.join(parts[:-1] if parts[-1] == '__init__' else parts)


@functools.cache
def trees():
    return {module_name(path): source_trees.of(path)
            for path in sorted((ROOT / 'heat').rglob('*.py'))}


def last_name(node):
    """Return the last part of a dotted name, None for anything else."""
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else None


def root_of(node):
    """Return (name, its attribute or None) of what is changed."""
    attribute = None
    while isinstance(node, ast.Attribute | ast.Subscript):
        if isinstance(node, ast.Attribute):
            attribute = node.attr
        node = node.value
    return (node.id if isinstance(node, ast.Name) else None), attribute


def changed_by(function):
    """Yield (name, attribute or None) of all that the statements change."""
    for node in ast.walk(function):
        targets = []
        if isinstance(node, ast.Assign | ast.Delete):
            targets = node.targets
        elif isinstance(node, ast.AugAssign | ast.AnnAssign):
            targets = [node.target]
        for target in targets:
            for each in getattr(target, 'elts', [target]):
                if isinstance(each, ast.Attribute | ast.Subscript):
                    yield root_of(each)
        if isinstance(node, ast.Call) and isinstance(
                node.func, ast.Attribute) and node.func.attr in CHANGES:
            yield root_of(node.func.value)


def has_state(cls):
    """Return whether methods of a class change its objects later on."""
    if any(last_name(base) == 'local' for base in cls.bases):
        return True
    methods = [each for each in cls.body if isinstance(each, FUNCTIONS)]
    building = {'__init__', '__new__', '__post_init__'}
    building |= {last_name(node.func) for method in methods
                 if method.name == '__init__' for node in ast.walk(method)
                 if isinstance(node, ast.Call)}
    return any(name == 'self' and attribute for method in methods
               if method.name not in building
               for name, attribute in changed_by(method))


@functools.cache
def classes():
    """Return {module: {name: class}} of the classes at the top level."""
    return {module: {node.name: node for node in tree.body
                     if isinstance(node, ast.ClassDef)}
            for module, tree in trees().items()}


def class_called(module, call):
    """Return the class of ours that a call makes an object of, or None."""
    if isinstance(call.func, ast.Name):
        return classes()[module].get(call.func.id)
    alias = last_name(getattr(call.func, 'value', None))
    for node in trees()[module].body:
        if isinstance(node, ast.ImportFrom):
            for each in node.names:
                if alias in (each.asname, each.name):
                    found = classes().get(f'{node.module}.{each.name}', {})
                    return found.get(last_name(call.func))
    return None


def is_state(module, value):
    """Return whether the value of a name is an object that changes."""
    if isinstance(value, ast.Call):
        if last_name(value.func) in ('local', 'ContextVar'):
            return True
        cls = class_called(module, value)
        return cls is not None and has_state(cls)
    return False


def is_container(value):
    return isinstance(value, ast.Dict | ast.List | ast.Set) or (
        isinstance(value, ast.Call) and last_name(value.func) in CONTAINERS)


def top_level(tree):
    """Return {name: value} of the assignments of a module."""
    values = {}
    for node in tree.body:
        if isinstance(node, ast.Assign):
            values.update((target.id, node.value) for target in node.targets
                          if isinstance(target, ast.Name))
        elif isinstance(node, ast.AnnAssign) and node.value is not None:
            values[node.target.id] = node.value
    return values


def locals_of(function):
    """Return the names that are not those of the module in a function."""
    names = {each.arg for node in ast.walk(function)
             if isinstance(node, ast.arguments)
             for each in [*node.posonlyargs, *node.args, *node.kwonlyargs]}
    names |= {node.id for node in ast.walk(function)
              if isinstance(node, ast.Name) and isinstance(
                  node.ctx, ast.Store)}
    return names


def functions_of(tree):
    """Yield (name of the class or None, function) of the top level."""
    for node in tree.body:
        if isinstance(node, FUNCTIONS):
            yield None, node
        elif isinstance(node, ast.ClassDef):
            yield from ((node.name, each) for each in node.body
                        if isinstance(each, FUNCTIONS) and each.name not in (
                            '__init_subclass__', '__new__'))


def state_of(module):
    """Yield the names of the state that a module holds."""
    tree = trees()[module]
    values = top_level(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Global):
            yield from node.names
    yield from (name for name, value in values.items()
                if is_state(module, value))
    for owner, function in functions_of(tree):
        changes = {each for each in changed_by(function)
                   if each[0] not in (None, 'self')}
        names = locals_of(function) if changes else ()
        for name, attribute in changes:
            if name == 'cls' and attribute and owner:
                yield f'{owner}.{attribute}'
            elif name in names:
                continue
            elif name in classes()[module] and attribute:
                yield f'{name}.{attribute}'
            elif name in values and is_container(values[name]):
                yield name


def found():
    return {f'{module}.{name}' for module in trees()
            for name in state_of(module)}


def documented():
    rows = re.findall(r'^   \* - ``(heat\.[\w.]+)``', PAGE.read_text(),
                      re.MULTILINE)
    assert len(rows) == len(set(rows))
    return set(rows)


SAMPLE = """
import threading

LIMITS = {'a': 1}
_seen = []
_thread = threading.local()
_rebound = None

class Counter:
    known = {}
    def __init__(self): self._count = 0
    def add(self): self._count += 1
    @classmethod
    def learn(cls, name): cls.known[name] = True

class Constant:
    def __init__(self): self._value = 1

COUNTER = Counter()
CONSTANT = Constant()

def see(name):
    _seen.append(name)

def rebind():
    global _rebound
    _rebound = 1

def local_only():
    LIMITS = {}
    LIMITS['b'] = 2
"""


def test_state_is_recognised(monkeypatch):
    monkeypatch.setitem(globals(), 'trees', lambda: {
        'sample': ast.parse(SAMPLE)})
    monkeypatch.setitem(globals(), 'classes', classes.__wrapped__)
    assert set(state_of('sample')) == {
        '_seen', '_thread', '_rebound', 'COUNTER', 'Counter.known'}


def test_the_page_names_all_state_of_a_process():
    assert found() == documented()
