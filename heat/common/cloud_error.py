"""Errors of cloud services, in words for the user of a stack.

The texts name the service, the request and its id, for whoever has to look
into the service's log; hosts and what the client library does stay out.
"""
from collections.abc import Iterator
import re
from typing import Any
from urllib import parse

from heat.common.i18n import _

#: Statuses by which services refuse what a quota does not allow.
_REFUSED = (403, 409, 413)
#: What they say then; each service has words of its own.
_OVER_QUOTA = re.compile(
    r'over_?quota|quota\b.{0,80}\b(exceeded|reached|met)\b|'
    r'\b(exceeded|exceeds)\b.{0,80}\bquota|'
    r'maximum number of .{1,80} exceeded', re.IGNORECASE)


def mark(answer: Any, service: str | None) -> Any:
    """Note at an answer which service gave it; return the answer."""
    if answer is not None and service is not None:
        answer.heat_service = service
    return answer


def causes(error: BaseException) -> Iterator[BaseException]:
    """Yield an error, and what brought it about, down to the first."""
    seen = set()
    todo: list[Any] = [error]
    while todo:
        each = todo.pop()
        if not isinstance(each, BaseException) or id(each) in seen:
            continue
        seen.add(id(each))
        yield each
        todo += [each.__cause__, each.__context__,
                 getattr(each, 'reason', None), *each.args]


def status_of(error: BaseException) -> int | None:
    """Return the HTTP status that an error of a client stands for."""
    for name in ('status_code', 'http_status'):
        status = getattr(error, name, None)
        if isinstance(status, int):
            return status
    return None


def is_quota_refusal(error: BaseException) -> bool:
    """Return whether a service refused because a quota is exhausted.

    Time does not help then, other than with a thing that is in use.
    """
    return status_of(error) in _REFUSED and any(
        _OVER_QUOTA.search(str(text)) for text in (
            getattr(error, 'details', None), getattr(error, 'message', None),
            getattr(getattr(error, 'response', None), 'text', None)) if text)


def text_of(error: BaseException) -> str | None:
    """Return the text of an answer of a service; None for other errors."""
    status = status_of(error)
    url, method = getattr(error, 'url', None), getattr(error, 'method', None)
    if status is None or url is None:
        return None
    answer = getattr(error, 'response', None)
    text = _('%(service)s answered %(status)s to %(method)s %(path)s') % {
        'service': _name(getattr(answer, 'heat_service', None)),
        'status': status, 'method': method or '?',
        'path': parse.urlsplit(str(url)).path}
    details = (_listed_in(answer) or getattr(error, 'details', None) or
               _plain(error))
    if details:
        text = '%s: %s' % (text, details)
    request_id = getattr(error, 'request_id', None)
    if request_id:
        text += _(' (request %s)') % request_id
    return text


def _listed_in(answer: Any) -> str:
    """Return what an answer lists as errors, '' if it is of another form.

    https://specs.openstack.org/openstack/api-sig/guidelines/errors.html
    describes the form, in which Magnum and Placement answer.
    """
    try:
        errors = answer.json()['errors']
        return '; '.join(str(each.get('detail') or each['title'])
                         for each in errors)
    except (AttributeError, KeyError, TypeError, ValueError):
        return ''


def told_by(error: BaseException) -> str | None:
    """Return what a service, or the way to it, says by an error.

    None for errors that neither is the reason of.
    """
    text = text_of(error)
    # The library is large; whoever has not loaded it has no errors of it.
    if text is None and any(each.__module__.startswith('keystoneauth1.')
                            for each in type(error).__mro__):
        return str(error)
    return text


def _plain(error: BaseException) -> str:
    """Return the message, unless it only repeats status and URL."""
    message = str(getattr(error, 'message', '') or '')
    return '' if str(getattr(error, 'url', None)) in message else message


def unreachable(service: str | None, method: str, error: BaseException,
                request_id: str | None) -> str:
    """Return the text for a request that has not been answered."""
    names = {type(cause).__name__ for cause in causes(error)}
    if 'AddressRefused' in names:
        why = _('it has a private address, which the option '
                'allowed_fetch_networks does not list')
    elif 'NewConnectionError' in names:
        why = _('it does not accept connections')
    elif names & {'ConnectTimeout', 'ReadTimeout', 'Timeout'}:
        why = _('it did not answer in time')
    elif names & {'SSLError', 'SSLFailure'}:
        why = _('its certificate is not accepted')
    else:
        why = _('it closed the connection')
    text = _('No answer from %(service)s to %(method)s: %(why)s') % {
        'service': _name(service), 'method': method, 'why': why}
    return text + (_(' (request %s)') % request_id if request_id else '')


def _name(service: str | None) -> str:
    return (_('the service %s') % service if service
            else _('the cloud service'))
