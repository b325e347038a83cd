"""Hostile templates in a process that has no more than 200 MB left."""
import json
import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).parent.parent.parent
PROGRAM = r"""
import json, pathlib, resource, sys, time
from heat.common import template_format
from heat.engine import function
from heat.engine.hot.functions import yaql
from tests.fakes import definitions

yaql.Yaql(None, 'yaql', {'expression': '1'}).result()
size = int(pathlib.Path('/proc/self/statm').read_text().split()[0])
room = size * resource.getpagesize() + 200 * 1024 * 1024
resource.setrlimit(resource.RLIMIT_AS, (room, room))
case = json.load(sys.stdin)
started = time.process_time()
try:
    if 'text' in case:
        template_format.simple_parse(case['text'])
    else:
        stack = definitions.definition(definitions.hot(parameters={
            'long': {'type': 'string', 'default': 'a' * 400000}}))
        function.resolve(stack.t.parse(stack, case['value']))
except ValueError as exc:
    said = str(exc)[:500]
else:
    said = None
print(json.dumps([said, time.process_time() - started]))
"""
LONG = {'get_param': 'long'}


def _bomb():
    lines = ['a0: &a0 [%s]' % ', '.join(['x'] * 50)]
    lines += [f'a{n}: &a{n} [{", ".join([f"*a{n - 1}"] * 50)}]'
              for n in range(1, 12)]
    return '\n'.join(lines)


CASES = {
    'aliases': {'text': _bomb()},
    'merges': {'text': 'a: &a\n' + ''.join(
        f'  k{n}: 1\n' for n in range(20000)) + ''.join(
        f'b{n}: {{<<: *a}}\n' for n in range(20000))},
    'depth': {'text': '[' * 500000},
    'number': {'text': 'a: ' + ':'.join(['1'] * 200000)},
    'replace': {'value': {'str_replace': {
        'template': LONG, 'params': {'a': LONG}}}},
    'join': {'value': {'list_join': [LONG, ['x'] * 5000]}},
    'repeat': {'value': {'repeat': {
        'template': ['%a%'] * 5000, 'for_each': {'%a%': [LONG] * 5000}}}},
    'words': {'value': {'repeat': {
        'template': '%a%' * 100000, 'for_each': {'%a%': [LONG]}}}},
    'splits': {'value': [{'str_split': ['a', LONG]}] * 5000},
    'references': {'value': {'map_merge': [
        {f'k{n}': LONG} for n in range(5000)]}},
    'query': {'value': {'yaql': {
        'expression': '$.data.replace("a", $.data)', 'data': LONG}}},
    'items': {'value': {'yaql': {'expression': '[1] * 1000000000'}}},
    'power': {'value': {'yaql': {'expression': 'pow(10, 10000000000)'}}},
}


@pytest.mark.parametrize('name', CASES)
def test_it_is_refused(name):
    done = subprocess.run(
        [sys.executable, '-c', PROGRAM], input=json.dumps(CASES[name]),
        capture_output=True, text=True, cwd=ROOT, timeout=240, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    said, seconds = json.loads(done.stdout)
    assert said
    assert 'memory' not in said.lower() or 'consumed' in said
    assert seconds < 1
