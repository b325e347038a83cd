"""Whatever is asked of the running service, it answers as described.

HEAT_TEST_EXAMPLES is how many requests are made up; 10000 take minutes.
"""
import os

import hypothesis
import pytest

from tests.functional import described
from tests.functional import fuzz

EXAMPLES = int(os.environ.get('HEAT_TEST_EXAMPLES', '1000'))
#: With a number that is not 0, other requests each time.
SEED = int(os.environ.get('HEAT_TEST_SEED', '0'))
SETTINGS = hypothesis.settings(
    max_examples=-(-EXAMPLES // len(fuzz.OPERATIONS)), deadline=None,
    # Requests change what the next ones find: none can be made smaller.
    phases=[hypothesis.Phase.generate],
    derandomize=not SEED, database=None, print_blob=False,
    suppress_health_check=list(hypothesis.HealthCheck))


@pytest.fixture
def things(api, service):
    """Return real things that requests may be about."""
    found = fuzz.Things(described.Client(service.application, api.project))
    found.renew()
    return found


# It is the engine that uses random, in its threads.
@pytest.mark.filterwarnings(
    'ignore:Do not use the `random` module inside strategies')
@pytest.mark.timeout(1800)
@pytest.mark.parametrize(('method', 'path'), fuzz.OPERATIONS,
                         ids=[' '.join(each) for each in fuzz.OPERATIONS])
def test_no_request_is_too_odd(things, method, path):
    wrong = {}

    @hypothesis.seed(SEED)
    @SETTINGS
    @hypothesis.given(request=fuzz.requests(method, path))
    def ask(request):
        try:
            answer = fuzz.send(things, *request)
            assert answer.status < 500, answer
        except AssertionError as exc:
            text = str(exc)
            wrong.setdefault(text[:120], text[:3000])
            return
        if method != 'GET' and answer.status < 400:
            things.settle()

    ask()
    assert not wrong, '\n'.join(wrong.values())
