"""A notifier that keeps what is sent."""


class Notifier:
    """Stands for a notifier of oslo.messaging.

    :ivar sent: (level, event type, payload) of each notification
    """

    def __init__(self):
        self.sent = []

    def prepare(self, publisher_id):
        self.publisher = publisher_id
        return self

    def info(self, context, event_type, payload):
        self.sent.append(('INFO', event_type, payload))

    def error(self, context, event_type, payload):
        self.sent.append(('ERROR', event_type, payload))
