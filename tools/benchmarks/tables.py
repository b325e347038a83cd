"""Tables for people, as reStructuredText writes them."""
import re

_NUMBER = re.compile(r'-?[\d.]+\Z|-\Z')


MET, MISSED = 'met', 'missed'


def verdict(measured, limit):
    """Return whether a figure keeps its limit, '' if there is none."""
    if limit is None:
        return ''
    return MET if measured <= limit else MISSED


def show(header, rows):
    """Print a table; columns of numbers are aligned to the right."""
    widths = [max(len(str(row[index])) for row in [header, *rows])
              for index in range(len(header))]
    right = [all(_NUMBER.match(str(row[index])) for row in rows)
             for index in range(len(header))]
    rule = '  '.join('=' * width for width in widths)
    print(rule)
    _line(header, widths, right)
    print(rule)
    for row in rows:
        _line(row, widths, right)
    print(rule)


def _line(row, widths, right):
    print('  '.join(
        str(cell).rjust(width) if is_number else str(cell).ljust(width)
        for cell, width, is_number in zip(row, widths, right, strict=True)
    ).rstrip())
