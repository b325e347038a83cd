"""A cloud, a Keystone and a wire between engines, all of which can fail."""
import functools
import itertools

from heat.common import context as heat_context
from heat.common import exception
from tests.fakes import things


class Cloud(things.FakeCloud):
    """A cloud whose requests fail when it is due."""

    def __init__(self, injector):
        super().__init__()
        self._injector = injector

    def show(self, thing_id):
        """Return a copy of a thing, None if there is none."""
        thing = self.things.get(thing_id)
        return None if thing is None else dict(thing)


def _failing(request):
    @functools.wraps(request)
    def fails(self, *args, **kwargs):
        with self._injector.call('cloud'):
            return request(self, *args, **kwargs)
    return fails


for _name in ('create', 'find', 'step', 'update', 'delete', 'lend',
              'take_back', 'note'):
    setattr(Cloud, _name, _failing(getattr(things.FakeCloud, _name)))
Cloud.show = _failing(Cloud.show)


class Keystone:
    """Gives trusts and takes them back."""

    def __init__(self, injector):
        #: Those that somebody knows of, and can take back.
        self.trusts = set()
        self._injector = injector
        self._numbers = itertools.count(1)
        self._context = None

    def of(self, context):
        """Return the client of a context."""
        self._context = context
        return self

    def create_trust_context(self):
        """Return a context that acts by a new trust."""
        with self._injector.call('cloud'):
            pass
        made = heat_context.RequestContext.from_dict(
            self._context.to_dict())
        made.trust_id = 'trust-%d' % next(self._numbers)
        made.trustor_user_id = self._context.user_id
        self.trusts.add(made.trust_id)
        return made

    def delete_trust(self, trust_id):
        """Take a trust back; one that is gone is no error."""
        with self._injector.call('cloud'):
            self.trusts.discard(trust_id)


class Wire:
    """Stands for an RPC client of oslo.messaging.

    :param send: called with server, fanout, context, method, arguments
    """

    def __init__(self, injector, send, server=None, fanout=False):
        self._injector = injector
        self._send = send
        self._server, self._fanout = server, fanout

    def prepare(self, *, server=None, fanout=False, **_options):
        """Return what sends to a server, to all of them, or to any."""
        return Wire(self._injector, self._send, server, fanout)

    def call(self, ctxt, method, **arguments):
        """Send a message, and return the answer if there is to be one."""
        with self._injector.call('send'):
            return self._send(self._server, self._fanout, ctxt, method,
                              arguments)

    cast = call


class SignalledThing(things.Thing):
    """A thing that keeps what it is told."""

    def handle_signal(self, details=None):
        """Keep the signal, in the database and in the cloud."""
        things.cloud.note('signal', self.name)
        self.data_set('signal', str(details))
        return 'thanks'


class ShownThing(things.Thing):
    """A thing that can be looked at, and so be imported."""

    def get_live_resource_data(self):
        """Return what the cloud has, or raise EntityNotFound."""
        found = things.cloud.show(self.resource_id)
        if found is None:
            raise exception.EntityNotFound(entity='Thing', name=self.name)
        return found

    def needs_replace_failed(self):
        """Keep what is there."""
        return things.cloud.show(self.resource_id) is None


TYPES = {'Test::SignalledThing': SignalledThing,
         'Test::ShownThing': ShownThing}
