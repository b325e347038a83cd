"""What tests of RPC calls have in common."""
import contextlib
import re

import oslo_messaging
import pytest


def made(operations, engine):
    """Return the calls of a class as those of an engine."""
    calls = operations()
    calls.thread_group_mgr = engine.groups
    return calls


@contextlib.contextmanager
def refused(kind, match=''):
    """Expect an error that travels to the caller."""
    with pytest.raises(oslo_messaging.ExpectedException) as raised:
        yield
    error = raised.value.exc_info[1]
    assert isinstance(error, kind), error
    assert re.search(match, str(error)), error
