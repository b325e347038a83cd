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
from heat.policies import protection
from heat.policies import resource
from heat.policies import resource_types
from heat.policies import service
from heat.policies import software_configs
from heat.policies import software_deployments
from heat.policies import stacks

_MODULES = (base, actions, build_info, change_sets, cloudformation,
            cloudwatch, drift, events, protection, resource, resource_types,
            service, software_configs, software_deployments, stacks)


@functools.cache
def list_rules():
    """Return the defaults of all rules."""
    return tuple(itertools.chain.from_iterable(
        module.list_rules() for module in _MODULES))
