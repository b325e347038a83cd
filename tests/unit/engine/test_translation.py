import pytest

from heat.engine import translation

Rule = translation.TranslationRule


class Source:
    data = {'old': {'name': 'x'}}


def test_orders_of_rules_do_not_matter():
    class Plugin:
        @staticmethod
        def find(name):
            return 'id-' + name

    rules = [
        Rule(Source, Rule.RESOLVE, ['items'], client_plugin=Plugin,
             finder='find'),
        Rule(Source, Rule.ADD, ['items'], value=['b']),
        Rule(Source, Rule.DELETE, ['gone']),
        Rule(Source, Rule.REPLACE, ['name'], value_path=['old', 'name']),
        Rule(Source, Rule.RESOLVE, ['name'], client_plugin=Plugin,
             finder='find'),
    ]
    for ordered in (rules, rules[::-1]):
        translated = translation.Translation()
        translated.set_rules(ordered)
        assert translated.translate('items', ['a']) == ['id-a', 'id-b']
        assert translated.translate('name') == 'id-x'
        assert translated.translate('gone', 'x') is None


def test_indices_are_no_part_of_a_path():
    translated = translation.Translation()
    translated.set_rules([Rule(Source, Rule.DELETE, ['nets', 'port']),
                          Rule(Source, Rule.REPLACE, ['nets', 'net'],
                               value_name='uuid')])
    assert translated.has_translation('nets.0.port')
    assert translated.is_deleted('nets.11.port')
    assert translated.is_replaced('nets.3.uuid')
    assert translated.has_translation('nets.3.uuid')
    assert not translated.is_replaced('nets.3.net')
    assert not translated.has_translation('nets')
    assert not translated.has_translation('port')


def test_no_rules():
    translated = translation.Translation()
    translated.set_rules(None)
    assert not translated.has_translation('a')
    assert translated.translate('a', 5) == 5


@pytest.mark.parametrize(('args', 'options', 'message'), [
    (('Move', ['a']), {}, 'rule "Move" must be one of'),
    ((Rule.DELETE, 'a'), {}, 'translation_path'),
    ((Rule.DELETE, []), {}, 'translation_path'),
    ((Rule.ADD, ['a']), {}, 'list'),
    ((Rule.ADD, ['a']), {'value': 'b'}, 'list'),
    ((Rule.REPLACE, ['a']), {'value': 1, 'value_path': ['b']}, 'Only one'),
    ((Rule.REPLACE, ['a']), {'value_name': 'b', 'value_path': ['b']},
     'Only one'),
    ((Rule.REPLACE, ['a']), {'custom_value_path': ['b']}, 'value_name'),
    ((Rule.RESOLVE, ['a']), {}, 'finder'),
    ((Rule.RESOLVE, ['a']), {'client_plugin': object()}, 'finder'),
    ((Rule.DELETE, ['a']), {'client_plugin': object(), 'finder': 'f'},
     'finder'),
])
def test_senseless_rules(args, options, message):
    with pytest.raises(ValueError, match=message):
        Rule(Source, *args, **options)
