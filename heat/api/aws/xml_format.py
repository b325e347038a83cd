"""Answers of the CloudFormation API as text: XML, or JSON on demand."""
from collections.abc import Mapping
import re
from typing import Any
from xml.etree import ElementTree

from oslo_serialization import jsonutils
import webob

#: What stands in an element as JSON, whatever it is made of.
JSON_ELEMENTS = frozenset(('TemplateBody', 'Metadata', 'ResourceProperties'))
#: Elements that clients read as text. Lists and maps are written as JSON.
TEXT_ELEMENTS = frozenset(('OutputValue', 'DefaultValue'))
LIST_ITEM = 'member'
#: Where it is noted, in the environment of a request, that its query wants
#: JSON.
JSON_WANTED = 'heat.json_wanted'

# What XML 1.0 cannot hold, not even as a reference.
_ILLEGAL = re.compile('[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]')
_NO_NAME = re.compile(r'[^\w.-]')


def wants_json(request: webob.Request) -> bool:
    """Return whether a query asks for JSON, in the URL or in a form read.

    A form that is too long, or none at all, is not looked into for it.
    """
    return (request.environ.get(JSON_WANTED, False) or
            'ContentType=JSON' in request.query_string.split('&'))


def response(request: webob.Request, body: Any, status: Any = 200) -> Any:
    """Return the response that carries a mapping of one element."""
    answer = webob.Response(status=status)
    if wants_json(request):
        answer.content_type = 'application/json'
        answer.body = jsonutils.dump_as_bytes(body)
    else:
        answer.content_type = 'application/xml'
        answer.charset = 'utf-8'
        answer.body = to_xml(body)
    return answer


def to_xml(body: Mapping[str, Any]) -> bytes:
    """Return the XML text of a mapping of one element, as bytes.

    Items of lists become elements called member.
    """
    (name, content), = body.items()
    root = ElementTree.Element(name)
    _fill(root, content)
    return ElementTree.tostring(root, encoding='utf-8')


def _fill(element: Any, value: Any) -> None:
    if element.tag in JSON_ELEMENTS:
        element.text = _text(value if isinstance(value, str)
                             else jsonutils.dumps(value))
    elif element.tag in TEXT_ELEMENTS and isinstance(
            value, dict | list | tuple):
        element.text = _text(jsonutils.dumps(value))
    elif isinstance(value, dict):
        for name, below in value.items():
            _fill(ElementTree.SubElement(element, _element_name(name)), below)
    elif isinstance(value, list | tuple):
        for below in value:
            _fill(ElementTree.SubElement(element, LIST_ITEM), below)
    elif isinstance(value, bool):
        element.text = str(value).lower()
    elif value is not None:
        element.text = _text(str(value))


def _element_name(name: str) -> str:
    """Return a key as an element may be called: AWS::X as AWS..X."""
    name = _NO_NAME.sub('_', str(name).replace(':', '.'))
    return name if name[:1].isalpha() or name[:1] == '_' else '_' + name


def _text(value: str) -> str:
    return _ILLEGAL.sub('\N{REPLACEMENT CHARACTER}', value)
