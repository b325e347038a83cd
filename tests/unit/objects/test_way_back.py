"""What the way back to OpenStack Heat makes of stored records."""
from heat.db import downgrade
from heat.objects import stack
from heat.objects.user_creds import UserCreds


def test_each_root_stack_has_a_row_of_credentials(context, make_context,
                                                  make_stack):
    trusting = make_context(trust_id='t1', trustor_user_id='u1')
    made = UserCreds.create(trusting)
    roots = [make_stack(name, user_creds_id=made.id) for name in 'abc']
    inside = [make_stack(f'in-{each.name}', owner_id=each.id,
                         user_creds_id=made.id) for each in roots]
    without = make_stack('without')
    assert downgrade.convert(context) == 2
    found = [stack.Stack.get_by_id(context, each.id).user_creds_id
             for each in roots]
    assert len(set(found)) == 3
    assert made.id in found
    assert found == [stack.Stack.get_by_id(context, each.id).user_creds_id
                     for each in inside]
    assert {UserCreds.get_by_id(context, each).trust_id
            for each in found} == {'t1'}
    assert stack.Stack.get_by_id(context, without.id).user_creds_id is None
    assert downgrade.convert(context) == 0
