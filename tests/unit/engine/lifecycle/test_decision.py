import itertools

import pytest

from heat.common import exception
from heat.engine import comparable
from heat.engine import properties
from heat.engine import resource
from heat.engine.comparison import judgement
from heat.engine.comparison import live
from heat.engine.lifecycle import decision as resource_decision
from heat.engine.stacks import warrant
from heat.engine.tasks import scheduler
from tests.fakes import database
from tests.fakes import stack as fake_stack

K = resource_decision.Kind
N = resource_decision.Need
Facts = resource_decision.Facts
decide = resource_decision.decide

INVALID = exception.StackValidationFailed(message='wrong')


# -- decide -----------------------------------------------------------------

@pytest.mark.parametrize(('facts', 'kind'), [
    # Not wanted any more: the policy decides.
    ({'desired': False}, K.DELETE),
    ({'desired': False, 'created': False}, K.DELETE),
    ({'desired': False, 'failed': True}, K.DELETE),
    ({'desired': False, 'retained': True}, K.RETAIN),
    ({'desired': False, 'external_id': 'e'}, K.RETAIN),
    # Never made.
    ({'created': False}, K.CREATE),
    ({'created': False, 'same_class': False}, K.CREATE),
    ({'created': False, 'need': N.REPLACE}, K.CREATE),
    # Of another type.
    ({'same_class': False}, K.REPLACE),
    ({'same_class': False, 'substitutable': True}, K.SUBSTITUTE),
    ({'same_class': False, 'external_id': 'e'}, K.REPLACE),
    # External.
    ({'external_id': 'e', 'desired_external_id': 'e'}, K.KEEP),
    ({'external_id': 'e', 'desired_external_id': 'e',
      'need': N.UPDATE}, K.KEEP),
    ({'external_id': 'e'}, K.UPDATE),
    ({'desired_external_id': 'e'}, K.UPDATE),
    # What the plugin found.
    ({}, K.KEEP),
    ({'failed': True}, K.KEEP),
    ({'need': N.REPLACE}, K.REPLACE),
    ({'need': N.UPDATE}, K.UPDATE),
    ({'need': N.UPDATE, 'prop_diff': {'a': 1}}, K.UPDATE),
    ({'need': N.UPDATE, 'template_replaces': True}, K.REPLACE),
    ({'need': N.UPDATE, 'properties_replace': True}, K.REPLACE),
    ({'need': N.UPDATE, 'not_updatable': ('b',)}, K.REPLACE),
    ({'need': N.UPDATE, 'immutable': ('i',)}, K.UPDATE),
    ({'need': N.UPDATE, 'invalid': INVALID}, K.UPDATE),
])
def test_kind(facts, kind):
    assert decide(Facts('r', **facts)).kind == kind


@pytest.mark.parametrize(('facts', 'error'), [
    ({}, None),
    ({'need': N.UPDATE}, None),
    ({'need': N.REPLACE}, None),
    ({'need': N.UPDATE, 'invalid': INVALID},
     exception.StackValidationFailed),
    ({'need': N.UPDATE, 'immutable': ('i',)}, exception.NotSupported),
    ({'external_id': 'e', 'desired_external_id': 'f'},
     exception.NotSupported),
    ({'need': N.UPDATE, 'restricted': frozenset(['update'])},
     exception.ResourceActionRestricted),
    ({'need': N.UPDATE, 'restricted': frozenset(['replace'])}, None),
    ({'need': N.REPLACE, 'restricted': frozenset(['update'])}, None),
    ({'need': N.REPLACE, 'restricted': frozenset(['replace'])},
     exception.ResourceActionRestricted),
    ({'need': N.UPDATE, 'not_updatable': ('b',),
      'restricted': frozenset(['replace'])},
     exception.ResourceActionRestricted),
    ({'same_class': False, 'restricted': frozenset(['replace'])},
     exception.ResourceActionRestricted),
    ({'restricted': frozenset(['update', 'replace'])}, None),
])
def test_error(facts, error):
    found = decide(Facts('r', **facts)).error
    assert found is None if error is None else isinstance(found, error)


