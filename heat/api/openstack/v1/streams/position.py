"""The position of a reader in the sequence of events."""
import dataclasses
import re

from heat.api import declaration
from heat.common import id_ranges
from heat.common.i18n import _

#: The number of holes that the text of a position has at most.
_MOST_HOLES = 20
_TEXT = re.compile(r'\d{1,10}(?:\.\d{1,10}(?:-\d{1,10})?){0,%d}'
                   % _MOST_HOLES, re.ASCII)


@dataclasses.dataclass(frozen=True, slots=True)
class Position:
    """The ids of rows that a reader has not seen yet.

    They are those beyond the last one, and holes before it: rows whose
    transactions had not ended when those with greater ids were read.
    """

    unseen: id_ranges.Ranges = id_ranges.beyond(0)

    @classmethod
    def at(cls, last: int, holes: id_ranges.Ranges = ()) -> 'Position':
        """Return the position of a reader that has seen up to an id.

        :param holes: sorted ranges of lower ids that it has not seen
        """
        return cls((*holes, *id_ranges.beyond(last)))

    @classmethod
    def parse(cls, text: str) -> 'Position':
        """Return the position that a text names.

        :raises ValueError: it names none.
        """
        parts = text.split('.') if _TEXT.fullmatch(text) else []
        numbers = [[int(number) for number in part.split('-')]
                   for part in parts]
        holes = tuple((part[0], part[-1]) for part in numbers[1:])
        bounds = [0, *(number for hole in holes for number in hole)]
        if not parts or numbers[0][0] > declaration.MAX_INTEGER or (
                bounds != sorted(bounds)) or (
                    holes and holes[-1][1] >= numbers[0][0]):
            raise ValueError(
                _('The id of the last event must be one that a stream of '
                  'events had.'))
        return cls.at(numbers[0][0], holes)

    @property
    def last(self) -> int:
        """The greatest id that may have been seen."""
        return self.unseen[-1][0] - 1

    @property
    def holes(self) -> id_ranges.Ranges:
        """Ranges of lower ids that have not been seen."""
        return self.unseen[:-1]

    def has_seen(self, number: int) -> bool:
        """Return whether the row of an id has been seen."""
        return not id_ranges.contains(self.unseen, number)

    def combined(self, other: 'Position') -> 'Position':
        """Return what neither of two readers has seen."""
        return Position(id_ranges.intersection(self.unseen, other.unseen))

    def to_read(self, other: 'Position') -> id_ranges.Ranges:
        """Return what another reader has seen beyond this one."""
        return id_ranges.difference(self.unseen, other.unseen)

    def passed(self, other: 'Position', number: int) -> 'Position':
        """Return the position after reading, in order, up to an id.

        :param other: the position of the reader that is followed
        """
        if not other.holes and not self.holes and (
                self.last <= number <= other.last):
            return Position.at(number)
        below: id_ranges.Ranges = ((1, number),)
        return Position(id_ranges.union(
            id_ranges.intersection(self.unseen, id_ranges.beyond(number)),
            id_ranges.intersection(id_ranges.intersection(
                self.unseen, other.unseen), below)))

    def without_holes_up_to(self, number: int) -> 'Position':
        """Return the position of a reader that does not wait for rows with
        ids up to one any more.
        """
        holes = id_ranges.intersection(self.holes, id_ranges.beyond(number))
        return Position.at(self.last, holes)

    def __str__(self) -> str:
        """Return the position as clients keep it.

        It is the id of the last row, mostly; the newest holes follow.
        """
        return '.'.join([str(self.last), *(
            str(low) if low == high else f'{low}-{high}'
            for low, high in self.holes[-_MOST_HOLES:])])
