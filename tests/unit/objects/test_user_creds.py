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


def test_several_are_stored_together(make_context):
    ids = UserCreds.create_many(make_context(), [
        make_context(password='one'),
        make_context(password=None),
        make_context(trust_id='t1', trustor_user_id='u1')])
    found = [UserCreds.get_by_id(make_context(), each) for each in ids]
    assert [(one.password, one.trust_id) for one in found] == [
        ('one', None), (None, None), (None, 't1')]
    assert UserCreds.create_many(make_context(), []) == []


def test_credentials_go_with_the_last_stack(context, make_stack):
    made = UserCreds.create(context)
    one = make_stack('one', user_creds_id=made.id)
    two = make_stack('two', user_creds_id=made.id)
    stack.Stack.delete(context, one.id)
    assert UserCreds.get_by_id(context, made.id) is not None
    assert stack.Stack.get_by_id(context, two.id).user_creds_id == made.id
    stack.Stack.delete(context, two.id)
    assert UserCreds.get_by_id(context, made.id) is None


def test_root_stacks_with_the_same_credentials(context, make_stack):
    made, other = UserCreds.create(context), UserCreds.create(context)
    one = make_stack('one', user_creds_id=made.id)
    inside = make_stack('inside', owner_id=one.id, user_creds_id=made.id)
    deep = make_stack('deep', owner_id=inside.id, user_creds_id=made.id)

    def are_shared():
        return stack.Stack.have_credentials(context, made.id, besides=one.id)

    assert not are_shared()
    two = make_stack('two', user_creds_id=made.id)
    assert are_shared()
    stack.Stack.replace_credentials(context, one.id, made.id, other.id)
    assert {each.name: each.user_creds_id for each in (
        stack.Stack.get_by_id(context, known.id)
        for known in (one, inside, deep, two))} == {
            'one': other.id, 'inside': other.id, 'deep': other.id,
            'two': made.id}
    stack.Stack.delete(context, two.id)
    assert not are_shared()
