"""Whatever is asked of the CloudWatch API, the answer is one of AWS's.

HEAT_TEST_EXAMPLES is how many requests are made up.
"""
import collections
import os

import hypothesis
from hypothesis import strategies as st
import pytest

from heat.cmd import pipeline
from tests.functional import cloudwatch_fuzz as fuzz
from tests.functional import service as service_module
from tests.functional.templates import hot

EXAMPLES = int(os.environ.get('HEAT_TEST_EXAMPLES', '1000'))
#: With a number that is not 0, other requests each time.
SEED = int(os.environ.get('HEAT_TEST_SEED', '0'))
SETTINGS = hypothesis.settings(
    max_examples=-(-EXAMPLES // len(fuzz.ACTIONS)), deadline=None,
    # Requests change what the next ones find: none can be made smaller.
    phases=[hypothesis.Phase.generate],
    derandomize=not SEED, database=None, print_blob=False,
    suppress_health_check=list(hypothesis.HealthCheck))


@pytest.fixture(scope='module')
def service(tmp_path_factory):
    """Return a service that keeps metrics and evaluates no alarms."""
    path = tmp_path_factory.mktemp('conf') / 'heat.conf'
    path.write_text('[cloudwatch]\nenabled = true\n'
                    'evaluation_interval = 3600\n')
    with service_module.running([str(path)]) as running:
        yield running


@pytest.fixture
def ask(api, service):
    """Return a function that sends a request about an alarm and metric."""
    stack = api.created('s', hot({'a': {
        'type': 'OS::Heat::CWLiteAlarm', 'properties': {
            **fuzz.METRIC, 'Period': 60, 'ComparisonOperator':
            'GreaterThanThreshold', 'Threshold': 5}}}, outputs={
                'name': {'value': {'get_resource': 'a'}}}))
    alarm = stack.outputs()['name']
    application = pipeline.application('heat-api-cloudwatch')

    def ask(protocol, action, sound, changes):
        return fuzz.send(application, api.project, protocol, action,
                         fuzz.changed(action, sound, changes, alarm))

    yield ask
    stack.deleted()


# It is the engine that uses random, in its threads.
@pytest.mark.filterwarnings(
    'ignore:Do not use the `random` module inside strategies')
@pytest.mark.timeout(1800)
@pytest.mark.parametrize('action', fuzz.ACTIONS)
def test_no_request_is_too_odd(ask, action):
    wrong, statuses = {}, collections.Counter()

    @hypothesis.seed(SEED)
    @SETTINGS
    @hypothesis.given(protocol=st.sampled_from(list(fuzz.Protocol)),
                      sound=st.sampled_from(fuzz.sound(action)),
                      changes=fuzz.changes())
    def try_one(protocol, sound, changes):
        answer = ask(protocol, action, sound, changes)
        if answer is None:
            return
        statuses[answer.status_int] += 1
        try:
            fuzz.check(protocol, action, answer)
        except AssertionError as exc:
            text = f'{protocol} {sound} {changes}: {exc}'
            wrong.setdefault(str(exc)[:120], text[:3000])

    try_one()
    assert not wrong, '\n'.join(wrong.values())
    # Requests get to the engine and back, and some do not.
    assert statuses[200] >= EXAMPLES // len(fuzz.ACTIONS) // 20, statuses
    assert statuses[400], statuses
