"""Which build of the service answers."""
from oslo_config import cfg


class BuildInfoController:
    """Shows the revisions of API and engine."""

    def __init__(self, rpc_client):
        self.rpc_client = rpc_client

    def build_info(self, req):
        """Show both revisions."""
        return {
            'api': {'revision': cfg.CONF.revision['heat_revision']},
            'engine': {'revision': self.rpc_client.get_revision(req.context)},
        }
