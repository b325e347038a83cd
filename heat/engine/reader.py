"""Calls that only read, answered by an API process from the database.

The option ``api_reads_database`` has API processes do this. It saves the
message to an engine and back, which costs more than most of what is read.
"""
from collections.abc import Mapping
from typing import Any

import oslo_messaging

from heat.common import context as heat_context
from heat.common import current_engine
from heat.common import plain_values
from heat.common import reading
from heat.engine import resources
from heat.engine import stack as stack_module
from heat.engine.rpc import events as service_events
from heat.engine.rpc import queries
from heat.engine.rpc import resources as service_resources
from heat.engine.rpc import snapshots as service_snapshots
from heat.engine.rpc import software_config as service_software_config
from heat.engine.stacks import template_store
from heat.objects import transaction

#: What is answered. Calls that mostly ask a service are not among these, nor
#: those about resource types: which there are, the engines know.
METHODS = frozenset((
    'identify_stack', 'list_stacks', 'count_stacks', 'show_stack',
    'get_template', 'get_environment', 'get_files', 'list_outputs',
    'show_output', 'list_exports', 'list_imports', 'list_events',
    'list_stack_resources', 'find_physical_resource', 'show_snapshot',
    'stack_list_snapshots', 'list_software_configs', 'show_software_config',
    'list_software_deployments', 'metadata_software_deployments'))


class _Calls(queries.StackQueries,
             queries.ExportQueries,
             service_events.EventQueries,
             service_resources.ResourceOperations,
             service_snapshots.SnapshotOperations,
             service_software_config.SoftwareConfigOperations):
    """The calls of an engine among which METHODS are."""


class _NoEvents:
    """Wakes no streams of events: nothing is written that they follow."""

    @staticmethod
    def stored() -> None:
        reading.require_engine()

    asked = heard = stored


class _NoEngine:
    """Stands in for the engine in a process that only reads."""

    templates = template_store
    events = _NoEvents()
    load_stack = staticmethod(stack_module.Stack.load)

    @staticmethod
    def announce(_key: tuple[Any, ...], *, far: bool = True,
                 many: bool = False) -> None:
        reading.require_engine()


class Reader:
    """Answers calls of users from the database.

    The process needs the configuration, plugins and packages that engines
    have. What a call would write or ask a service is left to an engine.
    """

    methods = METHODS

    def __init__(self) -> None:
        resources.initialise()
        self._calls = _Calls()
        if current_engine.get() is None:
            current_engine.install(_NoEngine())

    def answer(self, ctxt: heat_context.RequestContext, method: str,
               arguments: Mapping[str, Any]) -> Any:
        """Return what an engine would answer, in JSON's types.

        :param method: one of METHODS
        :raises EngineNeeded: an engine has to be asked
        """
        # The same that a message would bring to an engine.
        context = heat_context.RequestContext.from_dict(ctxt.to_dict())
        context.answer_soon = True
        try:
            with reading.only(), transaction.fenced(reading.require_engine):
                found = getattr(self._calls, method)(
                    context, **plain_values.plain(dict(arguments)))
        except oslo_messaging.ExpectedException as expected:
            # It wraps an error of ours for the RPC server.
            raise expected.exc_info[1] from None
        # A copy: the original may be part of what is kept for other calls.
        return plain_values.plain(found)
