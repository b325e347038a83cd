"""Choose the language of an answer by the header Accept-Language."""
import functools

from webob import acceptparse

from heat.common import i18n

#: Longer headers are not read. Browsers send less than half of it.
MAX_LENGTH = 256

#: Language tags that clients send besides the names of the catalogues.
_ALIASES = {'ko': 'ko_KR', 'pt': 'pt_BR', 'zh': 'zh_CN', 'zh-Hans': 'zh_CN',
            'zh-SG': 'zh_CN', 'zh-Hant': 'zh_TW', 'zh-HK': 'zh_TW',
            'zh-MO': 'zh_TW'}
_ENGLISH = 'en'


def tag(name: str) -> str:
    """Return the language tag of a catalogue."""
    return name.replace('_', '-')


@functools.lru_cache(maxsize=128)
def chosen(header: str) -> str | None:
    """Return the catalogue that suits a client best, None for English.

    A malformed header, and one that names no language that there is, stand
    for English.
    """
    if len(header) > MAX_LENGTH:
        return None
    names = i18n.available_languages()
    offers: dict[str, str | None] = {_ENGLISH: None}
    offers |= {alias: name for alias, name in _ALIASES.items()
               if name in names}
    offers |= {tag(name): name for name in names}
    accepted = acceptparse.create_accept_language_header(header)
    return offers[accepted.lookup(list(offers), default_tag=_ENGLISH)]
