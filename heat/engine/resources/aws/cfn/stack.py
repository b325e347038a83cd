"""AWS::CloudFormation::Stack: a stack of a template at a URL."""
from heat.common import exception
from heat.common import template_format
from heat.common import urlfetch
from heat.common.i18n import _
from heat.engine import attributes
from heat.engine import properties
from heat.engine import support
from heat.engine.resources import stack_resource


class NestedStack(stack_resource.StackResource):
    """A stack nested in another stack, created from the template at a URL.

    The attributes ``Outputs.<name>`` are the outputs of the nested
    stack.
    """

    type_name = 'AWS::CloudFormation::Stack'
    support_status = support.SupportStatus()

    PROPERTIES = (
        TEMPLATE_URL, TIMEOUT_IN_MINUTES, PARAMETERS,
    ) = (
        'TemplateURL', 'TimeoutInMinutes', 'Parameters',
    )

    properties_schema = {
        TEMPLATE_URL: properties.string(
            _('URL of the template.'),
            required=True,
            update_allowed=True),
        TIMEOUT_IN_MINUTES: properties.integer(
            _('Timeout of the operations of the stack in minutes.'),
            update_allowed=True),
        PARAMETERS: properties.map(
            _('Parameter values of the stack.'),
            update_allowed=True),
    }

    _OUTPUTS = 'Outputs.'
    undeclared_attributes = (_OUTPUTS,)

    @property
    def template_url(self):
        """Return where the template comes from."""
        return self.properties[self.TEMPLATE_URL]

    def child_template(self):
        """Return the template, fetched from its URL."""
        url = self.properties[self.TEMPLATE_URL]
        try:
            text = urlfetch.get(url)
        except urlfetch.URLFetchError as error:
            raise ValueError(_('The template of "%(name)s" could not be '
                               'fetched: %(error)s') % {
                'name': self.name, 'error': error}) from error
        return template_format.parse_fetched(text, url)

    def child_params(self):
        """Return the parameters."""
        return self.properties[self.PARAMETERS] or {}

    def handle_create(self):
        """Create the stack."""
        return self.create_with_template(
            self.child_template(), self.child_params(),
            self.properties[self.TIMEOUT_IN_MINUTES])

    def handle_update(self, json_snippet, tmpl_diff, prop_diff):
        """Update the stack; what is at the URL may have changed."""
        self.properties = json_snippet.properties(self.properties_schema,
                                                  self.context)
        return self.update_with_template(
            self.child_template(), self.child_params(),
            self.properties[self.TIMEOUT_IN_MINUTES])

    def handle_delete(self):
        """Delete the stack."""
        return self.delete_nested()

    def get_attribute(self, key, *path):
        """Return an output of the stack."""
        if key == self.SHOW or not key.startswith(self._OUTPUTS):
            if key in self.base_attributes_schema:
                return super().get_attribute(key, *path)
            raise exception.InvalidTemplateAttribute(resource=self.name,
                                                     key=key)
        value = self.get_output(key.removeprefix(self._OUTPUTS))
        return attributes.select_from_attribute(value, path)

    def get_reference_id(self):
        """Return the identifier of the stack as an ARN."""
        found = self.nested_identifier()
        return str(self.name) if found is None else found.arn()
