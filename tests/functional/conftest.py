"""Fixtures: the service in process, a client of it, both drivers."""
import json
import logging
import uuid
from wsgiref import simple_server

from oslo_config import cfg
import pytest

from heat.cmd import pipeline
from heat.common import policy
from tests import accounts
from tests import serving
from tests.functional import rest
from tests.functional import service as service_module


@pytest.fixture(scope='module', autouse=True)
def _no_account(tmp_path_factory):
    with accounts.forgotten(tmp_path_factory.mktemp('account')):
        yield


@pytest.fixture(scope='module')
def service():
    """Return a running service on an empty database."""
    with service_module.running() as service:
        yield service


class _Quiet(simple_server.WSGIRequestHandler):
    def log_message(self, *_arguments):
        """Say nothing on the terminal."""


@pytest.fixture(scope='module')
def cfn_url(service):
    """Return where the CloudFormation API of the service listens."""
    server = simple_server.make_server(
        '127.0.0.1', 0, pipeline.application('heat-api-cfn'),
        handler_class=_Quiet)
    with serving.serving(server, 0.05):
        yield 'http://127.0.0.1:%d' % server.server_port


@pytest.fixture
def conf():
    """Return a function that sets an option during the test."""
    changed = []

    def set_option(name, value, group=None):
        changed.append((name, group))
        before.append((name, getattr(cfg.CONF[group] if group else cfg.CONF,
                                     name), group))
        cfg.CONF.set_override(name, value, group)

    before = []
    yield set_option
    for name, value, group in reversed(before):
        cfg.CONF.set_override(name, value, group)


def operator_rules(conf, tmp_path):
    """Yield a function that has an operator's rules apply; undo them."""
    def set_rules(**rules):
        path = tmp_path / 'policy.yaml'
        path.write_text(json.dumps(rules))
        # Whoever has not asked for it yet has not got its options either.
        policy.get_enforcer()
        conf('policy_file', str(path), 'oslo_policy')
        policy.reset()

    yield set_rules
    policy.reset()


@pytest.fixture
def rules(conf, tmp_path):
    """Return a function that has an operator's rules apply."""
    yield from operator_rules(conf, tmp_path)


@pytest.fixture
def api(service, caplog):
    """Return a client of a project of its own.

    Whatever the test left is deleted, and no error may have been logged:
    what a user does wrong is no error of the service.
    """
    client = rest.Client(service.application, uuid.uuid4().hex)
    yield client
    _delete_all(client)
    errors = [_text_of(record) for phase in ('setup', 'call', 'teardown')
              for record in caplog.get_records(phase)
              if record.levelno >= logging.ERROR]
    assert not errors, errors


def _text_of(record):
    return logging.Formatter().format(record)[-2000:]


def _delete_all(client):
    thing = service_module.thing()
    thing.opened.add(thing.EVERY)
    try:
        for each in client.get('stacks', show_hidden='true')['stacks']:
            # One that a test has begun to delete may be gone by now.
            stack = rest.Stack(client, each['stack_name'], each['id'])
            status = stack.request('DELETE').status
            assert status in (204, 404, 409)
            if status == 409:
                # The test has protected it.
                stack.request('PUT', 'protection',
                              {'termination_protection': False}, expect=200)
                assert stack.request('DELETE').status in (204, 404)
        rest.wait_for(
            lambda: not client.get('stacks', show_hidden='true')['stacks'],
            lambda: client.get('stacks', show_hidden='true'))
    finally:
        thing.opened.clear()


@pytest.fixture
def gate():
    """Return the name of a gate that is closed, and how to open it."""
    return Gate(uuid.uuid4().hex)


class Gate(str):
    """A place where things wait until the test lets them go on."""

    def open(self):
        """Let what waits go on, for ever."""
        service_module.thing().opened.add(str(self))


@pytest.fixture(params=['convergence', 'legacy'])
def driver(request, conf, service):
    """Have new stacks driven by one driver, then by the other."""
    conf('convergence_engine', request.param == 'convergence')
    return request.param


@pytest.fixture
def thing(service):
    """Return the module of the plugin."""
    return service_module.thing()
