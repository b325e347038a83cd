"""What the core asks of the services of a process is what these have."""
from heat.engine import stack as stack_module
from heat.engine.cluster import interface
from heat.engine.drivers import select
from heat.engine.tasks import group_commit
from heat.engine.tasks import pool


def test_the_engine_context_has_all_that_is_asked_of_it():
    members = {name for name in vars(interface.EngineContext)
               if not name.startswith(('_', 'register'))}
    assert 'engine_id' in members
    context = select.EngineContext('engine', pool.InlinePool(),
                                   group_commit.Inline(),
                                   stack_class=stack_module.Stack)
    assert {name for name in members if not hasattr(context, name)} == set()


def test_an_engine_alone_answers_itself():
    context = select.EngineContext('engine', pool.InlinePool(),
                                   group_commit.Inline(),
                                   stack_class=stack_module.Stack)
    asked: interface.EngineContext = context
    assert asked.answers(None, 'engine')
