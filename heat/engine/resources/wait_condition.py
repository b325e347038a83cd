"""Common base of wait conditions and their handles."""
from oslo_serialization import jsonutils

from heat.common import exception
from heat.common import timeutils
from heat.common.i18n import _
from heat.engine import resource
from heat.engine.resources import signal_responder

#: Seconds between two looks for signals that somebody announces.
_SLOW_LOOK = 30
#: The maximum length, as JSON, of all signals of a handle. Each signal reads
#: and writes all of them.
_MOST_STORED = 8 * 1024 * 1024


class BaseWaitConditionHandle(signal_responder.SignalResponder):
    """A base of resources that count the signals of a wait condition.

    The signals are kept in the metadata of the resource, by their ids; the
    wait condition looks at them there.
    """

    properties_schema: dict = {}
    signals_are_waited_for = True

    # What a signal consists of, named by the classes.
    METADATA_KEYS: tuple[str, ...]
    DATA: str
    REASON: str
    STATUS: str
    UNIQUE_ID: str

    WAIT_STATUSES = (
        STATUS_FAILURE,
        STATUS_SUCCESS,
    ) = (
        'FAILURE',
        'SUCCESS',
    )

    def handle_create(self):
        """Make the user who may signal."""
        super().handle_create()
        self.resource_id_set(self._get_user_id())

    def _get_ec2_signed_url(self, signal_type=signal_responder.WAITCONDITION,
                            never_expire=False):
        return super()._get_ec2_signed_url(signal_type, never_expire)

    def _status_ok(self, wait_status):
        return wait_status in self.WAIT_STATUSES

    def _metadata_format_ok(self, metadata):
        """Return whether a signal has all it needs, and nothing else."""
        return (sorted(metadata) == sorted(self.METADATA_KEYS)
                and self._status_ok(metadata[self.STATUS]))

    def normalise_signal_data(self, signal_data, latest_metadata):
        """Return the data of a signal in full; they are to be mappings."""
        return signal_data

    def handle_signal(self, details=None):
        """Count a signal; one of the same id as before takes its place."""
        seen: list[dict] = []

        def merge(new, latest):
            # Signals may come at once: each is added to what is there.
            signal = self.normalise_signal_data(new, latest)
            if (not isinstance(signal, dict) or
                    not self._metadata_format_ok(signal) or
                    isinstance(signal[self.UNIQUE_ID], dict | list)):
                raise ValueError(_('Metadata failed validation for %s')
                                 % self.name)
            unique_id = signal[self.UNIQUE_ID]
            seen[:] = [signal]
            return self._bounded({**latest, unique_id: {
                key: value for key, value in signal.items()
                if key != self.UNIQUE_ID}})

        self.metadata_set(details, merge_metadata=merge)
        [signal] = seen
        return 'status:%s reason:%s' % (signal[self.STATUS],
                                        signal[self.REASON])

    def _bounded(self, signals):
        """Return the signals; raise ValueError if they are too long."""
        if len(jsonutils.dumps(signals)) > _MOST_STORED:
            raise ValueError(_(
                'The signals of %(name)s would have more than %(limit)d '
                'characters together') % {
                    'name': self.name, 'limit': _MOST_STORED})
        return signals

    def signals(self):
        """Return the signals by their ids."""
        return self.metadata_get(refresh=True) or {}

    def get_status(self):
        """Return the statuses of all signals."""
        return [each[self.STATUS] for each in self.signals().values()]

    def get_status_reason(self, status):
        """Return the reasons of all signals of a status."""
        return [each[self.REASON] for each in self.signals().values()
                if each[self.STATUS] == status]


class WaitConditionFailure(exception.Error):
    """A signal said that what was waited for has failed."""

    def __init__(self, wait_condition, handle):
        reasons = handle.get_status_reason(handle.STATUS_FAILURE)
        super().__init__(';'.join(str(reason) for reason in reasons))


