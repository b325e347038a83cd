"""A site for the tests of faults, which all of them share."""
import pytest

from tests import accounts
from tests.faults import rounds
from tests.faults import site as site_module

#: What each run of all tests repeats.
SEED = 18


@pytest.fixture(scope='session')
def stories(tmp_path_factory):
    """Return a function of a kind of database that gives its Story."""
    sites, told = [], {}

    def of(kind):
        if kind not in told:
            site = site_module.Site(kind, seed=SEED)
            sites.append(site)
            site.start()
            told[kind] = rounds.Story(site, SEED)
        return told[kind]

    with accounts.forgotten(tmp_path_factory.mktemp('account')):
        yield of
        for site in sites:
            site.remove()
