"""Compare all resources of a tree of stacks with what really exists."""
from collections.abc import Iterator
import dataclasses
from typing import Any

from heat.common import drift_words
from heat.common.i18n import _
from heat.engine import nested_stack
from heat.engine import status
from heat.engine.comparison import judgement
from heat.engine.comparison import live as live_state
from heat.engine.drift import examine
from heat.engine.stacks import redaction
from heat.objects import resource as resource_objects

_R = status.ResourceStatus
_F = drift_words.Finding

#: Number of resources that a report keeps; of the rest there is a count.
MOST_RESOURCES = 2000


@dataclasses.dataclass(slots=True)
class Report:
    """The findings of a detection in a tree of stacks.

    :ivar counts: {finding: number of resources}
    :ivar secrets: the texts to be masked
    :ivar doubtful: the resources for the second look
    """

    counts: dict[str, int] = dataclasses.field(
        default_factory=lambda: {str(each): 0 for each in _F})
    secrets: set[str] = dataclasses.field(default_factory=set)
    doubtful: list['_Doubtful'] = dataclasses.field(default_factory=list)
    _drifted: list[dict[str, Any]] = dataclasses.field(default_factory=list)
    _others: list[dict[str, Any]] = dataclasses.field(default_factory=list)

    def add(self, entry: dict[str, Any]) -> None:
        """Add what was found of a resource."""
        self.counts[entry['status']] += 1
        kept = (self._drifted if entry['status'] in drift_words.DRIFTED
                else self._others)
        if len(kept) < MOST_RESOURCES:
            kept.append(entry)

    def examined(self) -> int:
        """Return the number of resources that have been compared."""
        return sum(self.counts.values())

    def drift(self) -> drift_words.Drift:
        """Return whether anything has drifted."""
        words = drift_words.Drift
        return words.DRIFTED if any(
            self.counts[each] for each in drift_words.DRIFTED
        ) else words.IN_SYNC

    def shown(self) -> dict[str, Any]:
        """Return the resources as users may see them.

        Those that have not drifted are the first to be left out.
        """
        room = MOST_RESOURCES - len(self._drifted)
        entries = sorted(self._drifted + self._others[:room],
                         key=lambda each: each['path'])
        return {'resources': redaction.struck_out(entries, self.secrets),
                'left_out': self.examined() - len(entries)}


@dataclasses.dataclass(frozen=True, slots=True)
class _Doubtful:
    """A resource with a difference that is not confirmed.

    :ivar stack: its stack, kept alive here
    :ivar secret: properties whose values must not be shown
    """

    stack: Any
    resource: Any
    path: tuple[str, ...]
    secret: set[str]


def steps(report: Report, stack: Any, live: live_state.LiveState
          ) -> Iterator[None]:
    """Compare the resources of a stack and of those in it.

    It yields after each look at a resource.

    :param report: where to add what is found
    """
    yield from _first_looks(report, stack, live, ())
    live.look_again()
    while report.doubtful:
        each = report.doubtful.pop()
        report.add({'path': list(each.path), **_unless_changed(
            each.resource, examine.of_resource(each.resource, live,
                                               each.secret))})
        yield


def _first_looks(report: Report, stack: Any, live: live_state.LiveState,
                 above: tuple[str, ...]) -> Iterator[None]:
    """Look at the resources of a stack, nested in resources of these names.
    """
    report.secrets |= redaction.secrets_of(stack)
    hidden = redaction.hidden_parameters(stack)
    definitions = stack.t.section(stack.t.RESOURCES)
    for resource in stack.values():
        resource.remember_id()
    for name in sorted(stack):
        resource, path = stack[name], (*above, name)
        inner = _inner(resource)
        if resource.has_nested():
            report.add({'path': list(path), **_of_nested(resource, inner)})
        else:
            _look_at(report, live, _Doubtful(stack, resource, path, {
                *resource.secret_properties, *redaction.takers(
                    definitions, name, hidden)}))
        yield
        if inner is not None:
            yield from _first_looks(report, inner, live, path)


def _look_at(report: Report, live: live_state.LiveState, each: _Doubtful
             ) -> None:
    """Report a resource, or leave it to the second look."""
    entry = examine.of_resource(each.resource, live, each.secret)
    if live.is_provisional and entry['status'] in drift_words.DRIFTED:
        live.doubt()
        report.doubtful.append(each)
        return
    report.add({'path': list(each.path),
                **_unless_changed(each.resource, entry)})


def _inner(resource: Any) -> Any:
    """Return the stack inside a resource, None if there is none.

    It is not kept with the resource: a tree may have many stacks.
    """
    if not resource.has_nested():
        return None
    return nested_stack.load(resource.context, resource.resource_id)


def _of_nested(resource: Any, inner: Any) -> dict[str, Any]:
    """Return what there is to say of a resource with a stack inside."""
    return {'type': resource.type(),
            'physical_resource_id': resource.resource_id,
            'status': str(judgement.of_nested(inner).finding),
            'reason': '', 'differences': []}


def _unless_changed(resource: Any, entry: dict[str, Any]) -> dict[str, Any]:
    """Return what was found, unless Heat itself has made the difference.

    An update may have changed the resource since its row was read.
    """
    if entry['status'] not in drift_words.DRIFTED:
        return entry
    row = next(iter(resource_objects.Resource.get_many(
        resource.context, [resource.id])), None)
    if row is not None and row.status != _R.IN_PROGRESS and (
            row.atomic_key == resource.atomic_key) and (
            row.physical_resource_id == resource.resource_id):
        return entry
    return {**entry, 'status': str(_F.UNSUPPORTED), 'differences': [],
            'reason': _('The stack has changed the resource in the meantime.')}
