"""Say of a planned change that drift is what causes it."""
from collections.abc import Callable, Collection
from typing import Any

from heat.common import drift_words
from heat.engine.drift import examine
from heat.engine.drift import live as live_state
from heat.engine.plans import causes

_F = drift_words.Finding
#: The property of a cause if the whole resource is gone.
_ID = 'physical_resource_id'


def finder(total: int) -> Callable[[Any, Any, Collection[str]],
                                   list[dict[str, Any]]]:
    """Return a function that returns the causes of a resource's change.

    Its arguments are the resource, its causes.Properties, and the names of
    the properties that are secret.

    :param total: the number of resources of the tree
    """
    live = live_state.LiveState(total)

    def of_resource(resource: Any, properties: causes.Properties,
                    secret: Collection[str]) -> list[dict[str, Any]]:
        found = examine.of_resource(resource, live, secret)
        if found['status'] == _F.DELETED:
            return [_cause(_ID, None, causes.KNOWN_AFTER_APPLY, _F.DELETED,
                           forces=True, unknown=True)]
        return [each if 'property' not in each else _cause(
            each['property'], each['actual'], each['expected'], _F.MODIFIED,
            forces=properties.forces(_name(each['property'])))
            for each in found['differences']]

    return of_resource


def _name(path: str) -> str:
    """Return the property that a path leads into."""
    return path.partition('.')[0].partition('[')[0]


def _cause(path: str, before: Any, after: Any, finding: _F, *, forces: bool,
           unknown: bool = False) -> dict[str, Any]:
    return {'property': path, 'before': before, 'after': after,
            'source': {'drift': str(finding)}, 'forces_replacement': forces,
            'known_after_apply': unknown}