@pytest.mark.parametrize(('facts', 'method'), [
    ({'need': N.REPLACE}, 'prepare_for_replace'),
    ({'need': N.REPLACE, 'rollback': True}, 'restore_prev_rsrc'),
    ({'same_class': False}, None),
    ({'same_class': False, 'rollback': True}, None),
    ({'need': N.UPDATE}, None),
])
def test_what_the_plugin_does_before_a_replacement(facts, method):
    assert decide(Facts('r', **facts)).before_replacement == method


def test_every_combination_has_a_decision():
    """Whatever the plugin says, one thing is decided, and for a reason."""
    flags = ['desired', 'created', 'failed', 'retained', 'same_class',
             'substitutable', 'template_replaces', 'properties_replace',
             'rollback']
    choices = itertools.product(
        itertools.product((False, True), repeat=len(flags)), N,
        ((), ('i',)), ((), ('b',)), (None, INVALID))
    for values, need, immutable, not_updatable, invalid in choices:
        facts = Facts('r', need=need, immutable=immutable,
                      not_updatable=not_updatable, invalid=invalid,
                      **dict(zip(flags, values, strict=True)))
        decision = decide(facts)
        assert isinstance(decision.kind, K)
        assert decision.reason
        if decision.repaired:
            assert facts.failed
        if decision.kind in (K.DELETE, K.RETAIN):
            assert not facts.desired
        else:
            assert facts.desired
        if decision.error is not None:
            assert decision.kind in (K.UPDATE, K.REPLACE)


def test_repaired_when_nothing_is_needed():
    assert decide(Facts('r', failed=True)).repaired
    assert not decide(Facts('r')).repaired


# -- gather -----------------------------------------------------------------

class Plain(resource.Resource):
    properties_schema = {
        'a': properties.Schema(properties.Schema.STRING,
                               update_allowed=True),
        'b': properties.Schema(properties.Schema.STRING),
        'i': properties.Schema(properties.Schema.STRING, immutable=True),
        'c': properties.Schema(properties.Schema.STRING,
                               update_allowed=True),
        'd': properties.Schema(properties.Schema.STRING, default='plain',
                               update_allowed=True),
        'l': properties.Schema(properties.Schema.LIST, default=[],
                               update_allowed=True),
        'n': properties.Schema(properties.Schema.STRING,
                               update_allowed=True),
    }
    name_property = 'n'

    def handle_create(self):
        self.resource_id_set('phys')


class Other(resource.Resource):
    properties_schema = {}


@pytest.fixture
def stack():
    database.emptied_sqlite()
    return fake_stack.FakeStack(
        {'r': {'type': 'T::Plain', 'properties': {'a': 'x'}}},
        types={'T::Plain': Plain, 'T::Other': Other})


@pytest.fixture
def res(stack):
    res = stack.stored('r')
    scheduler.TaskRunner(res.create)()
    return res


def decided(res, definition, **kwargs):
    return decide(resource_decision.gather(res, definition, **kwargs))


def test_resource_without_row_is_created(stack):
    assert decided(stack['r'], stack.definition('r')).kind == K.CREATE


def test_same_definition_is_kept(stack, res):
    assert decided(res, stack.definition('r')).kind == K.KEEP


def test_changed_value_is_an_update(stack, res):
    decision = decided(res, stack.definition('r', properties={'a': 'y'}))
    assert decision.kind == K.UPDATE
    assert decision.prop_diff == {'a': 'y'}
    assert decision.tmpl_diff.properties_changed()
    assert not decision.tmpl_diff.metadata_changed()


def test_removed_value_is_none_in_the_diff(stack, res):
    decision = decided(res, stack.definition('r', properties={}))
    assert decision.prop_diff == {'a': None}


def test_description_is_no_change(stack, res):
    assert decided(res, stack.definition(
        'r', description='other')).kind == K.KEEP


def test_metadata_is_a_change_without_properties(stack, res):
    decision = decided(res, stack.definition('r', metadata={'m': 1}))
    assert (decision.kind, decision.prop_diff) == (K.UPDATE, {})
    assert decision.tmpl_diff.metadata_changed()


