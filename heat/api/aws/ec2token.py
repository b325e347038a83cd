"""Filter: requests with the signature of an EC2 credential.

Signatures cannot be checked yet, so who sends one is refused.
"""
from oslo_log import log as logging

from heat.api.aws import exception
from heat.common import wsgi
from heat.common.i18n import _

LOG = logging.getLogger(__name__)


class EC2Token(wsgi.Middleware):
    """Lets nobody pass that has only a signature to show.

    A request with a token or a user name is checked by a filter below.
    """

    def process_request(self, request):
        """Refuse the request, unless others can authenticate it."""
        headers = request.headers
        if 'X-Auth-User' in headers or 'X-Auth-Token' in headers:
            return None
        return exception.HeatIncompleteSignatureError(
            _('The service cannot check signatures of EC2 credentials.'))


def EC2Token_filter_factory(global_conf, **local_conf):  # noqa: N802
    """Return the paste filter."""
    conf = {**global_conf, **local_conf}
    LOG.warning('The filter ec2authtoken refuses requests that are signed '
                'with EC2 credentials')

    def make(application):
        return EC2Token(application, conf)
    return make
