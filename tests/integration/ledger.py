"""What the things of plugins/ledger.py tell, and templates of them."""
import collections
import contextlib
import json
import pathlib

from tests.integration import templates

PLUGINS = pathlib.Path(__file__).parent / 'plugins'


class Ledger:
    """A directory in which things are, and a list of all calls."""

    def __init__(self, directory):
        self.directory = pathlib.Path(directory)
        self.directory.mkdir(parents=True, exist_ok=True)

    def calls(self, *kinds, stack=None):
        """Return the calls there were, as dicts, oldest first."""
        path = self.directory / 'calls'
        text = path.read_text() if path.exists() else ''
        return [call for call in map(json.loads, text.splitlines())
                if (not kinds or call['call'] in kinds) and
                stack in (None, call['stack'])]

    def things(self):
        """Return what there is, as dicts."""
        found = []
        for path in self.directory.glob('thing-*'):
            # It may go while we look.
            with contextlib.suppress(FileNotFoundError):
                found.append(json.loads(path.read_text()))
        return found

    def repeated(self, *kinds):
        """Return {(call, name): number} of what was called repeatedly."""
        counts = collections.Counter(
            (call['call'], call['name']) for call in self.calls(*kinds))
        return {key: count for key, count in counts.items() if count > 1}

    def mesh(self, size, value='old', changed=0, seconds=0.5, lag=0.02):
        """Return a template of things that need each other in layers."""
        return {
            'heat_template_version': templates.VERSION,
            'resources': {
                f'r{number}': self.leaf(
                    templates.needs_of(number), seconds=seconds, lag=lag,
                    value=value if number < changed else 'old')
                for number in range(size)}}

    def leaf(self, needs=(), **properties):
        """Return the definition of one thing."""
        definition = {'type': 'Ledger::Thing', 'properties': {
            'ledger': str(self.directory), **properties}}
        if needs:
            definition['depends_on'] = list(needs)
        return definition
