"""A cloud that custom constraints ask whether it knows a name."""
from heat.common import exception


class Plugin:
    """Stands for a client plugin.

    :ivar asked: the names that were asked for
    """

    def __init__(self, known):
        self.known = known
        self.asked = []

    def get_thing(self, name):
        self.asked.append(name)
        if name == 'broken':
            raise ConnectionError('no answer')
        if name not in self.known:
            raise exception.EntityNotFound(entity='Thing', name=name)


class Context:
    """Stands for the context of a request, and for its clients."""

    project_id = 'p1'

    def __init__(self, *known):
        self.plugin = Plugin(known)
        self.clients = self

    def client_plugin(self, name):
        assert name == 'cloud'
        return self.plugin
