"""The default policy: one module for each collection of the REST API."""
import functools
import itertools

from heat.policies import actions
from heat.policies import base
from heat.policies import build_info
from heat.policies import change_sets
from heat.policies import cloudformation
from heat.policies import cloudwatch
from heat.policies import drift
from heat.policies import events
from heat.policies import permissions
from heat.policies import protection
from heat.policies import resource
from heat.policies import resource_types
from heat.policies import service
from heat.policies import software_configs
from heat.policies import software_deployments
from heat.policies import stacks

_MODULES = (base, actions, build_info, change_sets, cloudformation,
            cloudwatch, drift, events, permissions, protection, resource,
            resource_types, service, software_configs, software_deployments,
            stacks)
#: The collections of the REST API, /v1.
_OF_REST = (actions, build_info, change_sets, drift, events, permissions,
            protection, resource, service, software_configs,
            software_deployments, stacks)


@functools.cache
def list_rules():
    """Return the defaults of all rules."""
    return tuple(itertools.chain.from_iterable(
        module.list_rules() for module in _MODULES))


@functools.cache
def rest_rules():
    """Return the names of the rules about the REST API, in order."""
    return tuple(sorted(rule.name for module in _OF_REST
                        for rule in module.list_rules()))
