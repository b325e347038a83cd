"""OS::Heat::SwiftSignal and its handle: signals that are Swift objects."""
import json
from urllib import parse

from heat.common import exception
from heat.common import json_text
from heat.common import timeutils
from heat.common.i18n import _
from heat.engine import attributes
from heat.engine import constraints
from heat.engine import properties
from heat.engine import resource
from heat.engine import support
from heat.engine.clients.os import swift


class SwiftSignalFailure(exception.Error):
    """A signal said that what was waited for has failed."""

    def __init__(self, wait_cond):
        reasons = wait_cond.get_status_reason(wait_cond.STATUS_FAILURE)
        super().__init__(';'.join(str(reason) for reason in reasons))


class SwiftSignalTimeout(exception.Error):
    """Too few signals have come in time."""

    def __init__(self, wait_cond):
        reasons = wait_cond.get_status_reason(wait_cond.STATUS_SUCCESS)
        message = _('%(received)d of %(expected)d received') % {
            'received': len(reasons),
            'expected': wait_cond.properties[wait_cond.COUNT]}
        if reasons:
            message += ' - ' + ';'.join(str(reason) for reason in reasons)
        super().__init__(message)


class SwiftSignalHandle(resource.Resource):
    """A signed URL of Swift that receives signals.

    A signal is a JSON map with the key ``status``, SUCCESS or FAILURE,
    and the optional keys ``reason``, ``data`` and ``id``. An empty
    signal counts as a success.
    """

    support_status = support.SupportStatus(version='2014.2')
    default_client_name = 'swift'

    properties_schema: dict = {}

    ATTRIBUTES = (
        TOKEN,
        ENDPOINT,
        CURL_CLI,
    ) = (
        'token',
        'endpoint',
        'curl_cli',
    )

    attributes_schema = {
        TOKEN: attributes.Schema(
            _('Always empty. The signed URL needs no token.'),
            cache_mode=attributes.Schema.CACHE_NONE,
            type=attributes.Schema.STRING),
        ENDPOINT: attributes.Schema(
            _('Signed URL to which signals are uploaded.'),
            cache_mode=attributes.Schema.CACHE_NONE,
            type=attributes.Schema.STRING),
        CURL_CLI: attributes.Schema(
            _('Start of a curl command that sends a signal. Append the data, '
              'for example with --data-binary.'),
            cache_mode=attributes.Schema.CACHE_NONE,
            type=attributes.Schema.STRING),
    }

    def handle_create(self):
        """Make the URL."""
        name = self.physical_resource_name()
        self.data_set(self.ENDPOINT, self.client_plugin().get_signal_url(
            self.stack.id, name), redact=True)
        self.resource_id_set(name)

    def handle_delete(self):
        """Delete the signals, and the container if nobody else uses it."""
        if self.resource_id is None:
            return
        self.client_plugin().delete_object_with_versions(self.stack.id,
                                                         self.resource_id)
        self.data_delete(self.ENDPOINT)

    def get_reference_id(self):
        """Return the URL."""
        return self.data().get(self.ENDPOINT)

    def _resolve_attribute(self, name):
        endpoint = self.data().get(self.ENDPOINT)
        if self.resource_id is None or endpoint is None:
            return None
        return {
            self.TOKEN: '',
            self.ENDPOINT: endpoint,
            self.CURL_CLI: "curl -i -X PUT '%s'" % endpoint,
        }.get(name)


