"""Messages to listeners on the notification bus."""
import socket

from oslo_config import cfg
from oslo_log import log as logging

from heat.common import messaging

LOG = logging.getLogger(__name__)

SERVICE = 'orchestration'


def publisher_id():
    """Return the name under which this host publishes."""
    return cfg.CONF.default_publisher_id or '%s.%s' % (
        SERVICE, socket.gethostname())


def default_level():
    """Return the level of notifications that tell of no error."""
    return cfg.CONF.default_notification_level


def is_sent():
    """Return whether a driver is configured that sends notifications."""
    if messaging.TRANSPORTS.notifier is None:
        return False
    drivers = cfg.CONF.oslo_messaging_notifications.driver
    return any(driver != 'noop' for driver in drivers)


def notify(context, event_type, level, body):
    """Send one notification of type orchestration.<event_type>.

    Nobody waits for it: a bus that is away, or a process without one, does
    not keep a stack from going on. Nor does a body that cannot be made.

    :param body: called without arguments to make it, if there is a bus
    """
    if messaging.TRANSPORTS.notifier is None:
        return
    notifier = messaging.get_notifier(publisher_id=publisher_id())
    method = getattr(notifier, level.lower())
    try:
        method(context, '%s.%s' % (SERVICE, event_type), body())
    except Exception as error:  # noqa: BLE001 (drivers raise anything)
        LOG.warning('Notification %s could not be sent: %s', event_type,
                    error)
