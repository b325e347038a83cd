"""Subscriptions of Zaqar."""
from heat.common import exception
from heat.common.i18n import _
from heat.engine import constraints
from heat.engine import properties
from heat.engine import resource
from heat.engine import support


class ZaqarSubscription(resource.Resource):
    """A subscription of Zaqar.

    The messages of a queue are sent to a subscriber, for example the
    URL of a program or an e-mail address.
    """

    type_name = 'OS::Zaqar::Subscription'
    support_status = support.SupportStatus(version='8.0.0')
    default_client_name = 'zaqar'

    PROPERTIES: tuple[str, ...]
    PROPERTIES = (
        QUEUE_NAME, SUBSCRIBER, TTL, OPTIONS,
    ) = (
        'queue_name', 'subscriber', 'ttl', 'options',
    )

    #: What the URL of a subscriber can begin with.
    SCHEMES = ('http', 'https', 'mailto', 'trust+http', 'trust+https')

    properties_schema = {
        QUEUE_NAME: properties.string(
            _('Queue whose messages are sent to the subscriber.'),
            required=True,
            constraints=[constraints.CustomConstraint('zaqar.queue')]),
        SUBSCRIBER: properties.string(
            _('URI of the subscriber. Its scheme is http, https, mailto, '
              'trust+http or trust+https.'),
            required=True,
            update_allowed=True),
        TTL: properties.integer(
            _('Time to live of the subscription in seconds.'),
            default=220367260800,  # Seven thousand years: for ever.
            update_allowed=True,
            constraints=[constraints.Range(min=60)]),
        OPTIONS: properties.map(
            _('Options of the delivery, for example the sender and the '
              'subject of an e-mail message.'),
            update_allowed=True),
    }

    def validate(self):
        """Check that the service can send to the subscriber."""
        problem = super().validate()
        self._validate_subscriber()
        return problem

    def _validate_subscriber(self):
        subscriber = self.properties[self.SUBSCRIBER]
        if subscriber is None:
            # It is only known when something else has been made.
            return
        scheme, colon, rest = subscriber.partition(':')
        if not colon or scheme not in self.SCHEMES or (
                scheme != 'mailto' and not rest.startswith('//')):
            raise exception.StackValidationFailed(
                path=[self.stack.t.get_section_name('resources'), self.name,
                      self.stack.t.RES_PROPERTIES, self.SUBSCRIBER],
                message=_('"%(subscriber)s" is not a URL with one of the '
                          'schemes %(schemes)s') % {
                    'subscriber': subscriber,
                    'schemes': ', '.join(self.SCHEMES)})

    def _request(self, props):
        """Return what the service is told, given properties."""
        return {'subscriber': props[self.SUBSCRIBER],
                'ttl': props[self.TTL],
                'options': props[self.OPTIONS] or {}}

    @property
    def _queue(self):
        return self.properties[self.QUEUE_NAME]

    def handle_create(self):
        """Have messages be sent."""
        self.resource_id_set(self.sdk().create_subscription(
            self._queue, **self._request(self.properties)))

    def handle_update(self, json_snippet, tmpl_diff, prop_diff):
        """Change what is sent to whom."""
        if prop_diff:
            self.sdk().update_subscription(
                self._queue, self.resource_id, **self._request(
                    json_snippet.properties(self.properties_schema,
                                            self.context)))

    def handle_check(self):
        """Look whether messages are being sent."""
        self._show_resource()

    def handle_delete(self):
        """Have messages no longer be sent."""
        if self.resource_id is None:
            return
        with self.client_plugin().ignore_not_found:
            self.sdk().delete_subscription(self._queue, self.resource_id)

    def _show_resource(self):
        return self.sdk().get_subscription(self._queue, self.resource_id)

    def parse_live_resource_data(self, resource_properties, resource_data):
        """Return what the service says by the names of properties."""
        return {key: resource_data.get(key) for key in (
            self.SUBSCRIBER, self.TTL, self.OPTIONS)}
