"""Buckets of S3, which are containers of Swift here."""
from urllib import parse

from heat.common.i18n import _
from heat.engine import attributes
from heat.engine import constraints
from heat.engine import properties
from heat.engine import resource
from heat.engine import support
from heat.engine.resources import found_by_name


class S3Bucket(found_by_name.IdentifiedByName, resource.Resource):
    """An S3 bucket.

    It is implemented as a container of Swift.
    """

    type_name = 'AWS::S3::Bucket'
    support_status = support.SupportStatus()
    default_client_name = 'swift'
    name_property = None

    PROPERTIES = (
        ACCESS_CONTROL, WEBSITE_CONFIGURATION, TAGS,
    ) = (
        'AccessControl', 'WebsiteConfiguration', 'Tags',
    )

    _WEBSITE_CONFIGURATION_KEYS = (
        WEBSITE_CONFIGURATION_INDEX_DOCUMENT,
        WEBSITE_CONFIGURATION_ERROR_DOCUMENT,
    ) = (
        'IndexDocument', 'ErrorDocument',
    )

    _TAG_KEYS = (
        TAG_KEY, TAG_VALUE,
    ) = (
        'Key', 'Value',
    )

    ATTRIBUTES = (
        DOMAIN_NAME, WEBSITE_URL,
    ) = (
        'DomainName', 'WebsiteURL',
    )

    properties_schema = {
        ACCESS_CONTROL: properties.string(
            _('Access control of the bucket. PublicRead and PublicReadWrite '
              'grant read access to everyone, AuthenticatedRead to all users '
              'of the project. Any other value restricts access to the '
              'owner.'),
            constraints=[constraints.AllowedValues([
                'Private', 'PublicRead', 'PublicReadWrite',
                'AuthenticatedRead', 'BucketOwnerRead',
                'BucketOwnerFullControl'])]),
        WEBSITE_CONFIGURATION: properties.map(
            _('Configuration of the bucket as a static web site.'),
            schema={
                WEBSITE_CONFIGURATION_INDEX_DOCUMENT: properties.string(
                    _('Name of the index page.')),
                WEBSITE_CONFIGURATION_ERROR_DOCUMENT: properties.string(
                    _('Name of the error page.')),
            }),
        TAGS: properties.list(
            _('Tags of the bucket.'),
            schema=properties.map(_('One tag.'), schema={
                TAG_KEY: properties.string(
                    _('Name of the tag.'), required=True),
                TAG_VALUE: properties.string(
                    _('Value of the tag.'), required=True),
            })),
    }

    attributes_schema = {
        DOMAIN_NAME: attributes.Schema(
            _('Host name in the URL of the bucket.'),
            type=attributes.Schema.STRING),
        WEBSITE_URL: attributes.Schema(
            _('URL of the bucket as a web site.'),
            type=attributes.Schema.STRING),
    }

    def handle_create(self):
        """Make a container."""
        name = self.physical_resource_name()
        self.client_plugin().request('PUT', name, headers={
            **self._tags(), **self._website(), **self._access()})
        self.resource_id_set(name)

    def _tags(self):
        return {'X-Container-Meta-S3-Tag-' + tag[self.TAG_KEY]:
                tag[self.TAG_VALUE] for tag in self.properties[self.TAGS]
                or ()}

    def _website(self):
        """Return the headers that the part of Swift for web sites reads."""
        site = self.properties[self.WEBSITE_CONFIGURATION] or {}
        return {header: site[key] for header, key in (
            ('X-Container-Meta-Web-Index',
             self.WEBSITE_CONFIGURATION_INDEX_DOCUMENT),
            ('X-Container-Meta-Web-Error',
             self.WEBSITE_CONFIGURATION_ERROR_DOCUMENT)) if site.get(key)}

    def _access(self):
        wanted = self.properties[self.ACCESS_CONTROL]
        if wanted in ('PublicRead', 'PublicReadWrite'):
            # Swift has no way to let everybody write.
            return {'X-Container-Read': '.r:*'}
        if wanted == 'AuthenticatedRead':
            return {'X-Container-Read': '%s:*' % self.context.project_id}
        owner = '%s:%s' % (self.context.project_id, self.context.user_id)
        return {'X-Container-Read': owner, 'X-Container-Write': owner}

    def _ask_for(self, name):
        self.client_plugin().request('HEAD', name)

    def handle_check(self):
        """Look whether the container is there."""
        self.client_plugin().request('HEAD', self.resource_id)

    def handle_delete(self):
        """Delete the container, which has to be empty."""
        if self.resource_id is None:
            return
        with self.client_plugin().ignore_not_found:
            self.client_plugin().request('DELETE', self.resource_id)

    def get_reference_id(self):
        """Return the name of the container."""
        return str(self.resource_id)

    def _resolve_attribute(self, name):
        if self.resource_id is None:
            return None
        url = self.client_plugin().url_of(self.resource_id)
        if name == self.DOMAIN_NAME:
            return parse.urlsplit(url).hostname
        return url
