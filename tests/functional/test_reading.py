"""The cost and the results of reading large stacks."""
import json

import pytest

from heat.common import timeutils
from heat.engine import rsrc_defn
from tests.functional import rest
from tests.functional import templates
from tests.functional import test_trees
from tests.functional.templates import attr
from tests.functional.templates import hot

FEW, MANY = 3, 60


def line(count, **changes):
    """Return a template in which each thing but the first needs another."""
    things = {'t0': templates.thing(value='x')}
    for number in range(1, count):
        things[f't{number}'] = templates.thing(
            depends_on=f't{number - 1}', value='x')
    things.update(changes)
    return hot(things, outputs={'o': {'value': attr('t1', 'value')}})


@pytest.mark.parametrize('path', ['', 'resources', 'resources/t1',
                                  'outputs/o', 'template'])
def test_a_read_takes_the_same_statements_at_any_size(api, path):
    needed = set()
    for count in (FEW, MANY):
        stack = api.created(f's{count}', line(count))
        needed.add(test_trees.statements_of(lambda: stack.get(path)))  # noqa: B023
    assert len(needed) == 1
    assert needed.pop() <= 6


def test_reads_parse_the_definitions_that_they_tell_of(api, monkeypatch):
    stack = api.created('s', line(MANY, last=templates.thing(value='x')))
    made = []
    construct = rsrc_defn.ResourceDefinition.__init__

    def counting(self, name, *args, **kwargs):
        made.append(name)
        construct(self, name, *args, **kwargs)

    monkeypatch.setattr(rsrc_defn.ResourceDefinition, '__init__', counting)
    assert len(stack.resources()) == MANY + 1
    assert made == []
    assert stack.resource('t0')['required_by'] == ['t1']
    assert stack.resource('last')['required_by'] == []
    assert made == ['t0', 'last']


def required_by(stack):
    """Return what needs each resource, as the list and as all shows say."""
    listed = {name: each['required_by']
              for name, each in stack.resources().items()}
    shown = {name: stack.resource(name)['required_by'] for name in listed}
    assert shown == listed
    return listed


def test_what_needs_a_resource_follows_updates(driver, api):
    stack = api.created('s', line(3))
    assert required_by(stack) == {'t0': ['t1'], 't1': ['t2'], 't2': []}
    # Only the order changes.
    stack.updated(line(3, t2=templates.thing(depends_on='t0', value='x')))
    assert required_by(stack) == {'t0': ['t1', 't2'], 't1': [], 't2': []}
    # One that others need is replaced, and one comes and one goes.
    stack.updated(line(2, t0=templates.thing(fixed='new'),
                       t3=templates.thing(value=attr('t0', 'value'))))
    assert required_by(stack) == {'t0': ['t1', 't3'], 't1': [], 't3': []}
    stack.act('suspend')
    stack.wait('SUSPEND_COMPLETE')
    assert required_by(stack) == {'t0': ['t1', 't3'], 't1': [], 't3': []}


def test_what_needs_a_resource_is_known_before_it_is_there(driver, api, gate):
    stack = api.create('s', line(3, t0=templates.thing(
        gate=gate, gated=['CREATE'])))
    # Legacy stores a row when it begins with the resource.
    found = rest.wait_for(lambda: stack.resources().get('t0'), 't0')
    assert found['required_by'] == ['t1']
    gate.open()
    stack.wait('CREATE_COMPLETE')


def test_what_failed_tells_what_needs_it(driver, api):
    stack = api.create('s', line(3, t1=templates.thing(
        depends_on='t0', fail=['CREATE'])))
    stack.wait('CREATE_FAILED')
    assert required_by(stack)['t1'] == ['t2']


def test_ids_that_contain_the_digits_of_others_are_told_apart(api):
    # Ids of one digit are in many others.
    names = [f't{number}' for number in range(25)]
    stack = api.created('s', hot({
        name: templates.thing(depends_on=names[:number][-1:], value='x')
        for number, name in enumerate(names)}))
    found = required_by(stack)
    assert found == {name: [*names[number + 1:number + 2]]
                     for number, name in enumerate(names)}


def test_links_name_what_they_lead_to(api):
    inner = hot({'é %': templates.thing(value='x')})
    stack = api.created('s', hot({'a b': {'type': 'inner.yaml'}}),
                        files={'inner.yaml': json.dumps(inner)})
    found = stack.resources(nested_depth=1)
    for name, quoted in (('a b', 'a%20b'), ('é %', '%C3%A9%20%25')):
        links = {each['rel']: each['href'] for each in found[name]['links']}
        assert links['self'] == f'{links["stack"]}/resources/{quoted}'
    outer = {each['rel']: each['href'] for each in found['a b']['links']}
    assert outer['nested'] == {
        each['rel']: each['href']
        for each in found['é %']['links']}['stack']


def test_times_are_written_to_the_second(api):
    stack = api.created('s', line(1))
    shown = stack.resource('t0')['creation_time']
    assert timeutils.isotime(timeutils.parse_isotime(shown)) == shown
    assert len(shown) == len('2026-01-31T12:00:00Z')


def test_a_show_reads_what_plugins_keep_at_once(api):
    needed = set()
    for count in (1, 40):
        stack = api.created(f's{count}', hot(
            {f't{number}': templates.thing(value='x')
             for number in range(count)},
            outputs={f'o{number}': {'value': attr(f't{number}', 'value')}
                     for number in range(count)}))
        assert len(stack.outputs()) == count
        needed.add(test_trees.statements_of(stack.show))
    # The stack, its tags, its resources and what is kept with them, in two
    # transactions; SQLite counts their beginnings.
    assert len(needed) == 1
    assert needed.pop() <= 6


@pytest.mark.parametrize('query', [{}, {'limit': 20}])
def test_a_list_takes_the_same_statements_at_any_length(api, query):
    needed = set()
    for count in (1, 2, 3):
        api.created(f's{count}', line(2))
        assert len(api.stacks(**query)) == count
        needed.add(test_trees.statements_of(
            lambda: api.get('stacks', **query)))
    # The stacks, and their tags.
    assert needed == {2}


def test_a_page_of_events_takes_the_same_statements_at_any_length(api):
    needed = set()
    for count in (FEW, MANY):
        stack = api.created(f's{count}', line(count))
        needed.add(test_trees.statements_of(
            lambda: stack.get('events', limit=5)))  # noqa: B023
    assert len(needed) == 1
    assert needed.pop() <= 4
