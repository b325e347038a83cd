"""Functions that make, join, split and change texts."""
import collections.abc
from collections.abc import Mapping
import hashlib
from typing import Any
from urllib import parse as urlparse

from oslo_serialization import jsonutils

from heat.common import request_budget
from heat.common.i18n import _
from heat.engine import function
from heat.engine.sandbox import result_size

#: How long a text may be that functions make. Texts that are put into one
#: another may double in length again and again.
MAX_LENGTH = result_size.MAX_SIZE

_MAP_OR_LIST = (collections.abc.Mapping, list, tuple)


def _check_length(length: int, fn_name: str) -> None:
    if length > MAX_LENGTH:
        raise ValueError(
            _('"%(function)s" would make a text of more than %(limit)d '
              'characters') % {'function': fn_name, 'limit': MAX_LENGTH})


def _json(value: Any) -> str:
    return str(jsonutils.dumps(value, sort_keys=True))


class Replace(function.Function):
    """A text with some words in it replaced.

    str_replace:
      template: <text>
      params: {<word>: <value>, ...}

    The longest word is replaced first. What was put in is not looked at
    again.
    """

    def __init__(self, stack: Any, fn_name: str, args: Any) -> None:
        super().__init__(stack, fn_name, args)
        self._mapping, self._string = self._parse_args()
        if not isinstance(self._mapping, (collections.abc.Mapping,
                                          function.Function)):
            raise TypeError(_('The params of "%s" must be a map') % fn_name)

    def _parse_args(self) -> tuple[Any, Any]:
        """Return (words and values, text) of the arguments."""
        if not isinstance(self.args, collections.abc.Mapping):
            raise TypeError(_('The arguments of "%s" must be a map')
                            % self.fn_name)
        for key in ('params', 'template'):
            if key not in self.args:
                raise KeyError(_('"%(function)s" needs the arguments '
                                 '"template" and "params", but %(key)s is '
                                 'missing') % {'function': self.fn_name,
                                               'key': key})
        return self.args['params'], self.args['template']

    def _text_of(self, word: str, value: Any) -> str:
        """Return the text that takes the place of a word."""
        if value is None:
            return ''
        if isinstance(value, (str, int, float, bool)):
            return str(value)
        raise TypeError(
            _('"%(function)s" cannot put in the value of "%(word)s": it must '
              'be a string or number') % {'function': self.fn_name,
                                          'word': word})

    def _check(self, text: str, mapping: Mapping[str, Any]) -> None:
        """Check words and values before they are used."""

    def result(self) -> str:
        text = function.resolve(self._string)
        if not isinstance(text, str):
            raise TypeError(_('The template of "%s" must be a string')
                            % self.fn_name)
        mapping = function.resolve(self._mapping)
        if not isinstance(mapping, collections.abc.Mapping):
            raise TypeError(_('The params of "%s" must be a map')
                            % self.fn_name)
        if not all(isinstance(word, str) for word in mapping):
            raise TypeError(_('The keys of the params of "%s" must be '
                              'strings') % self.fn_name)
        self._check(text, mapping)
        texts = {word: self._text_of(word, value)
                 for word, value in mapping.items() if word}
        return self._replaced(text, texts)

    def _replaced(self, text: str, texts: Mapping[str, str]) -> str:
        # Every second piece is final; the others are searched for the next
        # word.
        pieces = [text]
        length = len(text)
        for word in sorted(texts, key=lambda w: (-len(w), w)):
            # Many words that a long text has not take long, too.
            request_budget.check()
            if word not in text:
                continue
            result_size.spend_size(
                result_size.ITEM * sum(piece.count(word)
                                       for piece in pieces[::2]))
            split: list[str] = []
            for index, piece in enumerate(pieces):
                if index % 2:
                    split.append(piece)
                    continue
                parts = piece.split(word)
                length += (len(parts) - 1) * (len(texts[word]) - len(word))
                for part in parts:
                    split += [part, texts[word]]
                split.pop()
            pieces = split
        _check_length(length, self.fn_name)
        return ''.join(pieces)


class ReplaceJson(Replace):
    """A text with some words in it replaced, by maps and lists too.

    These are put in as JSON.
    """

    def _text_of(self, word: str, value: Any) -> str:
        if isinstance(value, _MAP_OR_LIST):
            return _json(value)
        return super()._text_of(word, value)


class ReplaceJsonStrict(ReplaceJson):
    """A text with words replaced, all of which must be in it."""

    def _check(self, text: str, mapping: Mapping[str, Any]) -> None:
        missing = [word for word in mapping if word not in text]
        if missing:
            raise ValueError(
                _('These params of "%(function)s" are not in its template: '
                  '%(words)s') % {'function': self.fn_name,
                                  'words': ', '.join(sorted(missing))})


