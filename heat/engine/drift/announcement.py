"""Tell listeners that a stack has begun to drift."""
from typing import Any

from heat.common import drift_words
from heat.common import metrics
from heat.engine import notification
from heat.engine.notification import stack as stack_notification
from heat.objects import drift as drift_objects


def finished(stack: Any, found: Any, drift: drift_words.Drift,
             counts: dict[str, int]) -> None:
    """Count a detection; notify if the one before it found no drift.

    :param found: the stored detection
    :param counts: {finding: number of resources}
    """
    metrics.DRIFT_DETECTIONS.labels(str(drift)).inc()
    if drift != drift_words.Drift.DRIFTED:
        return
    before = drift_objects.DriftDetection.previous(
        stack.context, stack.id, found.id)
    if before is not None and before.drift == drift:
        return
    metrics.STACKS_DRIFTED.inc()
    notification.notify(
        stack.context, 'stack.drift.begin', notification.default_level(),
        lambda: {**stack_notification.payload_of(stack),
                 'drift_detection_id': found.id, 'drift': str(drift),
                 'counts': counts})
