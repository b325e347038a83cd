"""Reading request parameters: texts that stand for other types."""
from oslo_utils import strutils

from heat.common.i18n import _

#: Fixed limit of the length of a stack's tag.
TAG_LENGTH = 80
#: How many tags a stack may have: each is a row that is written at once.
MAX_TAGS = 1000


def extract_bool(name, value):
    """Return the bool that a value or its text stands for."""
    if str(value).lower() not in ('true', 'false'):
        raise ValueError(
            _('Unrecognized value "%(value)s" for "%(name)s", acceptable '
              'values are: true, false')
            % {'value': value, 'name': name})
    return strutils.bool_from_string(value, strict=True)


def delim_string_to_list(value):
    """Return the parts of a text divided by commas; None stays None."""
    if value is None:
        return None
    if value == '':
        return []
    return value.split(',')


def extract_int(name, value, allow_zero=True, allow_negative=False):
    """Return the int that a value or its text stands for; None stays."""
    if value is None:
        return None
    if not isinstance(value, bool) and (
            isinstance(value, int) or _is_integer(value)):
        number = int(value)
        if number > 0 or (number == 0 and allow_zero) or (
                number < 0 and allow_negative):
            return number
    if allow_negative:
        wanted = _('an integer')
    elif allow_zero:
        wanted = _('an integer that is 0 or more')
    else:
        wanted = _('an integer that is more than 0')
    raise ValueError(
        _('Only %(wanted)s is allowed for "%(name)s", not "%(value)s"')
        % {'wanted': wanted, 'name': name, 'value': value})


def _is_integer(value):
    return isinstance(value, str) and value.strip().lstrip('-').isdecimal()


def extract_tags(subject):
    """Return the tags of a text like 'a,b'; each must be fit to be one."""
    if not isinstance(subject, str):
        raise ValueError(
            _('The tags are not a text of words divided by commas: %s')
            % subject)
    tags = subject.split(',')
    if len(tags) > MAX_TAGS:
        raise ValueError(
            _('There are %(number)d tags, a stack may have %(limit)d')
            % {'number': len(tags), 'limit': MAX_TAGS})
    for tag in tags:
        if not tag:
            raise ValueError(_('A tag in "%s" is empty.') % subject)
        if len(tag) > TAG_LENGTH:
            raise ValueError(
                _('The tag "%(tag)s" is longer than %(limit)s characters')
                % {'tag': tag, 'limit': TAG_LENGTH})
    return tags


def extract_template_type(subject):
    """Return hot or cfn, or raise ValueError."""
    template_type = str(subject).lower()
    if template_type not in ('cfn', 'hot'):
        raise ValueError(
            _('Invalid template type "%s", valid types are: cfn, hot.')
            % subject)
    return template_type
