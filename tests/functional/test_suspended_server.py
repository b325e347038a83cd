"""A suspended server with a volume is deleted while Nova is not ready."""
import pytest

from tests.functional import templates
from tests.functional.takeover import cloud

#: How often Nova refuses to detach the volume.
REFUSALS = 4


@pytest.fixture
def services(monkeypatch):
    made = cloud.Cloud()
    made.use(monkeypatch)
    return made


def test_deletion_waits_until_nova_detaches_the_volume(driver, api,
                                                       services):
    stack = api.created('s', templates.hot(cloud.template()))
    stack.act('suspend')
    stack.wait('SUSPEND_COMPLETE')
    server = services.compute.things['server', stack.physical('server')]
    assert server['status'] == 'SUSPENDED'
    server['_states'] = [('SUSPENDED', 'suspending')] * (REFUSALS - 1) + [
        ('SUSPENDED', None)]
    services.forget()
    stack.deleted()
    done = services.changes()
    assert done.count(('refuse', 'volume_attachment')) == REFUSALS
    assert services.left() == []
