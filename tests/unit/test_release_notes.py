"""reno can read the release notes, and each of them says something."""
import pathlib
import re

import pytest
import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
NOTES = sorted((ROOT / 'releasenotes/notes').iterdir())
SECTIONS = {'features', 'issues', 'upgrade', 'deprecations', 'critical',
            'security', 'fixes', 'other'}


def test_there_are_notes_of_each_kind_that_readers_look_for():
    kinds = {kind for path in NOTES
             for kind in yaml.safe_load(path.read_text())}
    assert {'prelude', 'features', 'upgrade', 'fixes', 'security'} <= kinds


@pytest.mark.parametrize('path', NOTES, ids=lambda path: path.stem)
def test_reno_reads_the_note(path):
    # reno knows a note by the digits at the end of its name.
    assert re.fullmatch(r'[a-z0-9-]+-[0-9a-f]{16}\.yaml', path.name)
    note = yaml.safe_load(path.read_text())
    assert isinstance(note.pop('prelude', ''), str)
    assert set(note) <= SECTIONS
    for entries in note.values():
        assert entries
        for entry in entries:
            # An entry with a colon that is not quoted would be a mapping.
            assert isinstance(entry, str)
            assert re.match(r'[\w`*(]', entry)
            assert entry.rstrip()[-1] in '.`'


def test_digits_are_given_once():
    digits = [path.stem[-16:] for path in NOTES]
    assert len(digits) == len(set(digits))
