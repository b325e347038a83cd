"""The default policy: one module for each collection of the REST API."""
import itertools

from heat.policies import (
    actions,
    base,
    build_info,
    cloudformation,
    events,
    resource,
    resource_types,
    service,
    software_configs,
    software_deployments,
    stacks,
)

_MODULES = (base, actions, build_info, cloudformation, events, resource,
            resource_types, service, software_configs, software_deployments,
            stacks)


def list_rules():
    """Return the defaults of all rules."""
    return list(itertools.chain.from_iterable(
        module.list_rules() for module in _MODULES))
