"""A resource type whose things are files, which tests may change.

Engines load it from here; no test imports it.
"""
import os
import pathlib

from heat.common import exception
from heat.engine import properties
from heat.engine import resource

#: The directory of the files, in the environment of the service.
PLACE = 'HEAT_TEST_NOTES'


class Note(resource.Resource):
    """Keeps a text in a file."""

    type_name = 'Test::Note'

    properties_schema = {
        'text': properties.Schema(properties.Schema.STRING, 'The text.',
                                  default='', update_allowed=True),
    }

    def _file(self):
        return pathlib.Path(os.environ[PLACE]) / self.resource_id

    def handle_create(self):
        """Write the file."""
        self.resource_id_set(self.physical_resource_name())
        self._file().write_text(self.properties['text'])

    def handle_update(self, json_snippet, tmpl_diff, prop_diff):
        """Write it anew."""
        after = json_snippet.properties(self.properties_schema, self.context)
        self._file().write_text(after['text'])

    def handle_delete(self):
        """Remove it."""
        if self.resource_id is not None:
            self._file().unlink(missing_ok=True)

    def get_live_resource_data(self):
        """Return what the file says."""
        if not self._file().exists():
            raise exception.EntityNotFound(entity='Note',
                                           name=self.resource_id)
        return {'text': self._file().read_text()}
