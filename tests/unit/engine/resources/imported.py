"""Import what a stack has made into another stack of the same template."""
from heat.engine import stack as stack_module
from heat.engine.plans import moves
from heat.engine.plans import new_stack
from heat.engine.plans import requested
from heat.engine.plans import tree
from heat.engine.stacks import store as stack_store
from heat.objects import resource as resource_objects
from heat.objects import stack as stack_objects


def forgotten(engine, text):
    """Return {name: physical id} of what a stack has made and forgot."""
    stack = engine.create(text)
    assert stack.state == ('CREATE', 'COMPLETE'), stack.status_reason
    ids = {resource.name: resource.resource_id
           for resource in stack.values()}
    resource_objects.Resource.delete_many(
        engine.context, [resource.id for resource in stack.values()])
    stack_objects.Stack.delete(engine.context, stack.id)
    return ids


def _moved(before, goal, ids):
    return moves.of_update(before, goal, (), requested.imports_of([
        {'resource': name, 'id': each} for name, each in ids.items()]),
        is_new=True)


def _goal(engine, text):
    goal = stack_module.Stack(engine.context, 'second',
                              engine.template(text),
                              convergence=engine.convergence)
    goal.validate()
    return goal


def planned(engine, text, ids):
    """Return {name: (action after the import, causes)} of a new stack."""
    goal = _goal(engine, text)
    before = new_stack.planned_beginning_of(goal)
    plan = tree.Plan()
    for _step in tree.update_steps(plan, before, goal,
                                   _moved(before, goal, ids)):
        pass
    assert not plan.errors
    return {each['path'][-1]: (each.get('after_import', each['action']),
                               each['causes']) for each in plan.changes}


def imported(engine, text, ids):
    """Create a stack of what exists, and return it as it is stored."""
    current = new_stack.beginning_of(_goal(engine, text))
    current.store()
    current = engine.reload(current)
    updated = stack_store.wanted_stack(current, engine.template(text))
    updated.validate()
    moves.update(current, updated, _moved(current, updated, ids), 'CREATE')
    engine.pool.run()
    return engine.reload(current)
