import datetime

import pytest

from heat.common import timeutils
from heat.engine import resource
from heat.scaling import cooldown


class Group(cooldown.CooldownMixin):
    name = 'group'

    def __init__(self):
        self.stored = {}

    def metadata_get(self, refresh=False):
        return self.stored

    def metadata_set(self, metadata, merge_metadata=None):
        self.stored = metadata


@pytest.fixture
def now(monkeypatch):
    moment = [datetime.datetime(2026, 1, 1)]
    monkeypatch.setattr(timeutils, 'utcnow', lambda: moment[0])
    return moment


def test_scaling_excludes_scaling(now):
    group = Group()
    group._check_scaling_allowed(60)
    with pytest.raises(resource.NoActionRequired):
        group._check_scaling_allowed(60)
    group._finished_scaling(60, 'done', size_changed=False)
    group._check_scaling_allowed(60)


def test_pause_after_scaling(now):
    group = Group()
    group._check_scaling_allowed(60)
    group._finished_scaling(60, 'done')
    with pytest.raises(resource.NoActionRequired):
        group._check_scaling_allowed(60)
    now[0] += datetime.timedelta(seconds=61)
    group._check_scaling_allowed(60)


def test_no_pause_wished(now):
    group = Group()
    group._check_scaling_allowed(0)
    group._finished_scaling(0, 'done')
    group._check_scaling_allowed(0)
