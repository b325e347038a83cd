"""Find the class that a resource is an object of.

What has been stored keeps its place in a stack when its type is no longer
known: something else stands for it, which can be shown and refuses the rest.
"""
from collections.abc import Callable
from typing import Any

from heat.common import exception


def is_stand_in(resource: Any) -> bool:
    """Return whether a resource stands for one whose type is not known."""
    stand_in = resource.stack.env.registry.stand_in
    return stand_in is not None and isinstance(resource, stand_in)


def types_of(env: Any, written: str, resource_name: str) -> set[str]:
    """Return a type, and what an environment maps it to for a resource."""
    try:
        info = env.get_resource_info(written, resource_name=resource_name)
    except exception.EntityNotFound:
        return {written}
    return {written, info.name}


def class_of(definition: Any, stack: Any, is_stored: Callable[[], bool]
             ) -> Any:
    """Return the class of a resource of a stack; see class_in()."""
    return class_in(definition.origin_env or stack.env, definition,
                    is_stored)


def class_in(env: Any, definition: Any, is_stored: Callable[[], bool]) -> Any:
    """Return the class that an environment has for a definition.

    :param is_stored: asked if it has none
    :raises StackValidationFailed: there is none, and nothing is stored.
    """
    try:
        return env.get_class_to_instantiate(definition.resource_type,
                                            resource_name=definition.name)
    except exception.StackValidationFailed:
        stand_in = env.registry.stand_in
        if stand_in is None or not is_stored():
            raise
        return stand_in


def policy_names(resource: Any) -> Any:
    """Return the names that a policy on resource types is asked about.

    These are the type in the template and the type that the environment
    maps it to.
    """
    env = resource.t.origin_env or resource.stack.env
    return env.policy_names(resource.type(), resource.name)
