"""Say of one resource whether it is as its definition says."""
from collections.abc import Collection
from typing import Any

from heat.engine.comparison import judgement
from heat.engine.comparison import live as live_state
from heat.engine.plans import drift_causes


def of_resource(resource: Any, live: live_state.LiveState,
                secret: Collection[str] = ()) -> dict[str, Any]:
    """Return what there is to say of a resource, without its path.

    :param secret: properties whose values must not be shown
    """
    found = judgement.of_resource(resource, live)
    return {'type': resource.type(),
            'physical_resource_id': resource.resource_id,
            'status': str(found.finding), 'reason': found.reason,
            'differences': drift_causes.differences(found, secret)}
