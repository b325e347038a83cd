"""What the APIs want of a WSGI server that is not ours."""
import types

import pytest

from heat.wsgi import loading


@pytest.mark.parametrize('options', [
    {'threads': b'25'}, {'enable-threads': True}, {b'threads': b'2'}])
def test_uwsgi_with_threads_is_good(options):
    assert loading.check_server(types.SimpleNamespace(opt=options)) is None


def test_other_servers_are_not_asked():
    assert loading.check_server(None) is None


def test_uwsgi_without_threads_would_wait_for_ever():
    server = types.SimpleNamespace(opt={'processes': b'2'})
    with pytest.raises(SystemExit) as raised:
        loading.check_server(server)
    assert '--enable-threads' in str(raised.value)