class ReplaceJsonVeryStrict(ReplaceJsonStrict):
    """A text with words replaced, which must be in it and have a value."""

    def _check(self, text: str, mapping: Mapping[str, Any]) -> None:
        super()._check(text, mapping)
        for word, value in mapping.items():
            empty = isinstance(value, (str, *_MAP_OR_LIST)) and not value
            if value is None or empty:
                raise ValueError(
                    _('The param "%(word)s" of "%(function)s" must not be '
                      'null or empty') % {'word': word,
                                          'function': self.fn_name})


class Join(function.Function):
    """The strings of a list as one text.

    list_join: [<delimiter>, <list of strings>]
    """

    def __init__(self, stack: Any, fn_name: str, args: Any) -> None:
        super().__init__(stack, fn_name, args)
        self._delim, *self._lists = function.two_of(
            fn_name, args, _('The arguments of "%s" must be a delimiter '
                             'and a list'))

    def _text_of(self, item: Any) -> str:
        if item is None:
            return ''
        if isinstance(item, str):
            return item
        raise TypeError(_('The items that "%(function)s" joins must be '
                          'strings, but one is %(item)r') % {
                              'function': self.fn_name, 'item': item})

    def _items(self) -> list[Any]:
        items: list[Any] = []
        for given in function.resolve(self._lists):
            if given is None:
                continue
            if not function.is_list(given):
                raise TypeError(_('"%(function)s" joins lists, not '
                                  '%(item)r') % {'function': self.fn_name,
                                                 'item': given})
            items += given
        return items

    def result(self) -> str:
        items = self._items()
        delim = function.resolve(self._delim)
        if not isinstance(delim, str):
            raise TypeError(_('The delimiter of "%s" must be a string')
                            % self.fn_name)
        texts = [self._text_of(item) for item in items]
        _check_length(sum(map(len, texts)) + len(delim) * len(texts),
                      self.fn_name)
        return delim.join(texts)


class JoinMultiple(Join):
    """The items of several lists as one text; maps and lists as JSON.

    list_join: [<delimiter>, <list>, <list>, ...]
    """

    def __init__(self, stack: Any, fn_name: str, args: Any) -> None:
        function.Function.__init__(self, stack, fn_name, args)
        if not function.is_list(args):
            raise TypeError(_('The argument of "%s" must be a list')
                            % fn_name)
        if len(args) < 2:
            raise ValueError(_('The arguments of "%s" must be a delimiter '
                               'and one or more lists') % fn_name)
        self._delim, *self._lists = args

    def _text_of(self, item: Any) -> str:
        if isinstance(item, _MAP_OR_LIST):
            return _json(item)
        return super()._text_of(item)


class StrSplit(function.Function):
    """The parts of a text, or one of them.

    str_split: [<delimiter>, <text>]
    str_split: [<delimiter>, <text>, <index>]

    A delimiter of null stands for any white space.
    """

    def __init__(self, stack: Any, fn_name: str, args: Any) -> None:
        super().__init__(stack, fn_name, args)
        if not (isinstance(args, function.Function)
                or function.is_list(args)):
            raise TypeError(_('The argument of "%s" must be a list: '
                              'delimiter, text and perhaps an index')
                            % fn_name)

    def result(self) -> Any:
        args = function.resolve(self.args)
        if not function.is_list(args) or len(args) < 2:
            raise ValueError(_('"%s" needs a delimiter and a text')
                             % self.fn_name)
        delim, text = args[:2]
        if text is None:
            return None
        if not isinstance(text, str) or not (
                delim is None or isinstance(delim, str)):
            raise TypeError(_('The delimiter and the text of "%s" must be '
                              'strings') % self.fn_name)
        if delim:
            result_size.spend_size(result_size.ITEM * text.count(delim))
        parts = text.split(delim)
        return self._part(parts, args[2]) if len(args) > 2 else parts

    def _part(self, parts: list[str], index: Any) -> str:
        try:
            return parts[int(index)]
        except (ValueError, TypeError) as exc:
            raise ValueError(_('The index of "%s" must be an integer')
                             % self.fn_name) from exc
        except IndexError as exc:
            raise ValueError(
                _('The index of "%(function)s" must lie between 0 and '
                  '%(max)d') % {'function': self.fn_name,
                                'max': len(parts) - 1}) from exc


