"""Texts are translated only where a language was chosen."""
import json
import os
import subprocess
import sys
import threading

import pytest

from heat.common import exception
from heat.common import i18n

ENGLISH = 'The stack (s) already exists.'
GERMAN = 'Der Stack (s) ist bereits vorhanden.'


def text():
    return str(exception.StackExists(stack_name='s'))


def test_texts_are_english():
    assert text() == ENGLISH
    assert i18n.language() is None
    with i18n.speaking(None):
        assert text() == ENGLISH


def test_a_chosen_language_ends_with_its_context():
    with i18n.speaking('de'):
        assert i18n.language() == 'de'
        assert text() == GERMAN
        assert i18n._('Not found.') == 'Nicht gefunden.'
    assert text() == ENGLISH
    with pytest.raises(KeyError), i18n.speaking('de'):
        raise KeyError
    assert text() == ENGLISH


def test_other_threads_keep_to_english():
    found = []
    with i18n.speaking('de'):
        other = threading.Thread(target=lambda: found.append(text()))
        other.start()
        other.join()
    assert found == [ENGLISH]


def test_what_is_in_no_catalogue_remains():
    with i18n.speaking('de'):
        assert i18n.translated('nobody says this') == 'nobody says this'
        # The header of a catalogue is what it has for the empty text.
        assert i18n._('') == i18n.translated('') == ''


def test_arguments_that_are_texts_are_translated_too():
    with i18n.speaking('de'):
        error = exception.UserParameterMissing(key='k')
        other = exception.InvalidTemplateVersion(explanation='Not found.')
        path = exception.StackValidationFailed(message='Not found.')
        # A name is no text of ours.
        entity = exception.EntityNotFound(entity='Stack', name='Unknown')
    assert str(error) == ('Der Parameter (k) wurde nicht angegeben. '
                          'Er hat weder einen Wert noch eine Vorgabe.')
    assert str(other).endswith(': Nicht gefunden.')
    assert str(path) == 'Nicht gefunden.'
    assert str(entity) == 'Stack (Unknown) wurde nicht gefunden.'


def test_arguments_travel_untranslated():
    with i18n.speaking('de'):
        error = exception.UserParameterMissing(key='k')
    assert error.kwargs == {'key': 'k'}
    assert str(type(error)(**error.kwargs)).startswith('The Parameter (k)')


def carried(error):
    """Return an error as RPC rebuilds it."""
    return type(error)(**json.loads(json.dumps(error.kwargs)))


def in_german(error):
    """Return the German text of an error that has been raised elsewhere."""
    english = str(error)
    assert str(carried(error)) == english
    # What has been rebuilt travels on.
    assert carried(error).kwargs == error.kwargs
    with i18n.speaking('de'):
        return str(carried(error))


def test_composed_arguments_are_translated_after_rpc():
    text = i18n._('The section must be a map, but it is %s') % i18n._('a list')
    assert in_german(exception.StackValidationFailed(
        path=['resources', 'a', 0], message=text, line=2, column=3)) == (
        'resources.a[0]: Der Abschnitt muss eine Map sein, ist aber eine '
        'Liste (Zeile 2, Spalte 3)')
    assert in_german(exception.NotFound(
        i18n._('%s is not an integer') % 'x')) == 'x ist keine ganze Zahl'
    assert in_german(exception.Error(
        i18n._('%s is not an integer') % 'x')) == 'x ist keine ganze Zahl'
    assert in_german(exception.InvalidTemplateVersion(explanation=text)) == (
        'Die Version der Vorlage ist ungültig: '
        'Der Abschnitt muss eine Map sein, ist aber eine Liste')
    # It is no text by its key, but because it is one of ours.
    assert in_german(exception.NotSupported(
        feature=i18n._('Stack Abandon'))) == (
        'Das Aufgeben von Stacks wird nicht unterstützt.')


def test_an_error_within_an_error_is_translated():
    inner = exception.StackExists(stack_name='s')
    for error in (inner, ValueError(inner.message)):
        assert in_german(exception.StackValidationFailed(
            path=['a'], message=exception.text_of(error))) == (
            'a: Der Stack (s) ist bereits vorhanden.')


def test_further_problems_are_translated():
    one, other = (exception.StackValidationFailed(
        path=[name], message=i18n._('%s is not an integer') % name)
        for name in 'ab')
    one.tell_others(other.problems, 2)
    assert in_german(one).splitlines() == [
        'a: a ist keine ganze Zahl', '3 weitere Probleme:',
        '- b: b ist keine ganze Zahl',
        '- 2 weitere, die nicht gezeigt werden']


@pytest.fixture
def locale(monkeypatch, tmp_path):
    """Return a directory whose catalogues count."""
    monkeypatch.setenv('HEAT_LOCALEDIR', str(tmp_path))
    i18n.available_languages.cache_clear()
    i18n._catalogue.cache_clear()
    yield tmp_path
    i18n.available_languages.cache_clear()
    i18n._catalogue.cache_clear()


def test_a_damaged_catalogue_leaves_texts_in_english(locale):
    assert i18n.available_languages() == ()
    path = locale / 'de' / 'LC_MESSAGES' / 'heat.mo'
    path.parent.mkdir(parents=True)
    for content in (b'', b'nothing', b'\xde\x12\x04\x95' + b'\0' * 6):
        path.write_bytes(content)
        i18n.available_languages.cache_clear()
        i18n._catalogue.cache_clear()
        assert i18n.available_languages() == ('de',)
        with i18n.speaking('de'):
            assert text() == ENGLISH


@pytest.mark.parametrize(('settings', 'expected'), [
    ({'LANGUAGE': 'de'}, GERMAN), ({'LANG': 'de_AT.UTF-8'}, GERMAN),
    ({'LANGUAGE': 'fr:de'}, GERMAN), ({'LANG': 'C.UTF-8'}, ENGLISH),
    ({'LANGUAGE': 'en:de', 'LANG': 'de_DE.UTF-8'}, GERMAN)])
def test_commands_follow_the_locale_and_services_do_not(settings, expected):
    kept = {name: value for name, value in os.environ.items()
            if not name.startswith(('LC_', 'LANG'))}
    done = subprocess.run(
        [sys.executable, '-c', 'from heat.common import exception, i18n\n'
         'def text(): return str(exception.StackExists(stack_name="s"))\n'
         'print(text())\ni18n.follow_locale()\nprint(text())'],
        env={**kept, **settings}, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == [ENGLISH, expected]
