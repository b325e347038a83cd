"""The language of an answer follows from the header Accept-Language."""
import time

import pytest

from heat.api.middleware import languages
from heat.common import i18n


@pytest.mark.parametrize(('header', 'expected'), [
    ('de', 'de'), ('de-AT', 'de'), ('DE', 'de'), ('ja-JP', 'ja'),
    ('fr, ja;q=0.5', 'ja'), ('ja;q=0.1, de;q=0.2', 'de'),
    # English is no catalogue, but a language that clients prefer.
    ('en', None), ('en-US, de;q=0.9', None), ('de;q=0.5, en;q=0.4', 'de'),
    ('de;q=0', None), ('de;q=0, ja', 'ja'), ('*', None), ('fr', None),
    ('i-klingon, x-unknown', None)])
def test_choice(header, expected):
    assert languages.chosen(header) == expected


@pytest.mark.parametrize(('header', 'expected'), [
    ('zh', 'zh_CN'), ('zh-CN', 'zh_CN'), ('zh-Hans-CN', 'zh_CN'),
    ('zh-TW', 'zh_TW'), ('zh-Hant-HK', 'zh_TW'), ('zh-HK', 'zh_TW'),
    ('pt-BR', 'pt_BR'), ('pt-PT', 'pt_BR'), ('ko', 'ko_KR'),
    ('ko-KR', 'ko_KR')])
def test_tags_with_a_region_or_script(monkeypatch, header, expected):
    monkeypatch.setattr(i18n, 'available_languages',
                        lambda: ('ko_KR', 'pt_BR', 'zh_CN', 'zh_TW'))
    assert languages.chosen.__wrapped__(header) == expected


HOSTILE = [
    ',' * 250, ',' * 10 ** 6, 'de;q=' * 50, 'de;q=1.5', 'de,' * 10 ** 5,
    ';q=0', 'de; q=\x00', '\xff\xfe', 'de\r\nX: y', '-', 'de-' * 80,
    '*' * 256, 'a' * 256, ' ' * 256, ('x' * 8 + '-') * 28 + 'x', '../../etc',
    'de_DE.UTF-8', 'de/../../ja', 'a-a-' * 60 + ';', ', ' * 128 + '\x00',
    ';q=0.' * 51]


@pytest.mark.parametrize('header', HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_headers_stand_for_english_and_cost_nothing(header):
    began = time.thread_time()
    assert languages.chosen.__wrapped__(header) is None
    assert time.thread_time() - began < 0.1


def test_few_choices_are_kept():
    for number in range(1000):
        languages.chosen(f'x-{number}')
    assert languages.chosen.cache_info().currsize <= 128