class Digest(function.Function):
    """The digest of a text as hexadecimal digits.

    digest: [<algorithm>, <text>]
    """

    def result(self) -> str:
        args = function.resolve(self.args)
        if not (function.is_list(args)
                and all(isinstance(item, str) for item in args)):
            raise TypeError(_('The argument of "%s" must be a list of '
                              'strings') % self.fn_name)
        if len(args) != 2:
            raise ValueError(_('The arguments of "%s" must be an algorithm '
                               'and a text') % self.fn_name)
        algorithm, text = args
        if algorithm.lower() not in hashlib.algorithms_available:
            raise ValueError(
                _('The algorithm must be one of: %s')
                % ', '.join(sorted(hashlib.algorithms_available)))
        digest = hashlib.new(algorithm, usedforsecurity=False)
        digest.update(text.encode('latin-1'))
        if not digest.digest_size:
            raise ValueError(_('The digests of %s have no fixed length')
                             % algorithm)
        return digest.hexdigest()


class MakeURL(function.Function):
    """A URL from its parts, each quoted as it has to be.

    make_url: {scheme: , username: , password: , host: , port: , path: ,
               query: {...}, fragment: }
    """

    _ARG_KEYS = (
        SCHEME, USERNAME, PASSWORD, HOST, PORT, PATH, QUERY, FRAGMENT,
    ) = (
        'scheme', 'username', 'password', 'host', 'port', 'path', 'query',
        'fragment',
    )

    def validate(self) -> None:
        super().validate()
        self._check_keys(self.args)
        for key, value in self.args.items():
            # What is not known yet is checked when it is.
            if not isinstance(value, function.Function):
                self._check(key, value)

    def _check_keys(self, args: Any) -> None:
        if not isinstance(args, collections.abc.Mapping):
            raise TypeError(_('The arguments of "%s" must be a map')
                            % self.fn_name)
        unknown = [str(key) for key in args if key not in self._ARG_KEYS]
        if unknown:
            raise ValueError(
                _('"%(function)s" does not know %(unknown)s. It may have: '
                  '%(allowed)s') % {'function': self.fn_name,
                                    'unknown': ', '.join(sorted(unknown)),
                                    'allowed': ', '.join(self._ARG_KEYS)})

    def _check(self, key: str, value: Any) -> None:
        if value is None:
            return
        if key == self.PORT:
            self._check_port(value)
        elif key == self.QUERY:
            if not isinstance(value, collections.abc.Mapping):
                raise TypeError(_('The %(key)s of "%(function)s" must be a '
                                  'map') % {'key': key,
                                            'function': self.fn_name})
        elif not isinstance(value, str):
            raise TypeError(_('The %(key)s of "%(function)s" must be a '
                              'string') % {'key': key,
                                           'function': self.fn_name})
        elif key == self.SCHEME and ':' in value:
            raise ValueError(_('There must be no ":" in a URL scheme'))

    def _check_port(self, value: Any) -> None:
        try:
            port = 0 if value == '' else int(value)
        except (TypeError, ValueError) as exc:
            raise ValueError(_('A port must be a number, not "%s"')
                             % value) from exc
        if value != '' and not 1 <= port <= 65535:
            raise ValueError(_('A port must lie between 1 and 65535, not '
                               'at %d') % port)

    def result(self) -> str:
        args = function.resolve(self.args)
        self._check_keys(args)
        for key, value in args.items():
            self._check(key, value)
        parts = {key: value for key, value in args.items()
                 if value is not None and value != ''}
        return str(urlparse.urlunsplit((
            parts.get(self.SCHEME, ''),
            self._netloc(parts),
            urlparse.quote(parts.get(self.PATH, '')),
            _query(parts.get(self.QUERY, {})),
            urlparse.quote(parts.get(self.FRAGMENT, '')))))

    def _netloc(self, parts: Mapping[str, Any]) -> str:
        netloc = ''
        if self.USERNAME in parts or self.PASSWORD in parts:
            netloc = urlparse.quote(parts.get(self.USERNAME, ''), safe='')
            if self.PASSWORD in parts:
                netloc += ':' + urlparse.quote(parts[self.PASSWORD], safe='')
            netloc += '@'
        host = urlparse.quote(
            parts.get(self.HOST, '').removeprefix('[').removesuffix(']'),
            safe=':')
        netloc += '[%s]' % host if ':' in host else host
        if self.PORT in parts:
            netloc += ':%d' % int(parts[self.PORT])
        return netloc


def _query(query: Mapping[str, Any]) -> str:
    """Encode a query; slashes are legal in it and better to read."""
    return urlparse.urlencode(query).replace('%2F', '/')
