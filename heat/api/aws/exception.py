"""The errors of the CloudFormation API, and how they are written."""
from xml.etree import ElementTree

from oslo_serialization import jsonutils
import webob
import webob.exc

from heat.common.i18n import _

SENDER = 'Sender'
SERVER = 'Server'


class HeatAPIException(webob.exc.HTTPError):
    """An error in the form an AWS client expects."""

    code = 500
    title = 'InternalFailure'
    explanation = _('The service failed.')
    err_type = SERVER

    def body_of(self):
        """Return the error as a mapping."""
        return {'ErrorResponse': {'Error': {
            'Code': self.title,
            'Message': str(self.detail or self.explanation),
            'Type': self.err_type,
        }}}

    def generate_response(self, environ, start_response):
        """Write the error as XML, or as JSON when the query asks for it."""
        query = webob.Request(environ).query_string
        as_json = 'ContentType=JSON' in query.split('&')
        response = webob.Response(status=self.code)
        response.content_type = (
            'application/json' if as_json else 'application/xml')
        body = self.body_of()
        response.body = (jsonutils.dump_as_bytes(body) if as_json
                         else _to_xml(body))
        return response(environ, start_response)


def _to_xml(body):
    def fill(parent, mapping):
        for name, value in mapping.items():
            child = ElementTree.SubElement(parent, name)
            if isinstance(value, dict):
                fill(child, value)
            else:
                child.text = value

    (name, content), = body.items()
    root = ElementTree.Element(name)
    fill(root, content)
    return ElementTree.tostring(root, encoding='utf-8')


class HeatMissingActionError(HeatAPIException):
    """The query names no action."""

    code = 400
    title = 'MissingAction'
    explanation = _('The query has no parameter Action.')
    err_type = SENDER


class HeatInvalidActionError(HeatAPIException):
    """The query names an action that does not exist."""

    code = 400
    title = 'InvalidAction'
    explanation = _('The action does not exist.')
    err_type = SENDER


class HeatInvalidParameterValueError(HeatAPIException):
    """A parameter has a value it cannot have."""

    code = 400
    title = 'InvalidParameterValue'
    explanation = _('A parameter has a wrong value.')
    err_type = SENDER


class HeatAPINotImplementedError(HeatAPIException):
    """The action exists in the protocol, but not here."""

    code = 500
    title = 'APINotImplemented'
    explanation = _('The action is not available in this service.')
    err_type = SERVER


class HeatIncompleteSignatureError(HeatAPIException):
    """The request has no signature that could be checked."""

    code = 400
    title = 'IncompleteSignature'
    explanation = _('The request has no complete signature.')
    err_type = SENDER
