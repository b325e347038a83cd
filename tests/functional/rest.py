"""A client of the REST API that talks to the application in process."""
import dataclasses
import json
import time
from urllib import parse

import webob
from webob import client

#: Seconds that anything may take before the test fails: it costs nothing
#: where things are quick, and a machine may be slow.
PATIENCE = 120
INTERVAL = 0.02


def wait_for(condition, what, patience=PATIENCE):
    """Return what the condition gives once it is true."""
    deadline = time.monotonic() + patience
    while True:
        found = condition()
        if found:
            return found
        assert time.monotonic() < deadline, what() if callable(
            what) else f'{what} did not come about'
        time.sleep(INTERVAL)


@dataclasses.dataclass
class Answer:
    """What came back."""

    status: int
    json: object
    text: str
    headers: object

    @property
    def error(self):
        """The type of the error."""
        return self.json['error']['type']

    @property
    def message(self):
        """The text of the error."""
        return self.json['error']['message']


class Client:
    """Asks in the name of a project.

    :param application: what answers, or None to send over HTTP.
    """

    def __init__(self, application, project,
                 base_url='http://localhost'):
        self.application = application or client.SendRequest()
        self.project = project
        self.base_url = base_url

    def request(self, method, path, body=None, *, expect=None, raw=None,
                content_type='application/json', headers=None, **query):
        """Send a request; a path without / is below the project."""
        if not path.startswith('/'):
            path = f'/v1/{self.project}/{path}'
        if query:
            path += '?' + parse.urlencode(query, doseq=True)
        request = webob.Request.blank(path, method=method,
                                      base_url=self.base_url,
                                      headers=headers or {})
        if body is not None:
            raw = json.dumps(body).encode()
        if raw is not None:
            request.body = raw
            request.content_type = content_type
        response = request.get_response(self.application)
        if response.content_type == 'text/event-stream':
            # It has no end.
            response.app_iter.close()
            response.body = b''
        text = response.text if response.body else ''
        assert 'Traceback' not in text, text
        parsed = None
        if text and response.content_type == 'application/json':
            parsed = json.loads(text)
        answer = Answer(response.status_int, parsed, text, response.headers)
        if expect is not None:
            assert answer.status == expect, (method, path, answer)
        return answer

    def get(self, path, expect=200, **query):
        """Return what GET gives."""
        return self.request('GET', path, expect=expect, **query).json

    def post(self, path, body=None, expect=200, **query):
        """Return what POST gives."""
        return self.request('POST', path, body, expect=expect, **query).json

    def create(self, name, template, expect=201, **kwargs):
        """Begin to create a stack and return it."""
        answer = self.request('POST', 'stacks', {
            'stack_name': name, 'template': template, **kwargs},
            expect=expect)
        if expect != 201:
            return answer
        found = answer.json['stack']
        assert set(found) == {'id', 'links'}
        assert answer.headers['Location'] == found['links'][0]['href']
        return Stack(self, name, found['id'])

    def created(self, name, template, **kwargs):
        """Create a stack and return it when it is COMPLETE."""
        stack = self.create(name, template, **kwargs)
        stack.wait('CREATE_COMPLETE')
        return stack

    def stacks(self, **query):
        """Return the names in a list of stacks."""
        return [each['stack_name']
                for each in self.get('stacks', **query)['stacks']]


def _precedes(status, wanted):
    """Tell whether a state is left at once for what is waited for."""
    return wanted.startswith('ROLLBACK') and status in (
        'CREATE_FAILED', 'UPDATE_FAILED')


class Stack:
    """A stack as its user sees it."""

    def __init__(self, client, name, stack_id):
        self.client = client
        self.name = name
        self.id = stack_id
        self.path = f'stacks/{name}/{stack_id}'

    def request(self, method, path='', body=None, **kwargs):
        """Send a request about the stack."""
        return self.client.request(
            method, f'{self.path}/{path}' if path else self.path, body,
            **kwargs)

    def get(self, path='', expect=200, **query):
        """Return what GET gives of the stack."""
        return self.request('GET', path, expect=expect, **query).json

    def show(self, **query):
        """Return what is shown of the stack."""
        return self.get(**query)['stack']

    @property
    def state(self):
        """The status, like CREATE_COMPLETE."""
        return self.show(resolve_outputs='false')['stack_status']

    def wait(self, wanted, patience=PATIENCE):
        """Wait until the stack is in a state; return what is shown then.

        It is in vain to wait when another final state is reached.
        """
        def look():
            seen = self.show(resolve_outputs='false')
            self.seen = seen
            status = seen['stack_status']
            assert status == wanted or status.endswith('IN_PROGRESS') or (
                _precedes(status, wanted)), (
                wanted, status, seen['stack_status_reason'])
            return status == wanted and seen
        wait_for(look, lambda: (wanted, self.seen, self.resources()),
                 patience)
        return self.show()

    def update(self, template=None, *, method='PUT', expect=202, **kwargs):
        """Begin an update."""
        body = dict(kwargs)
        if template is not None:
            body['template'] = template
        return self.request(method, '', body, expect=expect)

    def updated(self, template=None, state='UPDATE_COMPLETE', **kwargs):
        """Update, and return what is shown when it is over."""
        self.update(template, **kwargs)
        return self.wait(state)

    def patch(self, template=None, **kwargs):
        """Begin an update of what is named only."""
        return self.update(template, method='PATCH', **kwargs)

    def patched(self, template=None, **kwargs):
        """Update what is named only and wait for the end."""
        return self.updated(template, method='PATCH', **kwargs)

    def act(self, name, expect=200):
        """Begin an action."""
        return self.request('POST', 'actions', {name: None}, expect=expect)

    def delete(self):
        """Begin to delete the stack."""
        self.request('DELETE', expect=204)

    def deleted(self):
        """Delete the stack and wait until it is gone."""
        self.delete()
        self.wait_deleted()

    def wait_deleted(self):
        """Wait until the stack is gone, after what else it was doing."""
        def look():
            status = self.state
            assert status != 'DELETE_FAILED', self.show()
            return status == 'DELETE_COMPLETE'
        wait_for(look, lambda: (self.show(), self.resources()))

    def outputs(self):
        """Return the values of the outputs."""
        return {each['output_key']: each['output_value']
                for each in self.show().get('outputs', ())}

    def resources(self, **query):
        """Return {name: resource}."""
        return {each['resource_name']: each for each in
                self.get('resources', **query)['resources']}

    def states(self, **query):
        """Return {name: status} of the resources."""
        return {name: each['resource_status']
                for name, each in self.resources(**query).items()}

    def resource(self, name, **query):
        """Return one resource."""
        return self.get(f'resources/{name}', **query)['resource']

    def physical(self, name):
        """Return the physical id of a resource."""
        return self.resource(name)['physical_resource_id']

    def events(self, name=None, **query):
        """Return 'name STATUS' of the events, the oldest first."""
        query.setdefault('sort_dir', 'asc')
        path = f'resources/{name}/events' if name else 'events'
        return [f'{each["resource_name"]} {each["resource_status"]}'
                for each in self.get(path, **query)['events']]

    def nested(self, name):
        """Return the stack that a resource consists of."""
        [link] = [each['href'] for each in self.resource(name)['links']
                  if each['rel'] == 'nested']
        *_rest, nested_name, nested_id = link.split('/')
        return Stack(self.client, nested_name, nested_id)
