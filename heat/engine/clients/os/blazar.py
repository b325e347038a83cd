"""The client of the reservation service, as plugins of resources see it."""
from heat.engine.clients import sdk_noun
from heat.engine.clients import sdk_plugin

CLIENT_NAME = 'blazar'
#: What arguments are called in requests, where that differs.
_LEASE_KEYS = {'start': 'start_date', 'end': 'end_date',
               'before_end': 'before_end_date'}
_NOUNS = {
    'host': sdk_noun.Noun('/os-hosts', 'host', 'hosts', bare=True),
    'lease': sdk_noun.Noun('/leases', 'lease', 'leases', bare=True)}


class BlazarClientPlugin(sdk_plugin.ListingPlugin):
    """Makes and finds leases and hosts of Blazar, which are dicts."""

    client_name = CLIENT_NAME
    proxy = 'reservation'
    service_types = [RESERVATION] = ['reservation']

    def _connect(self, version=None):
        return sdk_noun.extended(self._adapter(), _NOUNS)

    def _adapter(self):
        proxy = super()._adapter()
        # The catalog names the version, which discovery would exchange for
        # the second one: with that, Blazar cannot use its own trusts.
        proxy.endpoint_override = (proxy.endpoint_override or
                                   proxy.get_endpoint(skip_discovery=True))
        return proxy

    def has_host(self):
        """Return whether there is any host to reserve."""
        return bool(self.listed('os-hosts', key='hosts'))

    def create_lease(self, **args):
        """Make a lease and return it."""
        body = {_LEASE_KEYS.get(name, name): value
                for name, value in args.items()}
        return _inside('lease', self.answer(
            self.sdk().post('leases', json=body)))

    def get_lease(self, id):
        """Return a lease; EntityNotFound without it."""
        return _inside('lease', self.shown('leases', id))

    def create_host(self, **args):
        """Make a host one that can be reserved, and return it."""
        return _inside('host', self.answer(
            self.sdk().post('os-hosts', json=args)))

    def get_host(self, id):
        """Return a host; EntityNotFound without it."""
        return _inside('host', self.shown('os-hosts', id))


def _inside(key, body):
    """Return a thing, which the first version of the API has at a key."""
    return body.get(key, body)


class ReservationConstraint(sdk_plugin.SDKConstraint):
    """A lease, by id."""

    resource_client_name = CLIENT_NAME
    resource_getter_name = 'get_lease'


#: By the names that templates and schemas use.
CONSTRAINTS = {'blazar.reservation': ReservationConstraint}
