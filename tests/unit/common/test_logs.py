"""A log that cannot be written fails nothing but itself."""
import errno
import logging

import pytest

from heat.common import logs


class Full(logging.Handler):
    """A handler on a full disk that lets the caller have the error.

    :ivar handled: the records whose error it was told of
    """

    def __init__(self):
        super().__init__()
        self.tries, self.handled = [], []

    def emit(self, record):
        """Fail to write a record."""
        self.tries.append(record.getMessage())
        raise OSError(errno.ENOSPC, 'No space left on device')

    def handleError(self, record):
        """Note a record that was not written."""
        self.handled.append(record.getMessage())


@pytest.fixture
def handler():
    logger, handler = logging.getLogger('heat.test_logs'), Full()
    logger.addHandler(handler)
    yield handler
    logger.removeHandler(handler)


def test_error_of_a_handler_ends_in_it(handler):
    logger = logging.getLogger('heat.test_logs')
    with pytest.raises(OSError, match='No space'):
        logger.error('before')
    logs.contain_errors()
    logger.error('one')
    # Once is enough.
    logs.contain_errors()
    logger.error('two')
    assert handler.tries == ['before', 'one', 'two']
    assert handler.handled == ['one', 'two']


def test_exit_is_not_contained(handler):
    def leave(_record):
        raise SystemExit

    handler.emit = leave
    logs.contain_errors()
    with pytest.raises(SystemExit):
        logging.getLogger('heat.test_logs').error('one')
    assert not handler.handled
