"""A resource type whose things are files, so that they outlive engines.

Each call that changes something is a line of a file that all engines write
to. Only names of the documented plugin interface are used.
"""
import json
import os
import pathlib
import time
import uuid

from heat.common import exception
from heat.engine import properties
from heat.engine import resource
from heat.engine import support


class Thing(resource.Resource):
    """Something in a directory that takes its time for all it does."""

    support_status = support.SupportStatus(version='1.0.0')

    properties_schema = {
        'ledger': properties.Schema(
            properties.Schema.STRING, 'The directory of all things.',
            required=True),
        'value': properties.Schema(
            properties.Schema.STRING, 'What it is worth.', default='',
            update_allowed=True),
        'seconds': properties.Schema(
            properties.Schema.NUMBER, 'How long each action takes.',
            default=0, update_allowed=True),
        'lag': properties.Schema(
            properties.Schema.NUMBER, 'How long it takes to answer a '
            'request that has been carried out.', default=0,
            update_allowed=True),
        'look': properties.Schema(
            properties.Schema.NUMBER, 'How long it takes to look at it.',
            default=0, update_allowed=True),
    }

    def _directory(self):
        return pathlib.Path(self.properties['ledger'])

    def _note(self, call, thing):
        line = json.dumps({'call': call, 'stack': self.stack.id,
                           'name': self.name, 'thing': thing,
                           'pid': os.getpid(), 'time': time.time()}) + '\n'
        # What is appended at once is not mixed with what others append.
        with (self._directory() / 'calls').open('a') as stream:
            stream.write(line)

    def _path(self, thing):
        return self._directory() / f'thing-{thing}'

    def _write(self, thing, content):
        """Let a thing be so; nobody sees it half-written."""
        draft = self._directory() / f'draft-{uuid.uuid4().hex}'
        draft.write_text(json.dumps(content))
        draft.replace(self._path(thing))

    def _wait(self, props):
        """Return until when an action takes."""
        time.sleep(props['lag'])
        # The clock of a host may be set meanwhile; this one may not.
        return time.monotonic() + float(props['seconds'])

    def handle_create(self):
        thing = uuid.uuid4().hex
        self._write(thing, {'name': self.physical_resource_name(),
                            'value': self.properties['value']})
        self._note('create', thing)
        until = self._wait(self.properties)
        self.resource_id_set(thing)
        return until

    def find_created(self):
        mine = self.physical_resource_name()
        for path in self._directory().glob('thing-*'):
            if json.loads(path.read_text())['name'] == mine:
                return path.name.removeprefix('thing-')
        return None

    def check_create_complete(self, until):
        if isinstance(until, str):
            # Found again: nobody knows when it was begun.
            return True
        return time.monotonic() >= until

    def handle_update(self, json_snippet, tmpl_diff, prop_diff):
        after = json_snippet.properties(self.properties_schema, self.context)
        path = self._path(self.resource_id)
        self._write(self.resource_id, {**json.loads(path.read_text()),
                                       'value': after['value']})
        self._note('update', self.resource_id)
        return self._wait(after)

    def check_update_complete(self, until):
        return time.monotonic() >= until

    def get_live_resource_data(self):
        path = self._path(self.resource_id)
        time.sleep(self.properties['look'])
        self._note('look', self.resource_id)
        if not path.exists():
            raise exception.EntityNotFound(entity='Thing', name=self.name)
        return {'value': json.loads(path.read_text())['value']}

    def handle_delete(self):
        if self.resource_id is None:
            return 0
        self._note('delete', self.resource_id)
        self._path(self.resource_id).unlink(missing_ok=True)
        return self._wait(self.properties)

    def check_delete_complete(self, until):
        return time.monotonic() >= until


class Lender(Thing):
    """A thing that takes its time to make room for a replacement."""

    properties_schema = {
        **Thing.properties_schema,
        'size': properties.Schema(
            properties.Schema.INTEGER, 'What cannot change.', default=1),
        'lending': properties.Schema(
            properties.Schema.NUMBER, 'How long it takes.', default=0),
    }

    def prepare_for_replace(self):
        self._note('lend', self.resource_id)
        time.sleep(self.properties['lending'])
        self._note('lent', self.resource_id)


def resource_mapping():
    return {'Ledger::Thing': Thing, 'Ledger::Lender': Lender}
