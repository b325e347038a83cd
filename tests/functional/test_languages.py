"""Errors of API and engine in the language that a client accepts."""
import pytest

from tests.functional.templates import hot
from tests.functional.templates import thing
from tests.unit.api.test_languages import HOSTILE

#: A template with two mistakes.
WRONG = hot({'one': {'type': 'Test::Rich', 'properties': {'nmae': 'x'}},
             'two': thing(value={'get_attr': ['noe', 'x']})})

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
    # A message is an argument of another one.
    'of a value': (
        'stacks', {'stack_name': 's', 'parameters': {'size': 7},
                   'template': hot(parameters={'size': {
                       'type': 'number', 'constraints': [
                           {'range': {'max': 3}}]}})},
        'StackValidationFailed', {
            'en': 'parameters.size: 7 is out of range (max: 3)',
            'de': 'parameters.size: 7 liegt außerhalb des Bereichs (max: 3)',
            'ja': 'parameters.size: 7 が範囲外です (max: 3)'}),
    'of a section': (
        'stacks', {'stack_name': 's', 'template': hot(
            {'one': {'type': 'OS::Heat::Value', 'properties': 7}})},
        'StackValidationFailed', {
            'en': 'resources.one.properties: The value must be a map, but it '
                  'is a number',
            'de': 'resources.one.properties: Der Wert muss eine Map sein, ist '
                  'aber eine Zahl',
            'ja': 'resources.one.properties: '
                  '値はマップでなければなりませんが、数値です'}),
    'of several places': (
        'stacks', {'stack_name': 's', 'template': WRONG},
        'InvalidTemplateReference', {
            'en': 'The resource "noe" (at resources.two.properties.value.'
                  'get_attr) does not exist in this template. Did you mean '
                  '"one"? Its resources are: one, two.\n'
                  'One more problem:\n'
                  '- resources.one.properties.nmae: Unknown Property nmae.',
            'de': 'Die Ressource "noe" (bei resources.two.properties.value.'
                  'get_attr) ist in dieser Vorlage nicht vorhanden. Ist "one" '
                  'gemeint? Ihre Ressourcen sind: one, two.\n'
                  'Ein weiteres Problem:\n'
                  '- resources.one.properties.nmae: Die Eigenschaft nmae ist '
                  'unbekannt.',
            'ja': 'リソース "noe" (resources.two.properties.value.get_attr) '
                  'はこのテンプレートに存在しません。 "one" のことですか? '
                  'テンプレートのリソース: one, two。\n'
                  'ほかに 1 件の問題があります:\n'
                  '- resources.one.properties.nmae: '
                  'プロパティー nmae は不明です。'}),
    'of a move': (
        'change_sets', {'stack_name': 's', 'template': hot(),
                        'moves': [{'from': 'a', 'to': 'b'}]},
        'MoveNotPossible', {
            'en': 'Resource "a" cannot be moved to "b": the stack must be '
                  'created first',
            'de': 'Die Ressource "a" kann nicht nach "b" verschoben werden: '
                  'der Stack muss zuerst erstellt werden',
            'ja': 'リソース "a" を "b" に移動できません: '
                  '先にスタックを作成する必要があります'}),
    'of an import': (
        'change_sets', {'stack_name': 's', 'template': hot({
            'b': {'type': 'Test::Rich'}}), 'imports': [
                {'resource': 'b', 'id': 'none'}]},
        'ImportNotPossible', {
            'en': '"none" cannot be imported as resource "b": the project '
                  'has no such Test::Rich',
            'de': '"none" kann nicht als Ressource "b" importiert werden: das '
                  'Projekt hat kein solches Objekt des Typs Test::Rich',
            'ja': '"none" をリソース "b" としてインポートできません: '
                  'プロジェクトに該当する Test::Rich がありません'}),
    'of a list of moves': (
        'change_sets', {'stack_name': 's', 'template': hot(),
                        'moves': [{'from': 'a'}]},
        'StackValidationFailed', {
            'en': 'moves[0] must be a map with the keys "from" and "to"',
            'de': 'moves[0] muss eine Map mit den Schlüsseln "from" und "to" '
                  'sein',
            'ja': 'moves[0] はキー "from" と "to" '
                  'を持つマップでなければなりません'}),
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


#: Below a stack: a request that it refuses, and what is said.
REFUSED = {
    'a drift detection': ('GET', 'drift', None, {
        'de': 'Es gibt keine Drift-Erkennung (s).',
        'ja': 'ドリフトの検出 (s) が存在しません。'}),
    'a resource': ('GET', 'resources/two', None, {
        'de': 'Der Stack s hat keine Ressource (two).',
        'ja': 'スタック s にリソース (two) はありません。'}),
    'an action': ('POST', 'actions', {'resume': None}, {
        'de': 'Das Fortsetzen eines Stacks, der nicht stillgelegt ist, wird '
              'nicht unterstützt.',
        'ja': '一時停止していないスタックの再開 はサポートされていません。'})}


def test_errors_of_a_stack_are_translated(api):
    stack = api.created('s', hot({'one': thing()}))
    for method, path, body, texts in REFUSED.values():
        for language, text in texts.items():
            answer = api.request(method, f'{stack.path}/{path}', body,
                                 headers={'Accept-Language': language})
            assert (answer.status // 100, answer.message) == (4, text)


@pytest.mark.parametrize('header', HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_headers(api, header):
    plain, answer = ask(api, None, UNKNOWN), ask(api, header, UNKNOWN)
    assert (answer.status, answer.text) == (404, plain.text)
    assert ask(api, header).status == 200