def test_unknown_property_fails(stack, res):
    decision = decided(res, stack.definition('r', properties={'zz': 1}))
    assert isinstance(decision.error, exception.StackValidationFailed)


def test_other_type_is_a_replacement(stack, res):
    decision = decided(res, stack.definition('r', type='T::Other'))
    assert decision.kind == K.REPLACE
    assert decision.before_replacement is None


def test_substitute_class_takes_over(stack, res, monkeypatch):
    monkeypatch.setattr(
        Plain, 'support_status', type(Plain.support_status)(
            substitute_class=Other))
    definition = stack.definition('r', type='T::Other', properties={})
    assert decided(res, definition).kind == K.SUBSTITUTE
    other = resource_decision.substitute(res, definition)
    assert type(other) is Other
    assert (other.id, other.resource_id) == (res.id, 'phys')


def test_unwanted_resource_follows_its_policy(stack, res):
    assert decided(res, None).kind == K.DELETE
    assert decided(res, None, abandon=True).kind == K.RETAIN
    res.t = stack.definition('r', deletion_policy='Retain')
    assert decided(res, None).kind == K.RETAIN


def test_live_state_counts_when_asked_for(stack, res, monkeypatch):
    monkeypatch.setattr(Plain, '_show_resource', lambda self: {'a': 'live'})
    definition = stack.definition('r')
    assert decided(res, definition).kind == K.KEEP
    decision = decided(res, definition, converge=True)
    assert (decision.kind, decision.prop_diff) == (K.UPDATE, {'a': 'x'})
    assert decided(res, definition, converge=True, live=False).kind == K.KEEP


def test_what_no_definition_sets_is_as_the_service_chose(stack, res,
                                                         monkeypatch):
    monkeypatch.setattr(Plain, '_show_resource', lambda self: {
        'a': 'x', 'c': 'chosen', 'l': ['chosen'], 'n': 'stack-r-1'})
    monkeypatch.setattr(Plain, 'physical_resource_name',
                        lambda self: 'stack-r-1')
    assert decided(res, stack.definition('r'), converge=True).kind == K.KEEP
    # What one of them sets is compared, and so is the name given by Heat.
    for properties_, diff in (({'a': 'x', 'c': 'y'}, {'c': 'y'}),
                              ({}, {'a': None})):
        decision = decided(res, stack.definition('r', properties=properties_),
                           converge=True)
        assert (decision.kind, decision.prop_diff) == (K.UPDATE, diff)
    monkeypatch.setattr(Plain, 'physical_resource_name', lambda self: 'o')
    decision = decided(res, stack.definition('r'), converge=True)
    assert decision.prop_diff == {'n': None}


def test_default_of_the_type_is_compared(stack, res, monkeypatch):
    monkeypatch.setattr(Plain, '_show_resource', lambda self: {'d': 'other'})
    decision = decided(res, stack.definition('r'), converge=True)
    assert decision.prop_diff == {'d': 'plain'}


def reverting(stack, *names):
    """Have an execution revert the drift of resources of these names."""
    stack.converge = True
    stack.warrant = warrant.Warrant('id', reverts=frozenset(names))


@pytest.mark.parametrize('planned', [True, False])
def test_drift_is_what_a_detection_finds(stack, res, monkeypatch, planned):
    """A plan and its execution compare alike, and as detections do."""
    monkeypatch.setattr(Plain, '_show_resource', lambda self: {
        'a': 'live', 'c': 'chosen', 'l': ['chosen'], 'd': 'plain'})
    more = {'drift_seen': live.LiveState()} if planned else {}
    if not planned:
        reverting(stack, 'r')
    facts = resource_decision.gather(res, stack.definition('r'), **more)
    decision = decide(facts)
    assert (decision.kind, decision.prop_diff) == (K.UPDATE, {'a': 'x'})
    assert facts.drift == judgement.of_resource(res, live.LiveState())


def test_what_the_plan_does_not_name_is_not_looked_at(stack, res,
                                                      monkeypatch):
    def asked(self):
        raise AssertionError('It has been asked for.')

    monkeypatch.setattr(Plain, '_show_resource', asked)
    monkeypatch.setattr(Plain, 'get_live_resource_data', asked)
    reverting(stack, 'another')
    assert decided(res, stack.definition('r'), converge=True).kind == K.KEEP


