"""Say of a planned change that drift is what causes it."""
from collections.abc import Collection
from typing import Any

from heat.common import drift_words
from heat.engine import parameters
from heat.engine.comparison import judgement
from heat.engine.comparison import values
from heat.engine.plans import acceptance
from heat.engine.plans import causes

_F = drift_words.Finding
#: The property of a cause if the whole resource is gone.
_ID = 'physical_resource_id'

#: Differences of one resource that are kept; of the rest there is a count.
MOST_DIFFERENCES = 100


def differences(found: judgement.Judgement, secret: Collection[str]
                ) -> list[dict[str, Any]]:
    """Return the differences of a resource as users may see them.

    :param secret: properties whose values must not be shown
    """
    shown = [_shown(each, secret)
             for each in found.differences[:MOST_DIFFERENCES]]
    if len(found.differences) > MOST_DIFFERENCES:
        shown.append({'left_out': len(found.differences) - MOST_DIFFERENCES})
    return shown


def _shown(found: values.Difference, secret: Collection[str]
           ) -> dict[str, Any]:
    path, expected, actual = found
    if name_in(path) in secret:
        expected = actual = parameters.HIDDEN_VALUE
    return {'property': path, 'expected': causes.shown(expected),
            'actual': causes.shown(actual)}


def of_judgement(found: judgement.Judgement, properties: causes.Properties,
                 accepted: acceptance.Acceptance) -> list[dict[str, Any]]:
    """Return the causes of a resource's change that are drift.

    :param properties: of the resource, before and after the change
    :param accepted: says how to accept what exists instead
    """
    if found.finding == _F.DELETED:
        return [{**_cause(_ID, None, causes.KNOWN_AFTER_APPLY, _F.DELETED,
                          forces=True, unknown=True),
                 'accept': accepted.of_deletion()}]
    return [each if 'property' not in each else {**_cause(
        each['property'], each['actual'], each['expected'], _F.MODIFIED,
        forces=properties.forces(name_in(each['property']))),
        'accept': accepted.of_value(each['property'])}
        for each in differences(found, accepted.secret)]


def name_in(path: str) -> str:
    """Return the property that a path leads into."""
    return path.partition('.')[0].partition('[')[0]


def _cause(path: str, before: Any, after: Any, finding: _F, *, forces: bool,
           unknown: bool = False) -> dict[str, Any]:
    return {'property': path, 'before': before, 'after': after,
            'source': {'drift': str(finding)}, 'forces_replacement': forces,
            'known_after_apply': unknown}
