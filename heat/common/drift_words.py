"""The words of the detection of drift, as API and engine use them."""
import enum


class Status(enum.StrEnum):
    """The states of a detection."""

    IN_PROGRESS = 'DETECTION_IN_PROGRESS'   # an engine compares
    COMPLETE = 'DETECTION_COMPLETE'         # all resources are compared
    FAILED = 'DETECTION_FAILED'             # the stack cannot be compared


class Finding(enum.StrEnum):
    """The result of comparing one resource."""

    IN_SYNC = 'IN_SYNC'            # it is as its definition says
    MODIFIED = 'MODIFIED'          # some of its properties differ
    DELETED = 'DELETED'            # it is gone
    UNSUPPORTED = 'UNSUPPORTED'    # it cannot be compared


class Drift(enum.StrEnum):
    """The result of comparing a tree of stacks."""

    IN_SYNC = 'IN_SYNC'    # no resource that can be compared has drifted
    DRIFTED = 'DRIFTED'    # at least one has been modified or deleted


#: What counts as drift.
DRIFTED = (Finding.MODIFIED, Finding.DELETED)