def test_what_is_in_sync_again_is_kept(stack, res, monkeypatch):
    monkeypatch.setattr(Plain, '_show_resource', lambda self: {'a': 'x'})
    reverting(stack, 'r')
    facts = resource_decision.gather(res, stack.definition('r'))
    assert (decide(facts).kind, facts.drift) == (K.KEEP, None)


def test_what_cannot_be_read_has_not_drifted(stack, res, monkeypatch):
    def down(self):
        raise OSError('down')

    monkeypatch.setattr(Plain, 'get_live_resource_data', down)
    reverting(stack, 'r')
    assert decided(res, stack.definition('r')).kind == K.KEEP


def test_what_has_drifted_away_is_replaced(stack, res, monkeypatch):
    def gone(self):
        raise exception.EntityNotFound(entity='Thing', name='phys')

    monkeypatch.setattr(Plain, 'get_live_resource_data', gone)
    reverting(stack, 'r')
    assert decided(res, stack.definition('r')).kind == K.REPLACE


def test_plugin_may_judge_and_show_what_the_schema_does_not_know(
        stack, res, monkeypatch):
    """The property is updated even if its live value cannot be one."""
    monkeypatch.setattr(Plain, '_show_resource', dict)
    for value in ('x', {'not': ['a', 'text']}):
        monkeypatch.setattr(Plain, 'drift_state', lambda *_args, value=value: {
            'a': comparable.Differs(value)})
        decision = decided(res, stack.definition('r'),
                           drift_seen=live.LiveState())
        assert (decision.kind, decision.prop_diff) == (K.UPDATE, {'a': 'x'})


def test_what_is_gone_is_replaced(stack, res, monkeypatch):
    def gone(self):
        raise exception.EntityNotFound(entity='Thing', name='phys')

    monkeypatch.setattr(Plain, 'get_live_resource_data', gone)
    assert decided(res, stack.definition('r'),
                   converge=True).kind == K.REPLACE


def test_other_errors_of_the_cloud_are_ignored(stack, res, monkeypatch):
    def down(self):
        raise OSError('down')

    monkeypatch.setattr(Plain, 'get_live_resource_data', down)
    assert decided(res, stack.definition('r'), converge=True).kind == K.KEEP


@pytest.mark.parametrize(('action', 'opts_out', 'kind'), [
    ('CREATE', False, K.REPLACE),
    ('CREATE', True, K.KEEP),
    ('CHECK', True, K.REPLACE),
])
def test_failed_resources(stack, res, monkeypatch, action, opts_out, kind):
    monkeypatch.setattr(Plain, 'needs_replace_failed',
                        lambda self: not opts_out)
    res.action, res.status = action, 'FAILED'
    assert decided(res, stack.definition('r')).kind == kind


def test_failed_check_may_be_kept(stack, res, monkeypatch):
    monkeypatch.setattr(Plain, 'needs_replace_failed', lambda self: False)
    monkeypatch.setattr(Plain, 'always_replace_on_check_failed', False)
    res.action, res.status = 'CHECK', 'FAILED'
    assert decided(res, stack.definition('r')).kind == K.KEEP


@pytest.mark.parametrize('method', [
    'needs_replace', 'needs_replace_with_prop_diff',
    'needs_replace_with_tmpl_diff'])
def test_plugin_may_ask_for_a_replacement(stack, res, monkeypatch, method):
    monkeypatch.setattr(Plain, method, lambda self, *args: True)
    definition = stack.definition('r', properties={'a': 'y'})
    assert decided(res, definition).kind == K.REPLACE


def test_update_template_diff_properties_raises_for_plugins(stack, res):
    def diff(**props):
        after = stack.definition('r', properties=props)
        before_props, after_props = resource_decision.update_properties(
            res, after, res.frozen_definition())
        return res.update_template_diff_properties(after_props,
                                                   before_props)

    assert diff(a='y') == {'a': 'y'}
    with pytest.raises(exception.UpdateReplace):
        diff(a='x', b='new')
    with pytest.raises(exception.NotSupported):
        diff(a='x', i='new')
