"""A running heat-all, and Chromium to look at it."""
import contextlib
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request

from playwright import sync_api
import pytest

from tests import ports
from tests.browser import chromium as browsers

ROOT = pathlib.Path(__file__).resolve().parents[2]
AXE = ROOT / 'tools/console/node_modules/axe-core/axe.min.js'
#: Requests whose answers end, unlike streams.
ANSWERS = re.compile('/v1/(?!.*/stream)')
#: Seconds; the machine may be busy.
PATIENCE = 180
sync_api.expect.set_options(timeout=PATIENCE * 1000)


class Service:
    """heat-all in a process of its own, and its API.

    :param config: more lines of its configuration
    """

    def __init__(self, state, config=''):
        self._config = config
        self.state = state
        self.port = ports.free_port()
        self.cfn_port = ports.free_port()
        self.url = f'http://127.0.0.1:{self.port}'
        self.process = None

    def start(self):
        """Start it and wait until it answers."""
        conf = self.state / 'heat.conf'
        conf.write_text(f'[heat_api_cfn]\nbind_port = {self.cfn_port}\n'
                        f'{self._config}')
        with (self.state / 'log').open('a') as log:
            self.process = subprocess.Popen(
                [sys.executable, '-m', 'heat.cmd.all', '--config-file',
                 str(conf), '--state-path', str(self.state), '--bind-port',
                 str(self.port)], cwd=ROOT, stdout=log, stderr=log,
                env={**os.environ, 'HEAT_CONCURRENCY': 'threading'})
        try:
            self.wait_for(self._answers)
        except BaseException:
            self.process.kill()
            raise

    def _answers(self):
        assert self.process.poll() is None, (self.state / 'log').read_text()
        try:
            with urllib.request.urlopen(f'{self.url}/console/session',
                                        timeout=10):
                return True
        except OSError:
            return False

    def stop(self, number=signal.SIGTERM):
        """End it by a signal."""
        self.process.send_signal(number)
        self.process.wait(PATIENCE)

    @staticmethod
    def wait_for(condition):
        """Wait until a condition holds."""
        end = time.monotonic() + PATIENCE
        while not condition():
            assert time.monotonic() < end, 'it does not come to that'
            time.sleep(0.2)

    def call(self, method, path, body=None):
        """Return an answer of the API, None if nobody answers."""
        request = urllib.request.Request(
            f'{self.url}/v1/demo{path}', method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={'Content-Type': 'application/json'})
        try:
            with urllib.request.urlopen(request,
                                        timeout=PATIENCE) as answer:
                text = answer.read()
                return json.loads(text) if text else {}
        except urllib.error.HTTPError as error:
            raise AssertionError(error.read().decode()) from error
        except OSError:
            return None

    def create(self, name, template, *, waits=True, **more):
        """Create a stack; return its path in the API."""
        stack = self.call('POST', '/stacks', {
            'stack_name': name, 'template': template, **more})['stack']
        path = f'/stacks/{name}/{stack["id"]}'
        if waits:
            self.wait_for(lambda: 'IN_PROGRESS' not in self.status(path))
        return path

    def status(self, path):
        """Return the status of a stack."""
        return self.call('GET', path)['stack']['stack_status']


@pytest.fixture(scope='session')
def service(tmp_path_factory):
    """Return a service for all tests."""
    own = Service(tmp_path_factory.mktemp('heat'))
    own.start()
    yield own
    own.stop()


@pytest.fixture(scope='session')
def chromium():
    """Return the browser."""
    with browsers.running() as browser:
        yield browser


def _changed(route, change):
    """Answer with a changed body what the API answers."""
    answer = route.fetch()
    if 'json' in answer.headers.get('content-type', ''):
        route.fulfill(response=answer, json=change(answer.json()))
    else:
        route.fulfill(response=answer)


class Pages:
    """Opens pages, and keeps what they complain about."""

    def __init__(self, browser, service, stack):
        self._browser = browser
        self._service = service
        self._stack = stack
        self.complaints = []

    def open(self, path='', *, change=None, **options):
        """Open a page of the console.

        :param change: a function that changes what the API answers
        """
        context = self._browser.new_context(
            viewport=browsers.SIZE, **{'locale': 'en-GB', **options})
        self._stack.callback(context.close)
        page = context.new_page()
        page.set_default_timeout(PATIENCE * 1000)
        page.on('pageerror', lambda error: self.complaints.append(str(error)))
        page.on('console', self._hear)
        page.on('dialog', lambda dialog: self.complaints.append(
            f'a script has run: {dialog.message}') or dialog.dismiss())
        if change is not None:
            page.route(ANSWERS, lambda route: _changed(route, change))
            # The page may be asking when the test ends.
            self._stack.callback(page.unroute_all, behavior='wait')
        page.goto(f'{self._service.url}/console/#/demo/{path}')
        return page

    def _hear(self, message):
        if message.type == 'error' and 'Failed to load' not in message.text:
            self.complaints.append(message.text)


@pytest.fixture
def pages(chromium, service):
    """Return what opens pages; scripts that fail in them fail the test."""
    with contextlib.ExitStack() as stack:
        own = Pages(chromium, service, stack)
        yield own
        assert own.complaints == []


@pytest.fixture
def check_access():
    """Return a function that looks for what excludes people.

    It looks at the page in light and in dark colours.
    """
    if not AXE.exists():
        pytest.fail('axe is missing; run npm ci in tools/console')
    source = AXE.read_text()

    def check(page):
        page.evaluate(f'() => {{ {source} }}')
        for scheme in ('light', 'dark'):
            page.emulate_media(color_scheme=scheme)
            found = page.evaluate("""() => axe.run(document, {runOnly: [
                'wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa']})""")
            assert [(scheme, each['id'], [
                node['html'][:200] + ' ' + (node.get('failureSummary') or '')
                for node in each['nodes'][:3]])
                for each in found['violations']] == []
    return check