class SwiftSignal(resource.Resource):
    """Waits until its handle has received the required number of signals.

    It completes when the required number of success signals has been
    uploaded to the URL of the handle. It fails with the first failure
    signal or when the timeout has elapsed.
    """

    support_status = support.SupportStatus(version='2014.2')
    default_client_name = 'swift'

    PROPERTIES = (
        HANDLE, TIMEOUT, COUNT,
    ) = (
        'handle', 'timeout', 'count',
    )

    ATTRIBUTES = (
        DATA,
    ) = (
        'data',
    )

    STATUS_SUCCESS, STATUS_FAILURE = 'SUCCESS', 'FAILURE'

    METADATA_KEYS = (
        _DATA, REASON, STATUS, UNIQUE_ID,
    ) = (
        'data', 'reason', 'status', 'id',
    )

    properties_schema = {
        HANDLE: properties.Schema(
            properties.Schema.STRING,
            _('URL to which signals are uploaded: a reference to the handle.'),
            required=True),
        TIMEOUT: properties.Schema(
            properties.Schema.NUMBER,
            _('Maximum time to wait for the signals in seconds.'),
            required=True,
            constraints=[constraints.Range(1, 43200)]),
        COUNT: properties.Schema(
            properties.Schema.INTEGER,
            _('Number of success signals to wait for.'),
            default=1,
            constraints=[constraints.Range(1, 1000)]),
    }

    attributes_schema = {
        DATA: attributes.Schema(
            _('JSON document with the data of all signals by signal ID.'),
            type=attributes.Schema.STRING),
    }

    @property
    def _place(self):
        """The (container, object) in the URL of the handle."""
        path = parse.urlsplit(self.properties[self.HANDLE]).path
        return path.split('/')[-2:]

    def handle_create(self):
        """Begin to wait."""
        url = parse.urlsplit(self.properties[self.HANDLE])
        if not self.client_plugin().is_valid_temp_url_path(url.path):
            raise ValueError(_('%(name)s is not a valid handle: its URL is '
                               'not a temporary URL of Swift') % {
                'name': self.name})
        container, _name = self._place
        if container != self.stack.id:
            raise ValueError(_('The handle of %s belongs to another stack')
                             % self.name)
        self.resource_id_set(self.physical_resource_name())
        return timeutils.epoch() + float(self.properties[self.TIMEOUT])

    def check_create_complete(self, until):
        """Return whether all signals have come."""
        statuses = [signal[self.STATUS] for signal in
                    self.get_signals().values()]
        if any(status != self.STATUS_SUCCESS for status in statuses):
            raise SwiftSignalFailure(self)
        if len(statuses) >= self.properties[self.COUNT]:
            return True
        if timeutils.epoch() >= until:
            raise SwiftSignalTimeout(self)
        return False

    def get_signals(self):
        """Return the signals by their ids, the later one of each."""
        bodies = [body for _when, _name, body in
                  self.client_plugin().read_versions(*self._place)
                  if body != swift.IN_PROGRESS]
        signals = {}
        for number, body in enumerate(bodies, 1):
            signal = self._normal(body, number)
            signals[str(signal[self.UNIQUE_ID])] = signal
        return signals

    def get_status_reason(self, status):
        """Return the reasons of all signals of a status."""
        return [signal[self.REASON] for signal in
                self.get_signals().values()
                if signal[self.STATUS] == status]

    def _normal(self, body, number):
        """Return a signal with what is left out filled in."""
        try:
            given = json_text.loads(body) if body else {}
        except ValueError as error:
            raise exception.Error(_('A signal to %s is not JSON')
                                  % self.name) from error
        if not isinstance(given, dict):
            raise exception.Error(_('A signal to %s is not a map') % self.name)
        signal = {
            self.STATUS: self.STATUS_SUCCESS,
            self.REASON: _('Signal %s received') % number,
            self._DATA: None,
            self.UNIQUE_ID: number,
            **given,
        }
        if signal[self.STATUS] not in (self.STATUS_SUCCESS,
                                       self.STATUS_FAILURE):
            raise exception.Error(_('The status of a signal to %s is '
                                    'neither SUCCESS nor FAILURE')
                                  % self.name)
        return signal

    def _resolve_attribute(self, name):
        if name != self.DATA or self.resource_id is None:
            return None
        with self.frozen_properties():
            return json.dumps({unique_id: signal[self._DATA] for
                               unique_id, signal in
                               self.get_signals().items()})


def resource_mapping():
    """Return the types of this module."""
    return {
        'OS::Heat::SwiftSignal': SwiftSignal,
        'OS::Heat::SwiftSignalHandle': SwiftSignalHandle,
    }
