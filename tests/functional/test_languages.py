"""Errors of API and engine in the language that a client accepts."""
import pytest

from tests.functional.templates import hot
from tests.functional.templates import thing
from tests.unit.api.test_languages import HOSTILE

UNKNOWN = 'stacks/none/d5ae4bc8-0d42-4d30-8d57-5b2ef8ef2bf7'


def ask(api, language, path='stacks', body=None):
    """Return the answer to a request that prefers a language."""
    headers = {} if language is None else {'Accept-Language': language}
    return api.request('GET' if body is None else 'POST', path, body,
                       headers=headers)


#: What is wrong with a request, and what is said about it.
ERRORS = {
    'of the API': ('stacks', {'template': hot()}, 'HTTPBadRequest', {
        'en': '"stack_name" is missing in the body.',
        'de': '"stack_name" fehlt im Rumpf der Anfrage.',
        'ja': 'リクエスト本文に "stack_name" がありません。'}),
    'of the engine': (UNKNOWN, None, 'EntityNotFound', {
        'en': 'The Stack (none) could not be found.',
        'de': 'Stack (none) wurde nicht gefunden.',
        'ja': 'Stack (none) が見つかりませんでした。'}),
    'of the validation': (
        'stacks', {'stack_name': 's', 'template': hot(
            parameters={'size': {'type': 'string'}})},
        'UserParameterMissing', {
            'en': 'parameters.size: The Parameter (size) was not provided. '
                  'It has neither a value nor a default.',
            'de': 'parameters.size: Der Parameter (size) wurde nicht '
                  'angegeben. Er hat weder einen Wert noch eine Vorgabe.',
            'ja': 'parameters.size: パラメーター (size) が指定されていません。'
                  '値も既定値もありません。'}),
}


@pytest.mark.parametrize('kind', ERRORS)
@pytest.mark.parametrize('language', ['de', 'ja'])
def test_errors_are_translated(api, kind, language):
    path, body, error, texts = ERRORS[kind]
    plain = ask(api, None, path, body)
    assert (plain.error, plain.message) == (error, texts['en'])
    assert 'Content-Language' not in plain.headers
    translated = ask(api, f'fr, {language};q=0.5', path, body)
    assert translated.message == texts[language]
    assert translated.headers['Content-Language'] == language
    # Everything else is for programs, and remains as it was.
    translated.json['error']['message'] = plain.message
    assert translated.json == plain.json
    assert translated.status == plain.status
    # Nothing remains of a language once its request is answered.
    assert ask(api, None, path, body).text == plain.text
    assert ask(api, 'en-GB', path, body).text == plain.text


def test_what_is_stored_is_english(api):
    answer = ask(api, 'de', 'stacks', {
        'stack_name': 's', 'template': hot({'one': thing()})})
    assert answer.status == 201
    assert 'Content-Language' not in answer.headers
    reasons = {event['resource_status_reason'] for event in api.get(
        f"stacks/s/{answer.json['stack']['id']}/events")['events']}
    assert reasons
    assert all('CREATE' in each or each == 'state changed'
               for each in reasons)


@pytest.mark.parametrize('header', HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_headers(api, header):
    plain, answer = ask(api, None, UNKNOWN), ask(api, header, UNKNOWN)
    assert (answer.status, answer.text) == (404, plain.text)
    assert ask(api, header).status == 200
