"""The cost of operations on many nested stacks, mainly in SQL statements.

All writes that can be made at the same time are, as when an engine has a lot
to do: what then grows with the number of stacks is asked for one by one.
"""
import collections
import itertools
import json

import pytest

from heat.common import timeutils
from heat.engine import environment
from heat.engine import stk_defn
from heat.engine.hot import template as hot_template
from heat.engine.resources.openstack.heat import none_resource
from heat.engine.resources.openstack.heat import random_string
from heat.engine.resources.openstack.heat import value
from heat.engine.stacks import template_store
from heat.engine.tasks import group_commit
from heat.objects import transaction
from tests.fakes import stacks

FEW, MANY = 20, 60
VERSION = '2018-08-31'


class Gathering:
    """Commits what was submitted when nothing else can be done."""

    def __init__(self):
        self._requests = []

    def submit(self, writes, on_results):
        self._requests.append((list(writes), on_results))

    def commit(self):
        """Commit one batch; tell if there was any."""
        requests, self._requests = (self._requests[:group_commit.BATCH_SIZE],
                                    self._requests[group_commit.BATCH_SIZE:])
        results = iter(group_commit.commit(
            [write for writes, _told in requests for write in writes]))
        for writes, told in requests:
            told(list(itertools.islice(results, len(writes))))
        return bool(requests)


@pytest.fixture
def engine(monkeypatch):
    one = stacks.Engine(monkeypatch, convergence=True)
    gathering = one.pool.group_commit = Gathering()
    one.configure()

    def run():
        while one.pool.step() or gathering.commit():
            pass
        if one.pool.active():
            timeutils.sleep(1)
            run()

    monkeypatch.setattr(one.pool, 'run', run)
    return one


def pairs(count, prefix='v'):
    """Return a group whose members hold two stacks each, and its files."""
    word = {'parameters': {'word': {'type': 'string'}}}
    inner = {'heat_template_version': VERSION, **word, 'resources': {
        't': {'type': 'Test::Thing', 'properties': {
            'value': {'get_param': 'word'}}}}}
    member = {'heat_template_version': VERSION, **word, 'resources': {
        name: {'type': 'inner.yaml', 'properties': {
            'word': {'get_param': 'word'}}} for name in 'ab'}}
    return 'resources: ' + json.dumps({'group': {
        'type': 'OS::Heat::ResourceGroup', 'properties': {
            'count': count, 'resource_def': {
                'type': 'member.yaml', 'properties': {
                    'word': prefix + '%index%'}}}}}), {
        'member.yaml': json.dumps(member), 'inner.yaml': json.dumps(inner)}


def counted(work):
    """Return how many statements something took, and what it returned."""
    before = transaction.counters()['statements']
    result = work()
    return transaction.counters()['statements'] - before, result


def costs(engine, count):
    """Return the statements that a group takes in the course of its life.
    """
    template, files = pairs(count)
    found = {}
    found['create'], stack = counted(lambda: engine.create(
        template, name=f's{count}', files=files))
    assert stack.state == ('CREATE', 'COMPLETE'), stack.status_reason
    template_store.forget_all()
    found['update'], stack = counted(lambda: engine.update(
        stack, template, files=files))
    assert stack.state == ('UPDATE', 'COMPLETE'), stack.status_reason
    template_store.forget_all()
    found['delete'], stack = counted(lambda: engine.delete(stack))
    assert stack.state == ('DELETE', 'COMPLETE'), stack.status_reason
    return found


#: Statements that a member with its two stacks, five resources in all, may
#: add.
PER_MEMBER = {'create': 7, 'update': 2, 'delete': 2.5}


def test_members_share_statements(engine):
    few, many = costs(engine, FEW), costs(engine, MANY)
    each = {what: (many[what] - few[what]) / (MANY - FEW) for what in many}
    assert {what: number for what, number in each.items()
            if number > PER_MEMBER[what]} == {}


#: Definitions of stacks that a member with its two stacks may add: each is
#: validated at most once for each stack above it, and made.
DEFINITIONS = {'create': 12, 'update': 12}


def test_members_share_schemata(engine, monkeypatch):
    made = collections.Counter()

    def counting(cls, name):
        original = getattr(cls, name)

        def call(*args, **options):
            made[cls] += 1
            return original(*args, **options)

        monkeypatch.setattr(cls, name, call)

    counting(stk_defn.StackDefinition, '__init__')
    counting(hot_template.HOTemplate20130523, '_make_schemata')

    def numbers(count):
        template, files = pairs(count)
        made.clear()
        stack = engine.create(template, name=f's{count}', files=files)
        found = {'create': collections.Counter(made)}
        made.clear()
        stack = engine.update(stack, template, files=files)
        found['update'] = collections.Counter(made)
        assert stack.state == ('UPDATE', 'COMPLETE'), stack.status_reason
        return found

    few, many = numbers(3), numbers(9)
    for what, limit in DEFINITIONS.items():
        more = many[what] - few[what]
        assert more[stk_defn.StackDefinition] / 6 <= limit
        assert more[hot_template.HOTemplate20130523] == 0


#: Types of our own whose handlers make no remote call.
LOCAL_TYPES = [
    (random_string.RandomString, {'length': 8}),
    (value.Value, {'value': 'x'}),
    (none_resource.NoneResource, {})]


@pytest.mark.parametrize(('kind', 'given'), LOCAL_TYPES)
def test_independent_resources_share_statements(engine, kind, given):
    environment.global_env().register_class(kind.type_name, kind)

    def create(count):
        statements, stack = counted(lambda: engine.create(
            'resources: ' + json.dumps({f'r{number}': {
                'type': kind.type_name, 'properties': given}
                for number in range(count)}), name=f's{count}'))
        assert stack.state == ('CREATE', 'COMPLETE'), stack.status_reason
        assert set(engine.rows(stack).values()) == {('CREATE', 'COMPLETE')}
        return statements

    few, many = 20, 220
    assert (create(many) - create(few)) / (many - few) <= 0.1
