"""OS::Heat::WaitConditionHandle: where signals for a condition go."""
from oslo_serialization import jsonutils

from heat.common.i18n import _
from heat.engine import attributes
from heat.engine import constraints
from heat.engine import properties
from heat.engine import support
from heat.engine.resources import signal_responder
from heat.engine.resources import wait_condition
from heat.engine.resources.aws.cfn import (
    wait_condition_handle as aws_wait_condition_handle,
)


class HeatWaitConditionHandle(wait_condition.BaseWaitConditionHandle):
    """A handle that receives signals, for example from servers.

    Signals are sent by the transport that ``signal_transport``
    specifies. A signal is a map with the key ``status``, SUCCESS or
    FAILURE, and the optional keys ``reason``, ``data`` and ``id``. A
    second signal with the same ``id`` replaces the first. An empty
    signal counts as a success.
    """

    support_status = support.SupportStatus(version='2014.2')

    METADATA_KEYS = (
        DATA, REASON, STATUS, UNIQUE_ID,
    ) = (
        'data', 'reason', 'status', 'id',
    )

    ATTRIBUTES = (
        TOKEN,
        ENDPOINT,
        CURL_CLI,
        SIGNAL_ATTR,
    ) = (
        'token',
        'endpoint',
        'curl_cli',
        'signal',
    )

    SIGNAL_TRANSPORTS = (
        CFN_SIGNAL, TEMP_URL_SIGNAL, HEAT_SIGNAL, NO_SIGNAL, ZAQAR_SIGNAL,
        TOKEN_SIGNAL,
    ) = (
        'CFN_SIGNAL', 'TEMP_URL_SIGNAL', 'HEAT_SIGNAL', 'NO_SIGNAL',
        'ZAQAR_SIGNAL', 'TOKEN_SIGNAL',
    )

    PROPERTIES = (
        SIGNAL_TRANSPORT,
    ) = (
        'signal_transport',
    )

    properties_schema = {
        SIGNAL_TRANSPORT: properties.Schema(
            properties.Schema.STRING,
            _('Transport of the signals. CFN_SIGNAL: a signed URL of the '
              'CloudFormation API. TEMP_URL_SIGNAL: an object at a temporary '
              'URL. HEAT_SIGNAL: the Orchestration API, with user name and '
              'password. ZAQAR_SIGNAL: a queue. TOKEN_SIGNAL: the '
              'Orchestration API, with a token. NO_SIGNAL: none.'),
            default=TOKEN_SIGNAL,
            constraints=[constraints.AllowedValues(SIGNAL_TRANSPORTS)],
            support_status=support.SupportStatus(version='6.0.0')),
    }

    attributes_schema = {
        TOKEN: attributes.Schema(
            _('Token that is restricted to sending signals. Applies to '
              'TOKEN_SIGNAL.'),
            cache_mode=attributes.Schema.CACHE_NONE,
            type=attributes.Schema.STRING),
        ENDPOINT: attributes.Schema(
            _('URL that accepts signals. Applies to TOKEN_SIGNAL.'),
            cache_mode=attributes.Schema.CACHE_NONE,
            type=attributes.Schema.STRING),
        CURL_CLI: attributes.Schema(
            _('Start of a curl command that sends a signal. Append the data, '
              'for example --data-binary \'{"status": "SUCCESS"}\'. '
              'Applies to TOKEN_SIGNAL.'),
            cache_mode=attributes.Schema.CACHE_NONE,
            type=attributes.Schema.STRING),
        SIGNAL_ATTR: attributes.Schema(
            _('JSON document with the data needed to send a signal: the URL '
              'or queue and, where required, the credentials.'),
            cache_mode=attributes.Schema.CACHE_NONE,
            type=attributes.Schema.STRING),
    }

    def _signal_transport_token(self):
        return self._transport_is('TOKEN_SIGNAL')

    def handle_create(self):
        """Make what a sender of signals needs."""
        super().handle_create()
        if self._signal_transport_token():
            self.data_set('token', self._user_token(), redact=True)
            self.data_set('endpoint', self._get_heat_signal_url(
                project_id=self.stack.stack_user_project_id))

    def _resolve_attribute(self, name):
        if self.resource_id is None:
            return None
        if name == self.SIGNAL_ATTR:
            return jsonutils.dumps(self._get_signal(
                signal_type=signal_responder.WAITCONDITION,
                multiple_signals=True))
        token, endpoint = (self.data().get('token'),
                           self.data().get('endpoint'))
        if name == self.TOKEN:
            return token
        if name == self.ENDPOINT:
            return endpoint
        if name == self.CURL_CLI and token and endpoint:
            return ("curl -i -X POST -H 'X-Auth-Token: %s' "
                    "-H 'Content-Type: application/json' "
                    "-H 'Accept: application/json' %s") % (token, endpoint)
        return None

    def get_status(self):
        """Return the statuses of all signals, fetching them if needed."""
        self._service_signal()
        return super().get_status()

    def normalise_signal_data(self, signal_data, latest_metadata):
        """Return the data of a signal with what is left out filled in."""
        if signal_data is None:
            signal_data = {}
        if not isinstance(signal_data, dict):
            return signal_data
        number = len(latest_metadata) + 1
        while str(number) in latest_metadata:
            number += 1
        full = {
            self.REASON: _('Signal %s received') % number,
            self.DATA: None,
            self.UNIQUE_ID: number,
            self.STATUS: self.STATUS_SUCCESS,
            **signal_data,
        }
        # Keys of stored maps are texts.
        full[self.UNIQUE_ID] = str(full[self.UNIQUE_ID])
        return full


class UpdateWaitConditionHandle(
        aws_wait_condition_handle.WaitConditionHandle):
    """A handle that is replaced in every update of the stack.

    The wait conditions that refer to it are replaced with it, and wait
    for signals in updates as well.
    """

    support_status = support.SupportStatus(version='2014.1')

    def needs_replace(self, after_props):
        """Return that a replacement is needed whatever changes."""
        return True


def resource_mapping():
    """Return the types of this module."""
    return {
        'OS::Heat::WaitConditionHandle': HeatWaitConditionHandle,
        'OS::Heat::UpdateWaitConditionHandle': UpdateWaitConditionHandle,
    }
