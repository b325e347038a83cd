import pytest

from heat.common import exception
from heat.db import models
from heat.db import session
from heat.objects import stack
from heat.objects import user_creds

UserCreds = user_creds.UserCreds


def stored(context):
    with session.reader(context) as connection:
        return connection.execute(models.USER_CREDS.select()).one()


def test_password_is_stored_encrypted(context):
    made = UserCreds.create(context)
    row = stored(context)
    assert 'secret' not in str(row)
    assert row.decrypt_method == 'cryptography_decrypt_v1'
    read = UserCreds.get_by_id(context, made.id)
    assert (read.username, read.password, read.trust_id) == (
        'anna', 'secret', None)
    assert (read.tenant, read.tenant_id, read.auth_url, read.region_name) == (
        'demo', 'project', 'http://keystone/v3', 'here')


def test_of_a_trust_no_password_is_stored(make_context):
    context = make_context(trust_id='trust', trustor_user_id='user')
    made = UserCreds.create(context)
    row = stored(context)
    assert row.password is None
    assert row.trust_id != 'trust'
    read = UserCreds.get_by_id(context, made.id)
    assert (read.trust_id, read.trustor_user_id, read.password) == (
        'trust', 'user', None)


def test_credentials_without_secret(make_context):
    context = make_context(password=None)
    made = UserCreds.create(context)
    assert UserCreds.get_by_id(context, made.id).password is None


def test_password_that_does_not_fit_is_refused(make_context):
    with pytest.raises(exception.Error, match='255'):
        UserCreds.create(make_context(password='x' * 200))


def test_deleted_credentials_leave_their_stacks(context, make_stack):
    made = UserCreds.create(context)
    one = make_stack(user_creds_id=made.id)
    assert UserCreds.delete(context, made.id) is True
    assert UserCreds.delete(context, made.id) is False
    assert UserCreds.get_by_id(context, made.id) is None
    assert stack.Stack.get_by_id(context, one.id).user_creds_id is None
