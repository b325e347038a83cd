"""Answering calls from the database, where no engine is."""
import datetime
import inspect

import pytest

from heat.common import config
from heat.common import context as heat_context
from heat.common import current_engine
from heat.common import exception
from heat.common import outage
from heat.common import reading
from heat.common import request_budget
from heat.engine import reader
from heat.engine import service
from heat.engine.stacks import template_store
from heat.objects import raw_template
from heat.objects import transaction
from heat.rpc import client as rpc_client
from tests.fakes import database


@pytest.fixture(scope='module')
def installed():
    """Return a reader in a process that has no engine."""
    config.register_opts()
    before = current_engine.get()
    current_engine.install(None)
    yield reader.Reader()
    current_engine.install(before)


@pytest.fixture
def one(installed):
    database.fresh_sqlite()
    return installed


CONTEXT = heat_context.RequestContext(project_id='p', user_id='u',
                                      roles=['reader'], is_admin=False)


@pytest.fixture
def calls(one, monkeypatch):
    """Return a function that replaces the implementation of a call."""
    def replace(function):
        @heat_context.request_context
        def call(self, cnxt, **arguments):
            return function(cnxt, **arguments)
        monkeypatch.setattr(type(one._calls), 'list_stacks', call)
    return replace


def test_each_method_is_one_of_engines_and_of_their_clients():
    assert {name for name in reader.METHODS
            if not hasattr(service.EngineService, name)} == set()
    clients = inspect.getsource(rpc_client) + ''.join(
        inspect.getsource(each) for each in rpc_client.EngineClient.__mro__
        if each not in (object, rpc_client.EngineClient))
    assert {name for name in reader.METHODS
            if f"'{name}'" not in clients} == set()


def test_reads_need_no_engine(one):
    assert one.answer(CONTEXT, 'list_stacks', {}) == []
    assert one.answer(CONTEXT, 'count_stacks', {}) == 0
    with pytest.raises(exception.EntityNotFound, match='nothing'):
        one.answer(CONTEXT, 'identify_stack', {'stack_name': 'nothing'})


def test_answer_is_a_copy_in_types_of_json(one, calls):
    kept = [{'at': datetime.datetime(2026, 1, 2), 'ids': ('a', 'b')}]
    calls(lambda _context: kept)
    found = one.answer(CONTEXT, 'list_stacks', {})
    assert found == [{'at': '2026-01-02T00:00:00.000000', 'ids': ['a', 'b']}]
    calls(lambda _context: plain)
    plain = [{'a': [1]}]
    found = one.answer(CONTEXT, 'list_stacks', {})
    found[0]['a'].append(2)
    assert plain == [{'a': [1]}]


def test_arguments_stay_as_they_are(one, calls):
    calls(lambda _context, filters: filters.setdefault('tenant', 'p'))
    given = {'filters': {'name': 's'}}
    assert one.answer(CONTEXT, 'list_stacks', given) == 'p'
    assert given == {'filters': {'name': 's'}}


def test_call_acts_for_the_user_and_answers_soon(one, calls):
    seen = []
    calls(lambda context: seen.append(context))
    one.answer(CONTEXT, 'list_stacks', {})
    assert (seen[0].project_id, seen[0].user_id, list(seen[0].roles),
            seen[0].is_admin, seen[0].request_id) == (
                'p', 'u', ['reader'], False, CONTEXT.request_id)
    assert seen[0] is not CONTEXT
    assert seen[0].answer_soon


def test_nothing_is_written(one, calls):
    def write(context):
        transaction.run(context, lambda: raw_template.RawTemplate.create(
            context, {'template': {}}))

    calls(write)
    with pytest.raises(reading.EngineNeeded):
        one.answer(CONTEXT, 'list_stacks', {})
    calls(lambda context: raw_template.RawTemplate.create(
        context, {'template': {}}))
    with pytest.raises(reading.EngineNeeded):
        one.answer(CONTEXT, 'list_stacks', {})
    # The restriction ends with the call.
    raw_template.RawTemplate.create(CONTEXT, {'template': {}})


@pytest.mark.parametrize('ask', [
    lambda engine: engine.announce(('stack', 'x')),
    lambda engine: engine.events.stored(),
    lambda engine: engine.events.asked()])
def test_nobody_is_woken(one, calls, ask):
    calls(lambda _context: ask(current_engine.require()))
    with pytest.raises(reading.EngineNeeded):
        one.answer(CONTEXT, 'list_stacks', {})


def test_templates_are_found(one):
    assert current_engine.require().templates is template_store


def test_database_that_is_away_is_said_so(one, calls):
    def away(_context):
        raise outage.Unavailable

    calls(away)
    with pytest.raises(exception.ServiceUnavailable):
        one.answer(CONTEXT, 'list_stacks', {})


def test_defect_is_raised_as_it_is(one, calls):
    def fail(_context):
        raise ZeroDivisionError

    calls(fail)
    with pytest.raises(ZeroDivisionError):
        one.answer(CONTEXT, 'list_stacks', {})


def test_limit_of_requests_applies(one, calls):
    calls(lambda _context: request_budget.take(10 ** 12))
    with pytest.raises(exception.RequestLimitExceeded):
        one.answer(CONTEXT, 'list_stacks', {})
