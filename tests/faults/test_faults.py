"""A part of the episodes; ``python -m tests.faults`` runs all of them."""
import pytest

from tests.faults import broker_faults
from tests.faults import catalogue
from tests.faults import database_faults
from tests.faults import process_faults
from tests.faults import table

#: Modules whose faults are on the list.
MODULES = (broker_faults, database_faults, process_faults)

#: What engines meet most often, in an order that starts each server once.
_CHOSEN = [
    ('postgresql', 'database read-only'),
    ('postgresql', 'connections terminated'),
    ('postgresql', 'table full'),
    ('postgresql', 'broker connections cut'),
    ('postgresql', 'primary switched'),
    ('postgresql', 'API killed'),
]


@pytest.mark.parametrize(('kind', 'name'), _CHOSEN)
def test_fault(stories, kind, name):
    story = stories(kind)
    episodes = story.round(catalogue.FAULTS[name])
    wrong = [table.line(each) for each in episodes if not each.is_good]
    assert not wrong, '\n'.join([*wrong, *story.site.internal_errors()])
    assert {each.driver for each in episodes} == {'convergence', 'legacy'}
