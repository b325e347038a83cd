"""No request costs more than a second of CPU time or 200 MB."""
import pytest

from tests.functional import service as service_module
from tests.security import expensive_inputs


@pytest.fixture(scope='module')
def searcher():
    """Return what sends requests to a service of its own."""
    with service_module.running() as service:
        # Other tests that run beside this one make all of it slower.
        yield expensive_inputs.Searcher(
            service.application, 2 * expensive_inputs.SECONDS)


# Threads of the service use the random module while a request is drawn, and
# requests are long.
@pytest.mark.filterwarnings('ignore::hypothesis.errors.HypothesisWarning')
@pytest.mark.filterwarnings(
    'ignore::hypothesis.errors.HypothesisDeprecationWarning')
def test_no_request_is_expensive(searcher):
    searcher.search(max_examples=60, derandomize=True)
