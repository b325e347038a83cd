"""Detect planned deletions and creations that look like moves.

What is found is proposed to users; nothing is moved because of it.
"""
from typing import Any

from heat.engine.lifecycle import decision as resource_decision
from heat.engine.plans import causes
from heat.engine.plans import places

Path = tuple[str, ...]

#: The number of pairs whose properties are compared, and of resources of
#: each kind that are considered.
MOST_COMPARED, MOST_NOTED = 300, 1000


class Lookout:
    """Collects what goes and what is new, and finds what is alike."""

    def __init__(self) -> None:
        self._gone: list[tuple[Path, Any]] = []
        self._new: dict[str, list[tuple[Path, Any]]] = {}
        self._number_of_new = 0
        # Resources know their stack weakly.
        self._stacks: set[Any] = set()

    def note_gone(self, path: Path, resource: Any) -> None:
        """Take note of a resource that no definition wants any more."""
        if len(self._gone) == MOST_NOTED:
            return
        self._gone.append((path, resource))
        self._stacks.add(resource.stack)

    def note_new(self, path: Path, goal: Any) -> None:
        """Take note of a resource that is to be created."""
        if self._number_of_new == MOST_NOTED:
            return
        self._number_of_new += 1
        self._new.setdefault(goal.type(), []).append((path, goal))
        self._stacks.add(goal.stack)

    def found(self) -> list[tuple[Path, Path]]:
        """Return (path, path) from what goes to what equals it.

        Of several that are alike, one of the same name comes first.
        """
        pairs, left = [], MOST_COMPARED
        for source, resource in self._gone:
            candidates = self._new.get(resource.type(), [])
            candidates.sort(key=lambda item: (item[0][-1] != source[-1],
                                              item[0]))
            for candidate in candidates[:left]:
                left -= 1
                if _is_alike(resource, candidate[1]):
                    candidates.remove(candidate)
                    pairs.append((source, candidate[0]))
                    break
        return pairs


def _is_alike(resource: Any, goal: Any) -> bool:
    """Return whether a resource has the properties that another is to have.

    What is known after apply equals nothing.
    """
    desired = places.desired(goal)
    try:
        before, after = resource_decision.update_properties(
            resource, desired, resource.frozen_definition(),
            client_resolve=False)
        return not resource_decision.changed_properties(resource, after,
                                                        before)
    except causes.ERRORS:
        return False
