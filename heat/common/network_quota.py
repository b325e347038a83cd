"""Refusals of Neutron that are due to requests in progress.

Neutron reserves part of the quota for each request that it processes, until it
answers. A resource that is already stored counts twice during that time. If
several resources are created at once, Neutron may refuse the last ones of a
project with just enough quota. The details of the quota show the difference,
because they list what is used and what is reserved separately (Networking API
v2.0, "Quotas details extension").
"""
from collections.abc import Callable
import http
import json
import logging
import re
from typing import Any

LOG = logging.getLogger(__name__)

#: Seconds to wait before each repetition of a request.
PAUSES = (0.5, 1, 2, 3, 4, 5, 5, 5, 5)

#: What Neutron calls such a refusal.
_OVER_QUOTA = 'OverQuota'
_NAME = re.compile(r"'([a-z0-9_]{1,100})'")
_PROJECT = re.compile(r'[\w-]{1,255}', re.ASCII)
_BASE = re.compile(r'https?://[^?#]*?/v2\.0/')


def is_momentary(answer: Any, project: Callable[[], str | None],
                 ask: Callable[[str], Any]) -> bool:
    """Return whether a refused request fits the quota, and may be repeated.

    :param answer: the response to a request that creates something
    :param project: returns the ID of the project that the token is for
    :param ask: sends a GET request to a URL; returns the response, or None
        if there is none
    """
    if answer is None or answer.status_code != http.HTTPStatus.CONFLICT:
        return False
    exhausted = _exhausted(answer)
    base = _BASE.match(answer.request.url or '')
    if not exhausted or base is None:
        return False
    number, owner = _wanted(answer.request.body)
    owner = owner or project()
    if owner is None or not _PROJECT.fullmatch(str(owner)):
        return False
    details = ask(f'{base.group()}quotas/{owner}/details.json')
    if details is None or details.status_code != http.HTTPStatus.OK or (
            not _fits(details, exhausted, number)):
        return False
    LOG.info('Neutron counts requests in progress against the quota of %s of '
             'project %s; repeating the request', ', '.join(exhausted), owner)
    return True


def _exhausted(answer: Any) -> list[str]:
    """Return the names of the resources that a refusal is about."""
    try:
        error = answer.json()['NeutronError']
        return _NAME.findall(
            error['message'] if error['type'] == _OVER_QUOTA else '')
    except (KeyError, TypeError, ValueError):
        return []


def _wanted(body: Any) -> tuple[int, str | None]:
    """Return how many resources a request creates, and for which project."""
    try:
        [wanted] = json.loads(body).values()
        if isinstance(wanted, list):
            # Bulk creation.
            return len(wanted), None
        return 1, wanted.get('project_id') or wanted.get('tenant_id')
    except (AttributeError, TypeError, ValueError):
        return 1, None


def _fits(details: Any, names: list[str], number: int) -> bool:
    """Return whether a quota has room for so many more of each resource."""
    try:
        quotas = details.json()['quota']
        return all(quotas[name]['used'] + number <= quotas[name]['limit']
                   for name in names)
    except (KeyError, TypeError, ValueError):
        return False
