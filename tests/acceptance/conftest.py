"""The service on a real cloud, and a project in it; see README.rst.

deployment  APIs and two engines, one for all tests
tenant      a project of its own for a module; what its tests leave behind
            in it, in whichever service, makes the last one fail
stacks      the stacks of that project as its member sees them
"""
import os
import signal
import time

import pytest

from tests.acceptance import cases
from tests.acceptance import cloud
from tests.acceptance import deployment as deployment_module
from tests.acceptance import leaks
from tests.acceptance import matrix


def pytest_configure():
    """Clean up when the tests are told to end."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)


def pytest_runtest_setup():
    """Begin no test after the time at which CI wants to come to an end."""
    until = float(os.environ.get('HEAT_ACCEPTANCE_UNTIL', 'inf'))
    if time.time() > until:
        pytest.skip('The time of HEAT_ACCEPTANCE_UNTIL has passed.')


@pytest.fixture(scope='session')
def deployment(tmp_path_factory):
    """The APIs and two engines, with the default pipeline."""
    tenant = cloud.Tenant()
    try:
        with deployment_module.running(
                tmp_path_factory.mktemp('deployment'), tenant) as service:
            yield service
    finally:
        tenant.remove()


@pytest.fixture(scope='module')
def project():
    """A project with users; tests take it as ``tenant``."""
    tenant = cloud.Tenant()
    yield tenant
    tenant.remove()


@pytest.fixture(scope='module')
def leak_check(project):
    """What there is when the first test of a module begins."""
    return leaks.Check(project)


@pytest.fixture(scope='module')
def tenant(project, leak_check):
    """A project with users, in which a module may leave nothing behind."""
    yield project
    leak_check.require_nothing_left()


@pytest.fixture
def stacks(deployment, tenant):
    """The stacks of the project, as its member sees them.

    What a test that fails leaves of them is removed.
    """
    own = deployment.stacks(tenant.session('member'), tenant.project_id)
    yield own
    own.delete_all()


@pytest.fixture
def admin_stacks(deployment, tenant):
    """The stacks of the project, as its administrator sees them."""
    return deployment.stacks(tenant.session('admin'), tenant.project_id)


@pytest.fixture(scope='session')
def walkers(request, deployment):
    """What walks all types that were chosen, some at the same time."""
    table = cases.load()
    chosen = [table[item.callspec.params['type_name']]
              for item in request.session.items
              if 'type_name' in getattr(item, 'fixturenames', ())]
    threads = int(os.environ.get('HEAT_ACCEPTANCE_THREADS') or 3)
    if any(case.alone for case in chosen):
        threads = 1
    walking = matrix.Walkers(deployment, chosen, threads)
    yield walking
    walking.stop()


@pytest.fixture(scope='session')
def results():
    """What was done with each type; {type: result}."""
    return {}
