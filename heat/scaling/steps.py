"""Change a group in steps, each of which may take several looks.

The steps are task runners. A handler starts the first of them and returns
them all; the check that follows goes on with them, one after the other.
"""
from heat.common import timeutils
from heat.common.i18n import _
from heat.engine import scheduler


def begin(runners):
    """Start the first of the steps; return them."""
    if runners:
        runners[0].start()
    return runners


def are_done(runners):
    """Continue with the steps; return whether all are done."""
    for runner in runners:
        if not runner.started():
            runner.start()
        if not runner.step():
            return False
    return True


def batched(run_batch, batches, pause_seconds, stack_seconds):
    """Return the steps that carry out batches, with pauses in between.

    :param run_batch: function (capacity, number of new members, minutes it
        may take) that returns a task.
    :param stack_seconds: how long all of it may take.
    """
    batches = list(batches)
    pauses = pause_seconds * max(len(batches) - 1, 0)
    left = stack_seconds - pauses
    if left <= 0:
        raise ValueError(_(
            'The current update policy will result in stack update timeout: '
            'the pauses between batches take %(pauses)d s, the stack has '
            '%(stack)d s.') % {'pauses': pauses, 'stack': stack_seconds})
    minutes = max(int(left // 60), 1)
    runners = []
    for index, (capacity, new) in enumerate(batches):
        if index and pause_seconds > 0:
            runners.append(scheduler.TaskRunner(_pause, pause_seconds))
        runners.append(scheduler.TaskRunner(run_batch, capacity, new,
                                            minutes))
    return runners


def _pause(seconds):
    """A task to let time pass between batches."""
    duration = timeutils.Duration(seconds)
    while not duration.expired():
        yield
