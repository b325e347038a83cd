"""Read the events of a stack as they happen.

The service sends them where it can; otherwise its list of events is read
every two seconds.
"""
from collections.abc import Iterable, Iterator, Mapping
import json
import queue
import threading
import time
from typing import Any

from heatclient import exc
from heatclient.common import event_utils
from keystoneauth1 import adapter
from keystoneauth1 import exceptions as ks_exceptions
import requests

from heat_plan_client import api

#: Seconds between two reads of the list, and before a stream that was
#: interrupted is opened again.
INTERVAL = 2

Event = dict[str, Any]
_LOST = (requests.RequestException, ks_exceptions.ConnectFailure, OSError)


class NotSupported(Exception):
    """The service has no streams of events."""


def events(client: Any, stack: Any, depth: int, tick: float
           ) -> Iterator[list[Event]]:
    """Yield lists of new events; empty ones when nothing happens.

    :param depth: the number of levels of nested stacks
    :param tick: seconds without events after which an empty list comes
    """
    try:
        response = open_stream(client, stack, depth, None)
    except NotSupported:
        yield from _polled(client, stack, depth, tick)
        return
    found: queue.Queue[Event | Exception | None] = queue.Queue()
    threading.Thread(
        target=_read_all, args=(client, stack, depth, response, found),
        daemon=True).start()
    yield from _batches(found, tick)


def _batches(found: 'queue.Queue[Event | Exception | None]', tick: float
             ) -> Iterator[list[Event]]:
    """Yield what a queue has; None ends it and an error is raised."""
    while True:
        batch: list[Event] = []
        try:
            item = found.get(timeout=tick)
            while True:
                if item is None or isinstance(item, Exception):
                    break
                batch.append(item)
                item = found.get_nowait()
        except queue.Empty:
            yield batch
            continue
        if batch:
            yield batch
        if isinstance(item, Exception):
            raise item
        return


def _read_all(client: Any, stack: Any, depth: int,
              response: requests.Response, found: Any) -> None:
    """Put all events into a queue, over as many connections as it takes."""
    last_id = None
    try:
        while True:
            try:
                for message_id, kind, data in messages(
                        response.iter_lines()):
                    last_id = message_id
                    if kind == 'end':
                        found.put(None)
                        return
                    found.put(data)
            except _LOST:
                # The service, or a proxy, has closed the connection.
                pass
            finally:
                response.close()
            response = _open_again(client, stack, depth, last_id)
    except Exception as error:  # noqa: BLE001 - raised where it is read
        found.put(error)


def _open_again(client: Any, stack: Any, depth: int, last_id: str | None
                ) -> requests.Response:
    while True:
        time.sleep(INTERVAL)
        try:
            return open_stream(client, stack, depth, last_id)
        except (*_LOST, exc.HTTPServiceUnavailable):
            continue


def open_stream(client: Any, stack: Any, depth: int, last_id: str | None
                ) -> requests.Response:
    """Return the response whose body is the stream of a stack's events.

    :param last_id: the id of the last event that has been read
    :raises NotSupported: the service has none.
    """
    http = client.http_client
    if not isinstance(http, adapter.Adapter):
        raise NotSupported()
    headers = {'Accept': 'text/event-stream'}
    if last_id:
        headers['Last-Event-ID'] = last_id
    # The method of the client itself would read to the end.
    response = adapter.Adapter.request(
        http, f'{api.stack_path(stack)}/events/stream?nested_depth={depth}',
        'GET', headers=headers, stream=True, raise_exc=False)
    if response.status_code == 404:
        raise NotSupported()
    if response.status_code != 200:
        raise exc.from_response(response)
    return response


def messages(lines: Iterable[bytes]
             ) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Yield (id, type, data) of the messages in the lines of a stream."""
    fields: dict[str, str] = {}
    for line in lines:
        name, colon, value = line.decode('utf-8', 'replace').partition(':')
        if not line:
            if 'data' in fields:
                yield (fields.get('id', ''), fields.get('event', ''),
                       json.loads(fields['data']))
            fields = {}
        elif name and colon:
            fields[name] = value.removeprefix(' ')


def _polled(client: Any, stack: Any, depth: int, tick: float
            ) -> Iterator[list[Event]]:
    """Yield the events that the list gains."""
    identifier = f'{stack.stack_name}/{stack.id}'
    known = {each.id for each in event_utils.get_events(
        client, identifier, {'sort_dir': 'desc'}, nested_depth=depth)}
    places: dict[str, str] = {}
    while True:
        yield []
        time.sleep(min(tick, INTERVAL))
        # One of a nested stack may come behind later ones of others, so a
        # marker would lose it.
        found = [each.to_dict() for each in event_utils.get_events(
            client, identifier, {'sort_dir': 'asc'}, nested_depth=depth)
            if each.id not in known]
        known.update(each['id'] for each in found)
        if any(api.linked(each, 'stack')[1] not in (stack.id, *places)
               for each in found):
            places = _places(client, identifier, depth)
        yield [_placed(each, stack.id, places) for each in found]


def _places(client: Any, identifier: str, depth: int) -> dict[str, str]:
    """Return {ID of a nested stack: path of its resource}."""
    found: dict[str, str] = {}
    for each in client.resources.list(identifier, nested_depth=depth):
        data = each.to_dict()
        nested = api.linked(data, 'nested')[1]
        if nested:
            above = found.get(api.linked(data, 'stack')[1])
            name = data['resource_name']
            found[nested] = f'{above}/{name}' if above else name
    return found


def _placed(event: Mapping[str, Any], root: str, places: Mapping[str, str]
            ) -> Event:
    """Return an event with the keys that streams add."""
    name, stack_id = api.linked(event, 'stack')
    above = places.get(stack_id, '' if stack_id == root else name)
    own = event.get('physical_resource_id') == stack_id
    path = above if own else '/'.join(
        each for each in (above, event['resource_name']) if each)
    return {**event, 'stack_id': stack_id, 'stack_name': name, 'path': path}
