"""tools/messages keeps the catalogues; those of ours are as they should be."""
import functools
import importlib.machinery
import importlib.util
import pathlib
import shutil

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
#: The share of the complete part that may lack a translation for a while.
MISSING = 0.05

HEADER = """\
msgid ""
msgstr ""
"Language: de\\n"
"Content-Type: text/plain; charset=utf-8\\n"

"""


@pytest.fixture(scope='module')
def messages():
    """Return the tool, which searches the source once."""
    loader = importlib.machinery.SourceFileLoader(
        'messages', str(ROOT / 'tools' / 'messages'))
    spec = importlib.util.spec_from_loader('messages', loader)
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    module.messages = functools.cache(module.messages)
    return module


@pytest.fixture
def written(messages, monkeypatch, tmp_path):
    """Return a function that makes a German catalogue of entries."""
    monkeypatch.setattr(messages, 'LOCALE', tmp_path)
    monkeypatch.setattr(messages, 'TEMPLATE', tmp_path / 'heat.pot')

    def write(entries):
        path = messages.path_of('de')
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(HEADER + entries)
        return path

    return write


def test_the_catalogues_have_no_faults(messages):
    assert [fault for language in messages.LANGUAGES
            for fault in messages.faults(language)] == []


def test_each_language_is_set_up(messages):
    assert {path.parts[-3] for path in messages.LOCALE.rglob('heat.po')} == (
        set(messages.LANGUAGES))


def test_german_and_japanese_are_complete(messages):
    source = messages.messages()
    wanted = [message for message in source
              if message.id and messages.is_to_be_complete(message)]
    assert len(wanted) > 1200
    for language in messages.COMPLETE:
        lacking = messages.missing(messages.read(language), source)
        assert len(lacking) <= MISSING * len(wanted), [
            message.id for message in lacking]


@pytest.mark.parametrize(('place', 'is_complete'), [
    ('heat/api/wsgi.py', True), ('heat/common/opts_auth.py', False),
    ('heat/engine/stack.py', True), ('heat/engine/plans/moves.py', True),
    ('heat/db/api.py', False)])
def test_parts_that_are_to_be_complete(messages, place, is_complete):
    found = messages.catalogues.Catalog().add('text', None, [(place, 1)])
    assert messages.is_to_be_complete(found) is is_complete


def test_descriptions_of_resource_types_need_no_translation(messages):
    found = {message.id: messages.is_to_be_complete(message)
             for message in messages.messages()
             if message.id and all('engine/resources/' in name
                                   for name, _line in message.locations)}
    assert found['A tag must have 1 to %d characters and must not contain a '
                 'comma or slash']
    assert found['port_range_min cannot be greater than port_range_max.']
    assert not found['Length of a period in seconds.']


def test_lines_of_errors(messages):
    assert messages.error_lines(
        'a = field(_(\n"description"))\n'
        'raise error(path, message=_(\n    "%s is wrong") % _("it"))\n'
        'self._refuse(_("this"))\n'
        'refused(_("that"))\n') == {3, 4, 5}


@pytest.mark.parametrize(('entry', 'fault'), [
    ('#, python-format\nmsgid "no %(a)s"\nmsgstr "kein %(b)s"\n',
     'placeholders'),
    ('#, python-format\nmsgid "no %(a)s"\nmsgstr "keines"\n', 'placeholders'),
    ('#, python-format\nmsgid "%s of %d"\nmsgstr "%d von %s"\n',
     'placeholders'),
    ('#, python-format\nmsgid "%s: 5 %%"\nmsgstr "%s: 5 %"\n',
     'placeholders'),
    ('#, fuzzy\nmsgid "none"\nmsgstr "keines"\n', 'fuzzy'),
    ('msgid " (gone)"\nmsgstr "(weg)"\n', 'white space'),
    ('msgid "none"\nmsgstr "keines\n', 'de: ')])
def test_faults_are_found(messages, written, capsys, entry, fault):
    written(entry)
    if fault not in ('de: ', 'fuzzy'):
        messages.main(['compile', 'de'])
    assert messages.main(['check', 'de']) == 1
    found = capsys.readouterr().out
    assert found.startswith('de: ')
    assert fault in found


@pytest.mark.parametrize('entry', [
    '#, python-format\nmsgid "%(a)s of %(b)s"\nmsgstr "%(b)s: %(a)s"\n',
    'msgid "5 % of it"\nmsgstr "5 % davon"\n'])
def test_what_is_no_fault(messages, written, entry):
    written(entry)
    messages.main(['compile', 'de'])
    assert messages.faults('de') == []


def test_a_compiled_catalogue_follows_its_source(messages, written):
    path = written('msgid "none"\nmsgstr "keines"\n')
    assert len(messages.faults('de')) == 1
    messages.main(['compile', 'de'])
    assert messages.faults('de') == []
    before = messages.path_of('de', '.mo').read_bytes()
    messages.main(['compile', 'de'])
    assert messages.path_of('de', '.mo').read_bytes() == before
    path.write_text(path.read_text().replace('keines', 'keine'))
    assert 'heat.mo is not made from heat.po' in messages.faults('de')[0]


def test_missing_translations_are_reported_only(messages, written, capsys):
    written('')
    assert messages.main(['check']) == 0
    assert 'de: not translated: heat/' in capsys.readouterr().out


def test_update_and_compile_lose_nothing(messages, monkeypatch, tmp_path):
    shutil.copytree(messages.LOCALE, tmp_path / 'locale')
    monkeypatch.setattr(messages, 'LOCALE', tmp_path / 'locale')
    before = messages.path_of('de').read_text()
    messages.main(['update', 'de'])
    assert len(messages.path_of('de').read_text()) > 2 * len(before)
    messages.main(['compile', 'de'])
    assert messages.path_of('de').read_text() == before


def test_extract_writes_what_the_source_has(messages, written):
    messages.main(['extract'])
    text = messages.TEMPLATE.read_text()
    assert 'msgid "The stack (%(stack_name)s) already exists."' in text


def test_unknown_languages_are_refused(messages):
    with pytest.raises(SystemExit):
        messages.main(['update', 'xx'])
