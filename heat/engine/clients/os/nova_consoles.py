"""The consoles of a server, whose URLs are asked for when they are read."""
from heat.common import cloud_error
from heat.engine.clients import sdk

#: Kinds of consoles, as the API of consoles has them: (type, protocol).
_CONSOLES = {
    'novnc': 'vnc', 'xvpvnc': 'vnc', 'spice-html5': 'spice',
    'rdp-html5': 'rdp', 'serial': 'serial', 'webmks': 'mks'}
#: Statuses that mean that a server has no such console: it is not known, the
#: server is not in a state for it, or the hypervisor has none.
_NO_CONSOLE = (400, 409, 501)


class Consoles(dict):
    """The URLs of the consoles of a server, asked for one by one.

    Copying it, or converting it to JSON, asks for all of them.
    """

    def __init__(self, plugin, server):
        # The encoder of JSON looks at the stored keys.
        super().__init__(dict.fromkeys(_CONSOLES))
        self._plugin, self._server = plugin, server

    def __getitem__(self, console_type):
        if console_type not in _CONSOLES:
            raise sdk.exceptions.InvalidRequest(
                'Unknown type of console: %s' % console_type)
        if super().__getitem__(console_type) is None:
            self[console_type] = self._asked(console_type)
        return super().__getitem__(console_type)

    def _asked(self, console_type):
        """Return the URL of a console, or why there is none."""
        try:
            return self._plugin.sdk().create_server_remote_console(
                self._server.id, protocol=_CONSOLES[console_type],
                type=console_type).url
        except Exception as error:
            if cloud_error.status_of(error) not in _NO_CONSOLE:
                raise
            return cloud_error.text_of(error) or str(error)

    def get(self, key, default=None):
        """Return the URL of a console, which is asked for if need be."""
        return self[key] if key in _CONSOLES else default

    def __iter__(self):
        # Copies would be made of what lies here, were it not for this.
        return iter(_CONSOLES)

    def items(self):
        """Return (kind, URL) of all consoles."""
        return [(kind, self[kind]) for kind in _CONSOLES]

    def values(self):
        """Return the URLs of all consoles."""
        return [self[kind] for kind in _CONSOLES]

    def __reduce__(self):
        return dict, (self.items(),)
