"""Serializers of REST responses."""
import datetime

from oslo_log import log as logging
from oslo_serialization import jsonutils

LOG = logging.getLogger(__name__)


def _plain(value):
    if isinstance(value, datetime.datetime):
        return value.isoformat()
    return str(value)


class JSONResponseSerializer:
    """Writes a result as the JSON body of a response."""

    def to_json(self, data):
        """Return the JSON text of data; unknown objects become text."""
        return jsonutils.dumps(data, default=_plain)

    def default(self, response, result):
        """Put the result into the response."""
        response.content_type = 'application/json'
        response.body = self.to_json(result).encode('utf-8')
