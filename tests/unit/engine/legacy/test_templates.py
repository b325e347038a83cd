import types

import pytest

from heat.engine import template
from heat.engine.legacy import templates as legacy_templates
from heat.objects import raw_template as template_objects
from tests.fakes import database
from tests.fakes import stack as fake_stack

HOT = {'heat_template_version': '2021-04-16',
       'resources': {'a': {'type': 'OS::Heat::None'}}}


@pytest.fixture
def context(tmp_path):
    database.fresh_sqlite(tmp_path / 'heat.sqlite')
    return fake_stack.FakeStack({}).context


def _templates(working, template_id, previous_id, rollback_id=None):
    stack = types.SimpleNamespace(
        t=types.SimpleNamespace(id=template_id),
        prev_raw_template_id=previous_id)
    return legacy_templates.UpdateTemplates(
        working, stack,
        types.SimpleNamespace(rollback_template_id=rollback_id))


def test_the_working_template_is_written_and_then_known(context):
    working = template.Template(HOT)
    templates = _templates(working, 7, None)
    row_id = templates.write(context)
    assert working.id is None
    templates.mark_stored()
    assert working.id == row_id
    stored = template_objects.RawTemplate.get_by_id(context, row_id)
    assert stored.template == HOT


def test_those_that_may_be_of_no_use():
    working = types.SimpleNamespace(id=3)
    goal = types.SimpleNamespace(t=types.SimpleNamespace(id=4))
    templates = _templates(working, 1, 2)
    assert templates.all(goal) == {1, 2, 3, 4}
    goal.t.id = None
    assert _templates(working, 1, None).all(goal) == {1, 3}


def test_a_rollback_may_lead_to_another_template():
    templates = _templates(types.SimpleNamespace(id=3), 1, 2, 5)
    assert templates.old_id == 5
    assert templates.obsolete == {1, 2}
