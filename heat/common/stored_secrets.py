"""Storage of the secrets that a stack inherits from the stacks above.

The texts are always encrypted. Showing a nested stack does not need the
stacks above it.
"""
from collections.abc import Mapping
import logging
from typing import Any

from oslo_serialization import jsonutils

from heat.common import crypt
from heat.common import exception
from heat.common import secrecy

LOG = logging.getLogger(__name__)

#: Key of a stored environment.
KEY = 'inherited_secrets'


def stored(inherited: secrecy.Inherited) -> dict[str, Any]:
    """Return what is stored with the environment."""
    result: dict[str, Any] = {'names': sorted(inherited.names)}
    if inherited.texts:
        result['texts'] = list(crypt.encrypt(
            jsonutils.dumps(sorted(inherited.texts))))
    return {KEY: result}


def inherited_of(environment: Mapping[str, Any] | None
                 ) -> secrecy.Inherited | None:
    """Return what is stored with an environment; None if that is unknown."""
    found = (environment or {}).get(KEY)
    if not isinstance(found, dict):
        return None
    texts: list[str] = []
    if found.get('texts'):
        try:
            texts = jsonutils.loads(crypt.decrypt(*found['texts']) or '[]')
        except exception.InvalidEncryptionKey:
            LOG.warning('Secrets that a nested stack inherits are encrypted '
                        'under another key')
    return secrecy.Inherited(frozenset(found.get('names') or ()),
                             frozenset(texts))
