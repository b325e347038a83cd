"""A process that serves one application, as the commands of the APIs do.

    python -m tests.security.http_process '{"threads": 4}'

It prints its port, and ends on SIGTERM. HEAT_CONCURRENCY chooses the kind
of threads.
"""
import json
import signal
import sys
import threading
import types

from heat.cmd import backend

OPTIONS = {'bind_host': '127.0.0.1', 'bind_port': 0, 'backlog': 4096,
           'cert_file': None, 'key_file': None, 'workers': 1, 'threads': 4,
           'max_header_line': 16384, 'tcp_keepidle': 600,
           'client_socket_timeout': 900}


def app(environ, start_response):
    """Return the body; at /held once SIGUSR1 has come; or very much."""
    start_response('200 OK', [('Content-Type', 'text/plain')])
    if environ['PATH_INFO'] == '/held':
        print('held', flush=True)
        GATE.wait(60)
    if environ['PATH_INFO'] == '/much':
        return [b'x' * 6000000]
    return [environ['wsgi.input'].read()]


GATE = None


def main():
    """Serve until told to stop."""
    global GATE
    backend.select()
    from oslo_config import cfg

    from heat.cmd import settings
    from heat.common import wsgi_server
    GATE, ended = threading.Event(), []
    signal.signal(signal.SIGTERM, lambda *_args: ended.append(True))
    cfg.CONF.set_default('use_stderr', True)
    settings.parse('heat-api', [])
    server = wsgi_server.Server(
        types.SimpleNamespace(**{**OPTIONS, **json.loads(sys.argv[1])}), app)
    server.start()
    signal.signal(signal.SIGUSR1, lambda *_args: GATE.set())
    print(server.address[1], flush=True)
    tick = threading.Event()
    while not ended:
        # Signals are noticed between waits on every backend.
        tick.wait(0.05)
    server.stop()


if __name__ == '__main__':
    main()
