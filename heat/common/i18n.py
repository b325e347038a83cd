"""Translation of the text that users read.

A process speaks English. A command may follow the locale of its user, and an
API answers in the language that the client of a request accepts: then the
texts made meanwhile, in the same thread, are translated at once. The texts of
an engine are English, and can be translated later: see composed_text.
"""
from collections.abc import Iterator, Mapping
import contextlib
import contextvars
import functools
import gettext
import logging
import os
import pathlib
import struct
from typing import Any

import oslo_i18n

from heat.common import composed_text

DOMAIN = 'heat'

LOG = logging.getLogger(__name__)

# The property makes a function anew each time that it is read.
_untranslated = oslo_i18n.TranslatorFactory(domain=DOMAIN).primary

_language: contextvars.ContextVar[str | None]
_language = contextvars.ContextVar('language', default=None)
#: The arguments of messages that often are texts of ours themselves.
_TEXTS = ('explanation', 'message', 'reason')
#: What follow_locale() found for the process.
_of_process: list[gettext.NullTranslations] = []


#: Returns the Text of a message; each message in the source has one.
_remembering = functools.lru_cache(maxsize=4096)(composed_text.Text)


def _(text: str) -> str:
    """Return a text in the language in use, English unless one was chosen."""
    chosen = _language.get()
    if chosen is not None and text:
        return _catalogue(chosen).gettext(text)
    if _of_process and text:
        return _of_process[-1].gettext(text)
    found: str = _untranslated(text)
    # Where somebody has enabled the lazy messages of oslo.i18n, it is one.
    return _remembering(found) if type(found) is str else found


def translated(text: object) -> str:
    """Return the translation of a text that `_` marks elsewhere.

    It may have been made when no language was chosen. A text that is in no
    catalogue remains as it is.
    """
    plain = str(text)
    if not _is_translating():
        return plain
    if isinstance(plain, composed_text.Text):
        return plain.translated(_)
    return _(plain)


def filled(message: str, values: dict[str, Any]) -> str:
    """Return a message with its arguments, translated if need be."""
    return composed_text.Text(translated(message)) % arguments(values)


def arguments(values: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments of a message, those that are texts translated.

    A string from elsewhere is one only if its key says so: a name that a
    user chose may look like a message.
    """
    if not _is_translating():
        return values
    return {key: translated(value) if _is_text(key, value) else value
            for key, value in values.items()}


def travelling(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the data with which the arguments of an error are translated.

    A whole message under one of the keys for texts needs no data.
    """
    return {key: data for key, data in composed_text.parts_of(values)
            if key not in _TEXTS or data[1] is not None}


def _is_text(key: str, value: object) -> bool:
    return isinstance(value, composed_text.Text) or (
        key in _TEXTS and isinstance(value, str))


def _is_translating() -> bool:
    return bool(_of_process) or _language.get() is not None


def language() -> str | None:
    """Return the language chosen for this request, None for English."""
    return _language.get()


@contextlib.contextmanager
def speaking(name: str | None) -> Iterator[None]:
    """Return a context that translates to a language that there is.

    :param name: one of available_languages(), or None for English.
    """
    token = _language.set(name)
    try:
        yield
    finally:
        _language.reset(token)


def follow_locale() -> None:
    """Translate all texts of this process to the language of its locale."""
    found = gettext.translation(DOMAIN, locale_directory(), fallback=True)
    is_translated = isinstance(found, gettext.GNUTranslations)
    _of_process[:] = [found] if is_translated else []


def locale_directory() -> str:
    """Return where the catalogues are."""
    variable = f'{DOMAIN.upper()}_LOCALEDIR'
    return os.environ.get(variable) or str(
        pathlib.Path(__file__).resolve().parents[1] / 'locale')


@functools.cache
def available_languages() -> tuple[str, ...]:
    """Return the names of the languages that have a catalogue."""
    found = pathlib.Path(locale_directory()).glob(
        f'*/LC_MESSAGES/{DOMAIN}.mo')
    return tuple(sorted(path.parts[-3] for path in found))


@functools.cache
def _catalogue(name: str) -> gettext.NullTranslations:
    try:
        return gettext.translation(DOMAIN, locale_directory(), [name])
    except (OSError, ValueError, struct.error) as error:
        # A file that is damaged must not make answers fail.
        LOG.warning('Cannot read the messages in %s: %s', name, error)
        return gettext.NullTranslations()
