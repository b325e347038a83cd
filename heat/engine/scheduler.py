"""The part of the scheduler that plugins use.

The scheduler itself is ``heat.engine.tasks.scheduler``.
"""
from heat.engine.tasks.scheduler import ExceptionGroup
from heat.engine.tasks.scheduler import TaskRunner
from heat.engine.tasks.scheduler import TimedCancel
from heat.engine.tasks.scheduler import Timeout
from heat.engine.tasks.scheduler import WaitFor
from heat.engine.tasks.scheduler import WaitForAny

__all__ = ['ExceptionGroup', 'TaskRunner', 'TimedCancel', 'Timeout',
           'WaitFor', 'WaitForAny']
