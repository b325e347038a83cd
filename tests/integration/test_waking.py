"""Who waits looks seldom, and yet hears at once of what has come about."""
import time

import pytest

from heat.cmd import settings
from tests.fakes import servers
from tests.integration import cluster as cluster_module
from tests.integration import templates

NUMBER = 40
#: Seconds after which who waits looks but each half minute.
SETTLED = 35
#: Seconds in which all hear of what they wait for.
HEARD_IN = 15


@pytest.fixture(scope='module')
def cluster(tmp_path_factory):
    with cluster_module.running(
            tmp_path_factory.mktemp('waking'), servers.Server('mysql'),
            keystone_backend=settings.LOCAL_KEYSTONE) as one:
        one.use()
        yield one


def conditions(number):
    """Return a template of so many waits for one signal."""
    resources = {'handle': {'type': 'OS::Heat::WaitConditionHandle',
                            'properties': {'signal_transport':
                                           'NO_SIGNAL'}}}
    for each in range(number):
        resources[f'wait{each}'] = {
            'type': 'OS::Heat::WaitCondition',
            'properties': {'handle': {'get_resource': 'handle'},
                           'timeout': 600}}
    return {'heat_template_version': templates.VERSION,
            'resources': resources}


def test_signals_wake_those_that_wait(cluster):
    path = cluster.api.create('waiting', conditions(NUMBER))
    cluster.wait_for(lambda: cluster.sql(
        "SELECT count(*) FROM resource WHERE action = 'CREATE' "
        "AND status = 'IN_PROGRESS'") == [(NUMBER,)], 'all to wait')
    time.sleep(SETTLED)
    # Signals are delivered by either engine.
    cluster.apis[1].call('POST', f'{path}/resources/handle/signal', {})
    cluster.wait_status(path, 'CREATE_COMPLETE', timeout=HEARD_IN)
    cluster.api.call('DELETE', path, expect=204)
    cluster.wait_gone(path)
    assert cluster.tracebacks() == [], cluster.logs()
