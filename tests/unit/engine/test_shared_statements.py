"""What operations of many nested stacks cost, in SQL statements.

All writes that can be made at the same time are, as when an engine has a lot
to do: what then grows with the number of stacks is asked for one by one.
"""
import itertools
import json

import pytest

from heat.common import timeutils
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
def engine(monkeypatch, tmp_path):
    one = stacks.Engine(monkeypatch, tmp_path / 'heat.sqlite',
                        convergence=True)
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


def pairs(count, value='v'):
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
                    'word': value + '%index%'}}}}}), {
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
#: add. Values of properties and data are stored one by one.
PER_MEMBER = {'create': 15, 'update': 2, 'delete': 2.5}


def test_members_share_statements(engine):
    few, many = costs(engine, FEW), costs(engine, MANY)
    each = {what: (many[what] - few[what]) / (MANY - FEW) for what in many}
    assert {what: number for what, number in each.items()
            if number > PER_MEMBER[what]} == {}