class WaitConditionTimeout(exception.Error):
    """Too few signals have come in time."""

    def __init__(self, wait_condition, handle):
        reasons = handle.get_status_reason(handle.STATUS_SUCCESS)
        values = {
            'received': len(reasons),
            'expected': wait_condition.properties[wait_condition.COUNT],
        }
        message = _('%(received)d of %(expected)d received') % values
        if reasons:
            message += ' - ' + ';'.join(str(reason) for reason in reasons)
        super().__init__(message)


class WaitForSignals(resource.Resource):
    """Base class of the wait conditions of both kinds of template.

    Their classes name the properties HANDLE, TIMEOUT and COUNT, and the
    attribute DATA.
    """

    HANDLE: str
    TIMEOUT: str
    COUNT: str
    DATA: str

    _waited_for: BaseWaitConditionHandle | None = None
    #: Until when to wait, if somebody else has begun to.
    _deadline: float | None = None

    def handle_create(self):
        """Begin to wait; return until when."""
        self._waited_for = self._handle()
        self.resource_id_set(self.physical_resource_name())
        return self._until(timeutils.epoch())

    def find_created(self):
        """Return the id of an interrupted wait, or None.

        It goes on, with its time anew: deleting it would forget the signals
        that have come, and nobody sends them twice.
        """
        if self.resource_id is not None:
            self._deadline = self._until(timeutils.epoch())
        return self.resource_id

    def check_create_complete(self, until):
        """Return whether all signals have come."""
        return self._look(self._deadline or until)

    def handle_update(self, json_snippet, tmpl_diff, prop_diff):
        """Begin to wait again, for the new number of signals."""
        self.properties = json_snippet.properties(self.properties_schema,
                                                  self.context)
        self._waited_for = self._handle()
        # Another engine may have begun the update.
        return self._until(timeutils.epoch(self.updated_time))

    def check_update_complete(self, until):
        """Return whether all signals have come."""
        return self._look(until)

    def wake_key(self):
        """Return the key under which signals are announced."""
        handle = self._waited_for
        if handle is None or handle.signals_are_fetched():
            return None
        return ('signal', handle.id)

    def wake_within(self, until):
        """Return in how many seconds to look, should no signal come."""
        remaining = (self._deadline or until) - timeutils.epoch()
        return max(min(remaining, _SLOW_LOOK), 0.1)

    def handle_delete(self):
        """Forget the signals, so that another condition waits anew."""
        handle = self.stack.resource_by_refid(self.properties[self.HANDLE])
        if isinstance(handle, BaseWaitConditionHandle) and (
                handle.id is not None):
            handle.metadata_set({})

    def _handle(self):
        """Return the handle, which is a resource of the same stack."""
        found = self.stack.resource_by_refid(self.properties[self.HANDLE])
        if not isinstance(found, BaseWaitConditionHandle):
            raise ValueError(_('%(name)s is not a valid wait condition '
                               'handle: it must be a resource of the same '
                               'stack') % {
                'name': found.name if found is not None else
                self.properties[self.HANDLE]})
        return found

    def _until(self, began):
        return began + float(self.properties[self.TIMEOUT])

    def _look(self, until):
        if self._waited_for is None:
            # Somebody else has begun to wait.
            self._waited_for = self._handle()
        handle = self._waited_for
        # What came in time counts, even if we did not look in time.
        statuses = handle.get_status()
        if any(each != handle.STATUS_SUCCESS for each in statuses):
            raise WaitConditionFailure(self, handle)
        if len(statuses) >= self.properties[self.COUNT]:
            return True
        if timeutils.epoch() >= until:
            raise WaitConditionTimeout(self, handle)
        return False

    def _resolve_attribute(self, name):
        # What the handle is called is known from when we were made, even
        # where nobody has looked at the handle since.
        with self.frozen_properties() as props:
            handle = self.stack.resource_by_refid(props[self.HANDLE])
        if name != self.DATA or not isinstance(handle,
                                               BaseWaitConditionHandle):
            return None
        return jsonutils.dumps({
            unique_id: signal[handle.DATA] for unique_id, signal in
            handle.signals().items()})
