"""What senders of signals are told, and the users they act as."""
from urllib import parse

import pytest

from heat.common import ec2_signature
from heat.common import exception
from heat.common import identifier
from heat.db import api as db_api
from heat.engine import properties
from heat.engine.resources import signal_responder
from heat.engine.tasks import scheduler
from tests.fakes import database
from tests.fakes import keystone
from tests.fakes import stack as fake_stack


class Responder(signal_responder.SignalResponder):
    """Takes signals."""

    SIGNAL_TRANSPORTS = (
        CFN_SIGNAL, TEMP_URL_SIGNAL, HEAT_SIGNAL, NO_SIGNAL, ZAQAR_SIGNAL,
    ) = (
        'CFN_SIGNAL', 'TEMP_URL_SIGNAL', 'HEAT_SIGNAL', 'NO_SIGNAL',
        'ZAQAR_SIGNAL',
    )

    properties_schema = {
        'signal_transport': properties.Schema(
            properties.Schema.STRING, default=CFN_SIGNAL),
    }

    def handle_signal(self, details=None):
        return 'thank you'


@pytest.fixture
def calls(monkeypatch, tmp_path):
    database.fresh_sqlite(tmp_path / 'heat.sqlite')
    fake_stack.Clock(monkeypatch)
    yield keystone.use(monkeypatch)
    keystone.forget()


def responder(transport='CFN_SIGNAL', *, create=True):
    stack = fake_stack.FakeStack(
        {'r': {'type': 'Responder',
               'properties': {'signal_transport': transport}}},
        types={'Responder': Responder})
    res = stack.stored('r')
    if create:
        scheduler.TaskRunner(res.create)()
    return stack, res


def test_user_is_made_once_and_deleted(calls):
    stack, res = responder()
    assert calls == ['create_stack_domain_project',
                     'create_stack_domain_user']
    user_id = res.data()['user_id']
    assert stack.reload('r')._get_user_id() == user_id
    scheduler.TaskRunner(res.delete)()
    assert calls[2:] == ['delete_stack_domain_user']
    assert stack.reload('r').data() == {}


def test_user_is_kept_out_while_suspended(calls):
    _stack, res = responder()
    scheduler.TaskRunner(res.suspend)()
    scheduler.TaskRunner(res.resume)()
    assert calls[2:] == ['disable_stack_domain_user',
                         'enable_stack_domain_user']


def test_signed_url(calls):
    stack, res = responder()
    url = res._get_signal()['alarm_url']
    parts = parse.urlsplit(url)
    assert (parts.scheme, parts.netloc) == ('http', 'cfn.test:8000')
    assert identifier.HeatIdentifier.from_arn_url(url) == res.identifier()
    params = dict(parse.parse_qsl(parts.query))
    signature = params.pop('Signature')
    assert params['AWSAccessKeyId'] == res.data()['access_key']
    assert signature == ec2_signature.sign_v2(res.data()['secret_key'], {
        'verb': 'POST', 'host': parts.netloc,
        'path': parse.unquote(parts.path), 'params': params})
    assert parts.path.startswith('/v1/signal/')
    # It stays the same as long as the resource lives.
    assert stack.reload('r')._get_ec2_signed_url() == url
    scheduler.TaskRunner(res.delete)()
    assert calls[-2:] == ['delete_stack_domain_user_keypair',
                          'delete_stack_domain_user']
    assert stack.reload('r')._get_ec2_signed_url() is None


def test_wait_conditions_have_a_url_of_their_own(calls):
    _stack, res = responder()
    url = res._get_ec2_signed_url(signal_responder.WAITCONDITION,
                                  never_expire=True)
    assert '/v1/waitcondition/arn%3Aopenstack' in url
    assert 'Timestamp' not in url


def test_no_url_before_the_resource_is_there(calls):
    _stack, res = responder(create=False)
    assert res._get_signal() == {'alarm_url': None}
    assert calls == []


def test_heat_signal(calls):
    stack, res = responder('HEAT_SIGNAL')
    signal = res._get_signal()
    assert signal['alarm_url'] == (
        'http://heat.test:8004/v1/%s/stacks/st/%s/resources/r/signal'
        % (stack.stack_user_project_id, stack.id))
    assert signal['user_id'] == res.data()['user_id']
    assert signal['username'] == res.physical_resource_name()
    assert signal['password'] == res.password
    assert len(res.password) == 32


def test_no_signal(calls):
    _stack, res = responder('NO_SIGNAL')
    assert res._get_signal() is None


@pytest.mark.parametrize(('transport', 'service'), [
    ('TEMP_URL_SIGNAL', 'swift'), ('ZAQAR_SIGNAL', 'zaqar')])
def test_transport_whose_service_is_missing(transport, service, calls):
    stack, res = responder(transport, create=False)
    with pytest.raises(exception.StackValidationFailed) as bad:
        res.validate()
    assert bad.value.path == ['resources', 'r', 'properties',
                              'signal_transport']
    assert service in str(bad.value)


def test_keys_allow_their_resource_only(calls):
    stack, res = responder()
    res._get_ec2_signed_url()
    res._register_access_key()
    assert set(stack.access_handlers) == {res.data()['user_id'],
                                          res.data()['access_key']}
    for handler in stack.access_handlers.values():
        assert handler('r')
        assert not handler('other')


def test_secrets_are_encrypted(calls):
    stack, res = responder()
    res._get_ec2_signed_url()
    rows = {row.key: row for row in
            db_api.resource_data_get_all(stack.context, [res.id])}
    for key in ('password', 'secret_key', 'access_key', 'credential_id'):
        assert rows[key].redact, key
        assert rows[key].value != res.data()[key]
