"""Measure what the template language costs, as ratios within one run.

Each figure is the best of several rounds, and the two sides of a ratio take
turns, so that what else the machine does falls on both. As with timeit, the
garbage collector rests meanwhile, and what counts is the time of the CPU.
"""
import argparse
import gc
import time

import yaml

from heat.common import identifier
from heat.common import template_format
from heat.engine import constraints
from heat.engine import function
from heat.engine import node_data
from heat.engine import properties
from heat.engine import stk_defn
from heat.engine import template
from heat.engine.language import template_checks
from tools.benchmarks import tables

RESOURCES = 1000
SCHEMA = {
    'value': properties.Schema(properties.Schema.STRING, default='none'),
    'fail': properties.Schema(properties.Schema.BOOLEAN, default=False),
    'wait_secs': properties.Schema(
        properties.Schema.NUMBER, default=0,
        constraints=[constraints.Range(min=0, max=1000)]),
    'action_wait_secs': properties.Schema(
        properties.Schema.MAP, schema={
            action: properties.Schema(properties.Schema.NUMBER)
            for action in ('create', 'update', 'delete')}),
    'client_name': properties.Schema(
        properties.Schema.STRING,
        constraints=[constraints.AllowedPattern('[a-z]*')]),
    'entity_name': properties.Schema(properties.Schema.STRING),
    'attr_wait_secs': properties.Schema(properties.Schema.NUMBER,
                                        default=0),
    'update_replace': properties.Schema(properties.Schema.BOOLEAN,
                                        default=False),
}


def text_of(size):
    """Return a HOT template of so many resources with 5 properties each."""
    lines = ['heat_template_version: 2018-08-31',
             'parameters:', '  size: {type: string, default: small}',
             'resources:']
    for number in range(size):
        lines += [
            f'  resource_{number}:',
            '    type: OS::Heat::TestResource',
            '    properties:',
            f'      value: {value_of(number)}',
            '      fail: false',
            f'      wait_secs: {number % 7}',
            '      action_wait_secs: {create: 0, update: 0}',
            '      client_name: {get_param: size}']
    lines += ['outputs:', '  all:',
              '    value: {get_attr: [resource_0, output]}', '']
    return '\n'.join(lines)


def value_of(number):
    """Return a value, for most resources one that refers to another."""
    if number % 4 == 0:
        return f'the value of {number}'
    return f'{{get_attr: [resource_{number - 1}, output]}}'


def definition_of(text):
    """Return the StackDefinition of a template's text."""
    data = template_format.simple_parse(text)
    made = template.get_template_class(data)(data)
    return stk_defn.StackDefinition(
        None, made, identifier.HeatIdentifier('project', 'stack', 'id'))


def validate(text):
    """Parse a template and check all that needs no cloud."""
    definition = definition_of(text)
    with template_checks.Problems() as found:
        usable = template_checks.check_definition(found, definition,
                                                  with_values=True)
        template_checks.check_references(found, definition, usable)
        for name in usable:
            resource = definition.resource_definition(name)
            resource.validate()
            resource.properties(SCHEMA).validate()
        template_checks.check_outputs(found, definition)
    return definition


def created(size):
    """Return a definition all of whose resources exist."""
    definition = validate(text_of(size))
    for name in definition.enabled_rsrc_names():
        stk_defn.update_resource_data(definition, name, node_data.NodeData(
            1, name, 'uuid', 'reference', {'output': 'x'}, 'CREATE',
            'COMPLETE'))
    return definition


def resolve(definition):
    """Return the values of all properties of one resource."""
    resource = definition.resource_definition('resource_7')
    values = properties.Properties(SCHEMA, resource._properties,
                                   function.resolve)
    return dict(values)


def graph(definition):
    """Build the dependency graph of a definition and sort it."""
    found = template_checks.Problems()
    template_checks.check_references(
        found, definition, list(definition.enabled_rsrc_names()))
    found.raise_first_or_all()


def best_of(rounds, *functions):
    """Return the shortest time of each function, in seconds."""
    best = [float('inf')] * len(functions)
    for _round in range(rounds):
        for index, run in enumerate(functions):
            gc.collect()
            gc.disable()
            started = time.process_time()
            run()
            best[index] = min(best[index], time.process_time() - started)
            gc.enable()
    return best


def many(run, *args, times=200):
    """Return a function that does something often."""
    def runs():
        for _time in range(times):
            run(*args)
    return runs


def measure(rounds):
    """Yield (what, seconds, compared with, seconds, limit of the ratio)."""
    text = text_of(RESOURCES)
    loading, parsing, whole = best_of(
        rounds, lambda: yaml.load(text, Loader=yaml.CSafeLoader),
        lambda: template_format.simple_parse(text), lambda: validate(text))
    theirs = f'yaml.load of {RESOURCES} resources'
    yield 'parse', parsing, theirs, loading, 1.0
    yield 'parse and validate', whole, theirs, loading, 2.0
    small, large = created(10), created(RESOURCES)
    few, all_of_them = best_of(rounds, many(resolve, small),
                               many(resolve, large))
    yield (f'properties of one of {RESOURCES}, 200 times', all_of_them,
           'of one of 10', few, 1.2)
    # The graph reads definitions that have been parsed.
    larger = created(10 * RESOURCES)
    thousand, ten_thousand = best_of(
        rounds, lambda: graph(definition_of_same(large)),
        lambda: graph(definition_of_same(larger)))
    yield (f'graph of {10 * RESOURCES} resources', ten_thousand,
           f'of {RESOURCES}', thousand, 11.0)


def definition_of_same(definition):
    """Return a definition of the same template, with nothing parsed yet."""
    return stk_defn.StackDefinition(
        None, definition.t,
        identifier.HeatIdentifier('project', 'stack', 'id'))


def main(arguments):
    """Measure, print a table, and return 1 if a limit is exceeded."""
    parser = argparse.ArgumentParser(
        prog='tools/bench language', description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--repeat', type=int, default=7,
                        help='how many rounds the best is taken of')
    args = parser.parse_args(arguments)
    missed = 0
    rows = []
    for what, ours, other, theirs, limit in measure(args.repeat):
        ratio = ours / theirs
        missed += ratio > limit
        rows.append([what, f'{ours * 1000:.1f}', other,
                     f'{theirs * 1000:.1f}', f'{ratio:.2f}',
                     f'{limit:.2f}', tables.verdict(ratio, limit)])
    tables.show(['what', 'ms', 'compared with', 'ms', 'ratio', 'limit',
                 'verdict'], rows)
    return 1 if missed else 0
