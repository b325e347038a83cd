"""Identifiers of stacks, resources and events.

An identifier is a mapping, so that dict(identifier) travels over RPC and
HeatIdentifier(**d) restores it.
"""
import collections.abc
import re
from urllib import parse

from oslo_utils import encodeutils

from heat.common.i18n import _

_ARN_PREFIX = 'arn:openstack:heat::'
_ARN_PATH = re.compile(r'stacks/([^/]+)/([^/]+)(.*)', re.DOTALL)
#: What a text starts with that holds an ARN, in patterns of routes.
ARN_PATTERN = '[aA][rR][nN]:'
_ARN_IN_URL = re.compile(r'/arn%3Aopenstack%3Aheat%3A%3A', re.IGNORECASE)


def is_arn(text):
    """Return whether a text is written as an ARN; "arn" in any case."""
    return text[:4].lower() == 'arn:'


class HeatIdentifier(collections.abc.Mapping):
    """Which stack of which project; path leads to something inside it."""

    FIELDS = (
        TENANT, STACK_NAME, STACK_ID, PATH
    ) = (
        'tenant', 'stack_name', 'stack_id', 'path'
    )

    def __init__(self, tenant, stack_name, stack_id, path=''):
        if path and not path.startswith('/'):
            path = '/' + path
        if '/' in stack_name:
            raise ValueError(_('The stack name may not contain "/".'))
        self.identity = {self.TENANT: tenant, self.STACK_NAME: stack_name,
                         self.STACK_ID: str(stack_id), self.PATH: path}

    @classmethod
    def from_arn(cls, arn):
        """Return the identifier that a text made by arn() stands for."""
        fields = arn.split(':')
        if len(fields) < 6 or not is_arn(arn) or (
                fields[1:4] != ['openstack', 'heat', '']):
            raise ValueError(_('"%s" is not a valid ARN.') % arn)
        match = _ARN_PATH.match(':'.join(fields[5:]))
        if match is None:
            raise ValueError(_('"%s" is not a valid ARN path.') % arn)
        return cls(parse.unquote(fields[4]),
                   *(parse.unquote(part) for part in match.groups()))

    @classmethod
    def from_arn_url(cls, url):
        """Return the identifier in a URL that ends in arn_url_path()."""
        parts = parse.urlparse(url)
        if parts.scheme not in ('http', 'https'):
            raise ValueError(_('"%s" is not a valid URL.') % url)
        match = _ARN_IN_URL.search(parts.path)
        if match is None:
            raise ValueError(_('"%s" contains no ARN.') % url)
        return cls.from_arn(parse.unquote(parts.path[match.start() + 1:]))

    def arn(self):
        """Return the ARN: arn:openstack:heat::<project>:stacks/<...>."""
        return '%s%s:%s' % (_ARN_PREFIX, _quote(self.tenant),
                            self._tenant_path())

    def arn_url_path(self):
        """Return the ARN quoted for a URL path; its slashes stay.

        Proxies and web servers may refuse quoted ones.
        """
        return '/' + parse.quote(self.arn())

    def url_path(self):
        """Return the quoted URL path, beginning with the project."""
        return '/'.join((_quote(self.tenant), self._tenant_path()))

    def _tenant_path(self):
        return 'stacks/%s%s' % (
            '/'.join((_quote(self.stack_name), _quote(self.stack_id))),
            parse.quote(encodeutils.to_utf8(self.path)))

    def stack_path(self):
        """Return <stack name>/<stack id>, not quoted."""
        return '%s/%s' % (self.stack_name, self.stack_id)

    def _path_components(self):
        return self.path.lstrip('/').split('/')

    def __getattr__(self, attr):
        # Copying and unpickling ask for names before identity exists.
        if attr in type(self).FIELDS:
            return self.__dict__['identity'][attr]
        raise AttributeError(
            _('Unknown attribute "%s" of an identifier.') % attr)

    def __getitem__(self, key):
        return self.identity[key]

    def __len__(self):
        return len(self.FIELDS)

    def __contains__(self, key):
        return key in self.FIELDS

    def __iter__(self):
        return iter(self.FIELDS)

    def __hash__(self):
        return hash(tuple(self.identity.values()))

    def __repr__(self):
        return repr(dict(self))


class ResourceIdentifier(HeatIdentifier):
    """Which resource of a stack."""

    RESOURCE_NAME = 'resource_name'

    def __init__(self, tenant, stack_name, stack_id, path,
                 resource_name=None):
        if resource_name is not None:
            if '/' in resource_name:
                raise ValueError(
                    _('The resource name may not contain "/".'))
            path = '/'.join((path.rstrip('/'), 'resources', resource_name))
        super().__init__(tenant, stack_name, stack_id, path)

    def __getattr__(self, attr):
        if attr == self.RESOURCE_NAME:
            return self._path_components()[-1]
        return super().__getattr__(attr)

    def stack(self):
        """Return the identifier of the stack the resource is in."""
        path = '/' + '/'.join(self._path_components()[:-2])
        return HeatIdentifier(self.tenant, self.stack_name, self.stack_id,
                              '' if path == '/' else path)


class EventIdentifier(HeatIdentifier):
    """Which event of a resource."""

    (RESOURCE_NAME, EVENT_ID) = (ResourceIdentifier.RESOURCE_NAME, 'event_id')

    def __init__(self, tenant, stack_name, stack_id, path, event_id=None):
        if event_id is not None:
            path = '/'.join((path.rstrip('/'), 'events', str(event_id)))
        super().__init__(tenant, stack_name, stack_id, path)

    def __getattr__(self, attr):
        if attr == self.RESOURCE_NAME:
            return getattr(self.resource(), attr)
        if attr == self.EVENT_ID:
            return self._path_components()[-1]
        return super().__getattr__(attr)

    def resource(self):
        """Return the identifier of the resource the event is about."""
        path = '/' + '/'.join(self._path_components()[:-2])
        return ResourceIdentifier(self.tenant, self.stack_name,
                                  self.stack_id, path)

    def stack(self):
        """Return the identifier of the stack the event is about."""
        return self.resource().stack()


def _quote(text):
    return parse.quote(encodeutils.to_utf8(text), '')
