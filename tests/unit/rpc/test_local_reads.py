import pytest

from heat.common import config
from heat.common import context
from heat.common import exception
from heat.common import reading
from heat.rpc import client
from heat.rpc import local_reads


@pytest.fixture(scope='module', autouse=True)
def _options():
    config.register_opts()


class Reader:
    methods = frozenset(('show_stack', 'list_stacks'))

    def __init__(self):
        self.error = None
        self.asked = []

    def answer(self, ctxt, method, arguments):
        self.asked.append((ctxt, method, dict(arguments)))
        if self.error is not None:
            raise self.error
        return 'read'


@pytest.fixture
def one():
    one = Reader()
    local_reads.READS.install(one)
    yield one
    local_reads.READS.install(None)


@pytest.fixture
def recorder(monkeypatch):
    sent = []

    class Client:
        def prepare(self, **_options):
            return self

        def call(self, _ctxt, method, **_kwargs):
            sent.append(method)
            return 'asked'

    monkeypatch.setattr(client.messaging, 'get_rpc_client',
                        lambda **_options: Client())
    return sent


CONTEXT = context.RequestContext(project_id='p')


def call(method, *, is_for_users=True, **kwargs):
    one = client.EngineClient(is_for_users=is_for_users)
    return one.call(CONTEXT, one.make_msg(method, **kwargs), version='1.9',
                    timeout=5)


def test_it_is_asked_for_what_it_knows(one, recorder):
    assert call('list_stacks', limit=3) == 'read'
    assert one.asked == [(CONTEXT, 'list_stacks', {'limit': 3})]
    assert recorder == []


def test_engines_are_asked_for_the_rest(one, recorder):
    assert call('delete_stack') == 'asked'
    assert call('get_template') == 'asked'
    assert one.asked == []
    assert recorder == ['delete_stack', 'get_template']


def test_an_engine_does_what_takes_one(one, recorder):
    one.error = reading.EngineNeeded()
    assert call('show_stack') == 'asked'
    assert recorder == ['show_stack']


def test_errors_are_those_of_the_caller(one, recorder):
    one.error = exception.EntityNotFound(entity='Stack', name='s')
    with pytest.raises(exception.EntityNotFound):
        call('show_stack')
    assert recorder == []


def test_an_engine_asks_others_as_before(one, recorder):
    assert call('show_stack', is_for_users=False) == 'asked'
    assert one.asked == []


def test_there_need_not_be_one(recorder):
    assert call('show_stack') == 'asked'
