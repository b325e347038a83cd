"""Calls of the REST API that python-heatclient does not have."""
from collections.abc import Callable, Mapping
from typing import Any
from urllib import parse
import uuid

from heatclient import exc
from heatclient.common import utils
from osc_lib import exceptions

NotFound = exc.HTTPNotFound

_NOT_FOUND = 'NotFound'
#: The depth of nested stacks that no tree has.
_DEEPEST = 100
_NO_CHANGE_SETS = (
    'The orchestration service does not support change sets. Use "openstack '
    'stack update --dry-run" for its preview.')
_NO_PROTECTION = (
    'The orchestration service does not support the protection of stacks.')
_NO_DRIFT = 'The orchestration service does not detect drift.'


def error_type(error: exc.HTTPException) -> str:
    """Return the name of the error that the service answered with."""
    body = getattr(error, 'error', None)
    detail = body.get('error') if isinstance(body, dict) else None
    return str(detail.get('type') or '') if isinstance(detail, dict) else ''


def stack_of(client: Any, name_or_id: str) -> Any:
    """Return a stack.

    :raises CommandError: there is none.
    """
    found = find_stack(client, name_or_id)
    if found is None:
        raise exceptions.CommandError(f'Stack not found: {name_or_id}')
    return found


def find_stack(client: Any, name_or_id: str) -> Any:
    """Return a stack, or None."""
    try:
        return client.stacks.get(name_or_id, resolve_outputs=False)
    except exc.HTTPNotFound:
        return None


class ChangeSets:
    """The change sets of a project.

    :param client: the client of python-heatclient
    """

    def __init__(self, client: Any) -> None:
        self._http = client.http_client

    def create(self, stack: Any, body: dict[str, Any]) -> dict[str, Any]:
        """Plan an update, or a creation, and return the change set.

        :param stack: the stack to update; None to create one
        """
        return self._answer(self._http.post, _path(stack),
                            data=body)['change_set']

    def list(self, stack: Any = None) -> list[dict[str, Any]]:
        """Return the change sets of a stack or of the project."""
        return self._answer(self._http.get, _path(stack))['change_sets']

    def find(self, name_or_id: str, stack: Any = None) -> dict[str, Any]:
        """Return a change set with its changes.

        :raises CommandError: there is none of this ID or name, or several
            have the name.
        """
        if not _is_id(name_or_id):
            named = [each['id'] for each in self.list(stack)
                     if each['name'] == name_or_id]
            if len(named) != 1:
                raise exceptions.CommandError(
                    'Change set not found: %s' % name_or_id if not named else
                    'Several change sets have the name %s; give the ID' %
                    name_or_id)
            [name_or_id] = named
        return self._answer(self._http.get,
                            _path(stack, name_or_id))['change_set']

    def delete(self, change_set_id: str) -> None:
        """Delete a change set."""
        self._call(self._http.delete, _path(None, change_set_id))

    def execute(self, change_set_id: str, *, strict: bool = True) -> None:
        """Begin the operation of a change set.

        :param strict: fail what the change set does not foresee
        """
        self._call(self._http.post, _path(None, change_set_id) + '/execute',
                   data={'strict': strict})

    def _answer(self, method: Callable[..., Any], path: str, **more: Any
                ) -> dict[str, Any]:
        return utils.get_response_body(self._call(method, path, **more))

    def _call(self, method: Callable[..., Any], path: str, **more: Any
              ) -> Any:
        return _call(_NO_CHANGE_SETS, method, path, **more)


def protect(client: Any, stack: Any, *, protected: bool) -> dict[str, Any]:
    """Set or lift the termination protection of a stack; return it.

    :raises CommandError: the service has no protection.
    """
    return utils.get_response_body(_call(
        _NO_PROTECTION, client.http_client.put,
        stack_path(stack) + '/protection',
        data={'termination_protection': protected}))['protection']


def detect_drift(client: Any, stack: Any) -> dict[str, Any]:
    """Begin to detect the drift of a stack; return the detection.

    :raises CommandError: the service does not detect drift.
    """
    return utils.get_response_body(_call(
        _NO_DRIFT, client.http_client.post,
        stack_path(stack) + '/drift'))['drift']


def schedule_drift(client: Any, stack: Any, interval: int | None
                   ) -> dict[str, Any]:
    """Set how often a stack is compared; return the schedule.

    :param interval: seconds; 0 for never, None for the interval that the
        operator has set
    :raises CommandError: the service has no schedules.
    """
    return utils.get_response_body(_call(
        _NO_DRIFT, client.http_client.put, stack_path(stack) + '/drift',
        data={'interval': interval}))['drift_schedule']


def drift_of(client: Any, stack: Any) -> dict[str, Any]:
    """Return the last detection of a stack with what was found.

    :raises CommandError: the service does not detect drift, or there is no
        detection.
    """
    try:
        answer = _call(_NO_DRIFT, client.http_client.get,
                       stack_path(stack) + '/drift')
    except exc.HTTPNotFound as error:
        if error_type(error) != 'DriftDetectionNotFound':
            raise
        raise exceptions.CommandError(
            f'Stack {stack.stack_name} has not been compared. Use '
            '"openstack stack drift detect".') from error
    return utils.get_response_body(answer)['drift']


def timeline(client: Any, stack: Any, depth: int) -> dict[str, Any] | None:
    """Return the timeline of the last operation of a stack.

    None if the service has no timelines, or no events of the operation.
    """
    try:
        response = client.http_client.get(
            f'{stack_path(stack)}/timeline?nested_depth={depth}')
    except exc.HTTPNotFound:
        return None
    found: dict[str, Any] = utils.get_response_body(response)['timeline']
    return found


def linked(data: Mapping[str, Any], rel: str) -> tuple[str, str]:
    """Return (name, ID) of the stack that a link leads to."""
    for link in data.get('links') or ():
        if link.get('rel') == rel:
            name, stack_id = link['href'].rstrip('/').rsplit('/', 2)[-2:]
            return name, stack_id
    return '', ''


def owned(client: Any) -> dict[str, str]:
    """Return {physical ID: name of the stack} of what stacks have."""
    return {resource.physical_resource_id: stack.stack_name
            for stack in client.stacks.list()
            for resource in client.resources.list(
                stack.id, nested_depth=_DEEPEST)
            if resource.physical_resource_id}


def retry(client: Any, stack: Any) -> None:
    """Begin the failed operation of a stack again."""
    client.http_client.post(stack_path(stack) + '/actions',
                            data={'retry': None})


def _call(unsupported: str, method: Callable[..., Any], path: str,
          **more: Any) -> Any:
    """Return the response to a request.

    :param unsupported: what to say if the service does not know the URL
    :raises CommandError: it does not.
    """
    try:
        return method(path, **more)
    except exc.HTTPNotFound as error:
        # The error names the missing thing, unless that is the URL.
        if error_type(error).endswith(_NOT_FOUND) and error_type(
                error) != 'HTTP' + _NOT_FOUND:
            raise
        raise exceptions.CommandError(unsupported) from error


def _is_id(text: str) -> bool:
    try:
        return str(uuid.UUID(text)) == text.lower()
    except ValueError:
        return False


def _path(stack: Any, change_set_id: str | None = None) -> str:
    base = '' if stack is None else stack_path(stack)
    return base + '/change_sets' + (
        '' if change_set_id is None else '/' + parse.quote(change_set_id, ''))


def stack_path(stack: Any) -> str:
    """Return the path of a stack below that of the project."""
    return f'/stacks/{parse.quote(stack.stack_name, "")}/{stack.id}'
