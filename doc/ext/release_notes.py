"""The directive release-notes of reno, also where there is no history.

reno takes the release of a note from the tags in the history of git. Where
there is no history, as in an archive of the source or in a shallow clone, or
no tag of a release, all notes belong to the version of the source.
"""
import pathlib
import re

from docutils import nodes
from docutils import statemachine
from dulwich import repo
from reno import config
from reno import defaults
from reno import formatter
from reno import sphinxext
from sphinx.util.nodes import nested_parse_with_titles
import yaml

from heat import version

ROOT = pathlib.Path(__file__).resolve().parents[2]


def has_releases(root):
    """Return whether a directory is a clone with the tag of a release."""
    if not (root / '.git').exists():
        return False
    with repo.Repo(str(root)) as clone:
        return not clone.get_shallow() and any(
            re.fullmatch(r'\d+\.\d+\.\d+', tag.decode(errors='replace'))
            for tag in clone.refs.keys(b'refs/tags'))


class Notes(dict):
    """The files of notes by version, as the formatter of reno reads them."""

    def __init__(self, directory, release):
        self.directory = directory
        super().__init__({release: [
            (path.name, 'source')
            for path in sorted(directory.glob('*.yaml'))]})

    def parse_note_file(self, name, _commit):
        return yaml.safe_load((self.directory / name).read_text())


class ReleaseNotes(sphinxext.ReleaseNotesDirective):
    """List the notes by the releases of git, or all of them."""

    def run(self):
        if has_releases(ROOT):
            self.options.setdefault('reporoot', str(ROOT))
            return super().run()
        conf = config.Config(str(ROOT), defaults.RELEASE_NOTES_SUBDIR)
        notes = Notes(ROOT / conf.notespath, version.__version__)
        text = formatter.format_report(notes, conf, list(notes))
        lines = statemachine.StringList(text.splitlines(), 'release notes')
        node = nodes.section()
        node.document = self.state.document
        nested_parse_with_titles(self.state, lines, node)
        return node.children


def setup(app):
    app.add_directive('release-notes', ReleaseNotes)
    return {'parallel_read_safe': True}
