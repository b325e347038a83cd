"""Making keystoneauth plugins out of their serialised description."""
import json
from typing import Any

from keystoneauth1 import loading as ks_loading
from oslo_log import log as logging

from heat.common import exception
from heat.common.i18n import _

LOG = logging.getLogger(__name__)


def parse_auth_credential_to_dict(cred):
    """Return the dict that the JSON text of a credential describes."""
    try:
        value = json.loads(cred)
    except (TypeError, ValueError) as exc:
        raise ValueError(
            _('The credential is not the JSON text of an object: %s')
            % exc) from exc
    if not isinstance(value, dict):
        raise ValueError(_('The credential is not a JSON object.'))
    return value


def validate_auth_plugin(auth_plugin, keystone_session):
    """Raise AuthorizationFailure unless the plugin gets a token."""
    try:
        auth_plugin.get_token(keystone_session)
    except Exception as exc:
        LOG.debug('Authentication plugin refused: %s', exc)
        raise exception.AuthorizationFailure(
            failure_reason=_('The credential given is not accepted.')
        ) from exc


def get_keystone_plugin_loader(auth, keystone_session):
    """Return a working plugin from {auth_type: ..., auth: {...}}."""
    missing = [key for key in ('auth_type', 'auth') if not auth.get(key)]
    if missing:
        raise ValueError(_('The credential lacks %s.') % ', '.join(missing))
    loader: Any = ks_loading.get_plugin_loader(auth['auth_type'])
    plugin = loader.load_from_options(**auth['auth'])
    validate_auth_plugin(plugin, keystone_session)
    return plugin
