"""A resource type of one's own: notes that are files of a directory.

Put it into one of the directories that ``plugin_dirs`` names.
"""
import pathlib
import uuid

from heat.common import exception
from heat.common.i18n import _
from heat.engine import attributes
from heat.engine import constraints
from heat.engine import properties
from heat.engine import resource
from heat.engine import support


class Note(resource.Resource):
    """A note in a directory of the engine's host.

    Others may read it there.
    """

    support_status = support.SupportStatus(version='1.0.0')

    PROPERTIES = (DIRECTORY, TEXT) = ('directory', 'text')
    ATTRIBUTES = (PATH, LENGTH) = ('path', 'length')

    properties_schema = {
        # No update_allowed: another directory is another note.
        DIRECTORY: properties.Schema(
            properties.Schema.STRING,
            _('The directory in which the note is.'),
            required=True),
        TEXT: properties.Schema(
            properties.Schema.STRING,
            _('What the note says.'),
            constraints=[constraints.Length(max=1000)],
            default='',
            update_allowed=True),
    }

    attributes_schema = {
        PATH: attributes.Schema(
            _('Where the note is.'), type=attributes.Schema.STRING),
        LENGTH: attributes.Schema(
            _('How many characters the note has now.'),
            type=attributes.Schema.INTEGER,
            cache_mode=attributes.Schema.CACHE_NONE),
    }

    def _path(self):
        return (pathlib.Path(self.properties[self.DIRECTORY]) /
                self.resource_id)

    def handle_create(self):
        """Begin to make the note."""
        # From here on it is ours to delete, whatever happens.
        self.resource_id_set('note-' + uuid.uuid4().hex)
        self._path().write_text(self.properties[self.TEXT])

    def check_create_complete(self, _token):
        """Look once whether the note is there."""
        return self._path().exists()

    def handle_check(self):
        """Raise an error if the note is not there any more."""
        if not self._path().exists():
            raise exception.Error(_('There is no note %s')
                                  % self.resource_id)

    def handle_update(self, json_snippet, tmpl_diff, prop_diff):
        """Write what differs; only update_allowed properties can."""
        if self.TEXT in prop_diff:
            self._path().write_text(prop_diff[self.TEXT] or '')

    def handle_delete(self):
        """Remove the note. It may never have been made."""
        if self.resource_id is not None:
            self._path().unlink(missing_ok=True)

    def _resolve_attribute(self, name):
        if name == self.PATH:
            return str(self._path())
        return len(self._path().read_text())


def resource_mapping():
    """Return the types of this module, as templates call them."""
    return {'Example::Note': Note}
