"""Texts of errors: names, messages, paths, and taking them apart again."""
import collections.abc
import re

from heat.common import cloud_error
from heat.common import composed_text
from heat.common.i18n import _

_REMOTE_SUFFIX = '_Remote'
_STEP = re.compile(r'\[(\d+)\]|([^.\[\]]+)')
_PLAIN = (str, int, float, bool, type(None))
_TRACE = re.compile(r'\n+Traceback \(most recent call last\).*', re.DOTALL)
_FAILED = re.compile(r'^Resource [A-Z]+ failed: ')
_LOCATED = re.compile(
    r'^(?P<error>[A-Za-z_]\w*): (?P<path>[Rr]esources[.\[]\S*): '
    r'(?P<message>.*)$', re.DOTALL)


#: How texts begin that clients match as a whole: nothing is added to them.
_MATCHED_WHOLE = (
    'Cannot establish connection to Heat endpoint at region',
    'Failed validating stack template using Heat endpoint at region')

#: How long the text of one error may be.
MAX_LENGTH = 4000


def type_name(exc) -> str:
    """Return the class name of an error as it was raised originally.

    Errors that came over RPC have a suffixed class, or are a RemoteError
    naming the class when that could not be rebuilt here.
    """
    name = type(exc).__name__
    if name == 'RemoteError':
        name = exc.exc_type or name
    return name.removesuffix(_REMOTE_SUFFIX)


def text_of(exc) -> str:
    """Return the message of an error without any remote traceback."""
    if hasattr(exc, 'msg_fmt'):
        return exc.message
    if type(exc).__name__ == 'RemoteError':
        return str(exc.value or '')
    text = str(exc)
    plain = _TRACE.sub('', text).rstrip('\n')
    return cloud_error.text_of(exc) or (text if plain == text else plain)


def wire_safe(value):
    """Return value, or its text when RPC could not carry it."""
    if isinstance(value, _PLAIN):
        return value
    if isinstance(value, (list, tuple, set, frozenset)):
        return [item if type(item) in _PLAIN else wire_safe(item)
                for item in value]
    if isinstance(value, dict):
        return {str(k): v if type(v) in _PLAIN else wire_safe(v)
                for k, v in value.items()}
    return str(value)


def path_text(path) -> str:
    """Return a template path as users read it: a.b[0].c."""
    text = ''
    for item in path or ():
        if isinstance(item, int) or str(item).isdigit():
            text += '[%s]' % item
        else:
            text += ('.%s' if text else '%s') % (item,)
    return text


def at_path(path, text) -> str:
    """Return a text about what is at a path in the template."""
    return composed_text.joined(': ', filter(None, (path_text(path), text)))


def is_matched_whole(message) -> bool:
    """Return whether clients match the whole text of an error."""
    return message.startswith(_MATCHED_WHOLE)


def located_text(error, path, message) -> str:
    """Return the text of an error of a kind at a place in the template.

    Clients match what is said of a property that lacks a parameter's value;
    that text names the property, not the place inside it.
    """
    if is_matched_whole(message):
        return message
    if (len(path) >= 4 and path[0] in ('resources', 'Resources') and
            path[2] in ('properties', 'Properties') and
            message.startswith('The Parameter (')):
        return 'Property error: : %s: : %s' % (path_text(path[:4]), message)
    return composed_text.joined(': ', (
        str(part) for part in (error, path_text(path), message) if part))


def steps_of(text) -> list:
    """Return the path that a text like a.b[0].c describes."""
    return [int(index) if index else name
            for index, name in _STEP.findall(text)]


def position_text(line, column, file=None) -> str:
    """Return how the place in a text is put behind an error, '' for none.

    :param file: the name of the text, unless it is the template itself.
    """
    if line is None:
        return ''
    if file:
        return _(' (line %(line)s, column %(column)s of %(file)s)') % {
            'line': line, 'column': column, 'file': file}
    return _(' (line %(line)s, column %(column)s)') % {
        'line': line, 'column': column}


def shortened(text) -> str:
    """Return a text without its middle if it is far too long to be read.

    What users gave may be quoted in it, and have any length.
    """
    if len(text) <= MAX_LENGTH:
        return text
    half = MAX_LENGTH // 2
    return '%s [...] %s' % (text[:half], text[-half:])


def kind_of(value) -> str:
    """Return what users call the type of a template's value."""
    if value is None:
        return _('null')
    if isinstance(value, bool):
        return _('a boolean')
    if isinstance(value, (int, float)):
        return _('a number')
    if isinstance(value, str):
        return _('a string')
    if isinstance(value, collections.abc.Mapping):
        return _('a map')
    if isinstance(value, collections.abc.Sequence):
        return _('a list')
    return _('something else')


def section_of(resource):
    """Return what the resource's template calls its resources section."""
    template = getattr(getattr(resource, 'stack', None), 't', None)
    if template is None:
        return 'resources'
    return template.get_section_name('Resources')


def located(resource, path):
    """Return the path with the resource it lies in put in front, once."""
    start = [section_of(resource), resource.name]
    path = list(path)
    return path if path[:2] == start else start + path


def take_apart(text):
    """Return (error, path, message) of the text of an earlier failure."""
    match = _LOCATED.match(_FAILED.sub('', text))
    if match is None:
        return None, [], text
    return match['error'], match['path'].split('.'), match['message']
