"""The REST API as a user of a project calls it with a token."""
import contextlib
import os
import time

#: Seconds that the longest of all operations may take. Clouds for
#: development are slow when several tests are at them.
PATIENCE = int(os.environ.get('HEAT_ACCEPTANCE_PATIENCE') or 900)


def turns(patience):
    """Yield until the patience is over, at first often, then rarely."""
    pause = 0.1
    end = time.monotonic() + patience
    while time.monotonic() < end:
        yield pause
        time.sleep(pause)
        pause = min(pause * 1.2, 1)


class Stacks:
    """The stacks of a project.

    :param session: a keystoneauth session; it gets the tokens.
    :param url: of the API, with the project.
    """

    def __init__(self, session, url, logs=lambda: ''):
        self._session = session
        self.url = url
        self._logs = logs

    # -- requests -----------------------------------------------------------

    def call(self, method, path, body=None, expect=None, **more):
        """Return the decoded answer; the status must be as expected."""
        answer = self.ask(method, path, body, **more)
        good = (answer.status_code == expect if expect
                else answer.status_code < 400)
        assert good, f'{method} {path}: {answer.status_code} {answer.text}'
        if 'json' in answer.headers.get('Content-Type', ''):
            return answer.json()
        return None

    def ask(self, method, path, body=None, **more):
        """Return the answer, whatever it is."""
        more.setdefault('redirect', method == 'GET')
        # What hangs must not hang the tests.
        more.setdefault('timeout', 180)
        return self._session.request(self.url + path, method, json=body,
                                     raise_exc=False, **more)

    def get(self, path, **params):
        """Return what there is at a path."""
        return self.call('GET', path, params=params)

    # -- operations ---------------------------------------------------------

    def create(self, name, template, wait=True, **more):
        """Create a stack; return its path."""
        body = {'stack_name': name, 'template': template,
                'disable_rollback': True, **more}
        made = self.call('POST', '/stacks', body, expect=201)
        path = f'/stacks/{name}/{made["stack"]["id"]}'
        if wait:
            self.wait(path, 'CREATE_COMPLETE')
        return path

    def update(self, path, template, wait=True, **more):
        """Update a stack."""
        self.call('PUT', path, {'template': template, **more}, expect=202)
        if wait:
            self.wait(path, 'UPDATE_COMPLETE')

    def act(self, path, action, wait=True, argument=None):
        """Carry out an action: check, suspend, resume ..."""
        self.call('POST', f'{path}/actions', {action: argument})
        if wait:
            self.wait(path, f'{action.upper()}_COMPLETE')

    def delete(self, path, wait=True):
        """Delete a stack."""
        self.call('DELETE', path, expect=204)
        if wait:
            self.wait_gone(path)

    def delete_all(self):
        """Delete all stacks that there are, as far as that can be done."""
        for one in self.get('/stacks')['stacks']:
            path = f'/stacks/{one["stack_name"]}/{one["id"]}'
            with contextlib.suppress(AssertionError):
                self.delete(path)

    # -- waiting ------------------------------------------------------------

    def show(self, path):
        """Return a stack without its outputs."""
        return self.get(path, resolve_outputs=False)['stack']

    def wait(self, path, status, patience=PATIENCE):
        """Wait for the end of an operation, which must be this; return it.
        """
        action = status.rpartition('_')[0]
        for _turn in turns(patience):
            stack = self.show(path)
            found = stack['stack_status']
            if found.startswith(action) and (
                    not found.endswith('IN_PROGRESS')):
                assert found == status, self.story(path, stack)
                return stack
        raise AssertionError(f'not {status} after {patience} s: ' +
                             self.story(path, stack))

    def wait_resource(self, path, name, status='CREATE_COMPLETE',
                      patience=PATIENCE):
        """Wait until a resource of a stack has a status."""
        def reached():
            answer = self.ask('GET', f'{path}/resources/{name}')
            if answer.status_code != 200:
                return False
            found = answer.json()['resource']['resource_status']
            assert found == status or not found.endswith('FAILED'), (
                self.story(path, self.show(path)))
            return found == status

        return self.until(reached, patience)

    @staticmethod
    def until(condition, patience=PATIENCE):
        """Wait until a condition holds; return what it has returned."""
        end = time.monotonic() + patience
        while time.monotonic() < end:
            value = condition()
            if value:
                return value
            time.sleep(0.3)
        raise AssertionError(f'no end of waiting after {patience} s')

    def wait_gone(self, path, patience=PATIENCE):
        """Wait until a stack is deleted."""
        for _turn in turns(patience):
            answer = self.ask('GET', path,
                              params={'resolve_outputs': False})
            if answer.status_code == 404:
                return
            stack = answer.json()['stack']
            if stack['stack_status'] == 'DELETE_COMPLETE':
                return
            assert stack['stack_status'] != 'DELETE_FAILED', (
                self.story(path, stack))
        raise AssertionError(f'not gone after {patience} s: ' +
                             self.story(path, stack))

    def wait_output(self, path, key, value, patience=PATIENCE):
        """Wait until an output has a value."""
        for _turn in turns(patience):
            found = self.outputs(path).get(key)
            if found == value:
                return
        raise AssertionError(f'{key} is {found!r} after {patience} s\n'
                             f'{self._logs()}')

    def story(self, path, stack):
        """Return what happened to a stack, for the reader of a failure."""
        lines = [f'{stack["stack_name"]} is {stack["stack_status"]}: '
                 f'{stack["stack_status_reason"]}']
        with contextlib.suppress(AssertionError):
            lines += [f'  {one["resource_name"]}: {one["resource_status"]} '
                      f'{one["resource_status_reason"]}'
                      for one in self.resources(path)]
        return '\n'.join([*lines, self._logs()])

    # -- looking ------------------------------------------------------------

    def resources(self, path, **params):
        """Return the resources of a stack."""
        return self.get(path + '/resources', **params)['resources']

    def physical_ids(self, path):
        """Return {name: physical id} of the resources of a stack."""
        return {one['resource_name']: one['physical_resource_id']
                for one in self.resources(path)}

    def resource(self, path, name, **params):
        """Return one resource with its attributes."""
        return self.get(f'{path}/resources/{name}', **params)['resource']

    def outputs(self, path):
        """Return {key: value} of the outputs."""
        return {one['output_key']: one.get('output_value')
                for one in self.get(path)['stack']['outputs']}

    def events(self, path):
        """Return the events of a stack."""
        return self.get(path + '/events')['events']
