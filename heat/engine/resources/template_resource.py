"""Resource types that are templates.

A name in the resource registry leads to a template; its parameters are the
properties of the type, and its outputs the attributes.
"""
import contextlib
import functools
import json
import pathlib

from oslo_config import cfg
from oslo_serialization import jsonutils

from heat.common import exception
from heat.common import request_budget
from heat.common import template_format
from heat.common import urlfetch
from heat.common.i18n import _
from heat.engine import attributes
from heat.engine import environment
from heat.engine import nested_stack
from heat.engine import properties
from heat.engine import template
from heat.engine.language import diagnostics
from heat.engine.language import template_checks
from heat.engine.resources import stack_resource

STACK_ID_OUTPUT = attributes.STACK_ID_OUTPUT

REMOTE_SCHEMES = ('http', 'https')
LOCAL_SCHEMES = ('file',)


def register(env):
    """Have an environment make resource types of templates."""
    env.register_template_resource_factory(
        generate_class_from_template, TemplateResource, fetch)


def fetch(location, user_resource):
    """Return the text of a template that is not among the files.

    Only the operator's own entries may name files of this machine.
    """
    if not user_resource and '://' not in location:
        text = _from_template_dir(location)
        if text is not None:
            return text
    schemes = (REMOTE_SCHEMES if user_resource else
               REMOTE_SCHEMES + LOCAL_SCHEMES)
    try:
        return _well_formed(
            urlfetch.get(location, allowed_schemes=schemes), location)
    except template_format.ParseError:
        raise
    except (urlfetch.URLFetchError, OSError, ValueError) as error:
        raise exception.EntityNotFound(
            entity='Resource Type', name=location) from error


def _well_formed(text, location):
    """Return a fetched text; a ParseError of it does not quote the text."""
    try:
        nested_stack.read_template(text)
    except ValueError:
        template_format.parse_fetched(text, location)
        raise
    return text


def _from_template_dir(name):
    """Return the text of a file in template_dir, None if there is none."""
    directory = pathlib.Path(cfg.CONF.template_dir).resolve()
    path = (directory / name).resolve()
    if not path.is_relative_to(directory) or not path.is_file():
        return None
    return urlfetch.get(path.as_uri(), allowed_schemes=LOCAL_SCHEMES)


def generate_class_from_template(name, data, env):
    """Return a class with the schemas of the type a template makes."""
    if data is None:
        raise exception.EntityNotFound(entity='Resource Type', name=name)
    defaults = env.param_defaults if env is not None else {}
    return _generated(name, data, json.dumps(defaults, sort_keys=True,
                                             default=str))


@functools.lru_cache(maxsize=256)
def _generated(name, data, defaults):
    """Return the class, made once for a text and its defaults."""
    tmpl = _parse(data)
    made = type(name, (TemplateResource,), {
        'properties_schema': properties.Properties.schema_from_params(
            tmpl.param_schemata(json.loads(defaults))),
        'attributes_schema': attributes.Attributes.schema_from_outputs(
            tmpl.outputs(None)),
        '__doc__': tmpl[tmpl.DESCRIPTION],
    })
    # An exhausted budget leaves parameters out; such a class is not kept.
    request_budget.require()
    return made


def _parse(data, **kwargs):
    return template.make(nested_stack.read_template(data), **kwargs)


@functools.lru_cache(maxsize=8)
def _of_text(text):
    """Return the template of a text, made once; copies get the files."""
    return _parse(text).freeze()


class TemplateResource(stack_resource.StackResource):
    """A resource whose type is a template."""

    properties_schema: dict = {}
    attributes_schema: dict = {}
    handlers_only_begin = True
    #: Besides outputs, attributes of resources inside can be asked for.
    undeclared_attributes = ('resource.',)
    #: Whether a stack may have thousands of the kind.
    is_template = True
    validation_exception = None
    _parsed_nested = None

    def __init__(self, name, json_snippet, stack):
        entry = self._entry(stack, name, json_snippet)
        self.template_name = entry.template_name
        self._set_schemas(stack, entry, json_snippet)
        super().__init__(name, json_snippet, stack)
        self.resource_info = entry

    @staticmethod
    def _entry(stack, name, json_snippet):
        for env in (json_snippet.origin_env, stack.env):
            with contextlib.suppress(exception.EntityNotFound):
                if env is not None:
                    return env.get_resource_info(
                        json_snippet.resource_type, resource_name=name,
                        registry_type=environment.TemplateResourceInfo)
        raise exception.EntityNotFound(entity='Resource Type',
                                       name=json_snippet.resource_type)

    def _set_schemas(self, stack, entry, json_snippet):
        """Take the schemas of the template, or note why there are none."""
        self.properties_schema = {}
        self.attributes_schema = {}
        files = json_snippet.origin_files
        try:
            made = entry.get_class(
                files=stack.t.files if files is None else files)
        except (exception.HeatException, ValueError) as error:
            # The resource must still be deletable.
            self.validation_exception = error
            return
        self.properties_schema = made.properties_schema
        self.attributes_schema = made.attributes_schema

    def regenerate_info_schema(self, definition):
        """Take the schemas of the template a changed definition names."""
        entry = self._entry(self.stack, self.name, definition)
        self.resource_info = entry
        self.template_name = entry.template_name
        self._parsed_nested = None
        self._set_schemas(self.stack, entry, definition)
        self.attributes.set_schema(
            {**self.attributes_schema, **self.base_attributes_schema})

    @property
    def template_url(self):
        """Return the name of the template file, or its URL."""
        return self.template_name

    # -- the nested stack ---------------------------------------------------

    def follows_from_template(self):
        """Return whether definition and files determine the nested stack.

        Templates at URLs can change independently, and plugins derived from
        this class may depend on other data.
        """
        return type(self) is TemplateResource and (
            self.template_name in self.stack.t.files)

    def template_data(self):
        """Return the text of the template."""
        data = self.stack.t.files.get(self.template_name)
        if data is None and self.t.origin_files is not None:
            data = self.t.origin_files.get(self.template_name)
        if data is None:
            data = fetch(self.template_name,
                         self.resource_info.user_resource)
        return data

    def _forget_nested(self):
        super()._forget_nested()
        # A stack may have a thousand of us.
        self._parsed_nested = None

    def child_template(self):
        """Return the template."""
        if self._parsed_nested is None:
            self._parsed_nested = _of_text(self.template_data())
        return self._parsed_nested

    def child_params(self):
        """Return the properties as parameters of the template.

        A property that was not given is left to the template's default.
        """
        params = {}
        for name, schema in self.child_template().param_schemata().items():
            if name not in self.properties:
                continue
            value = self._child_value(name)
            if value is None or (
                    not value and value is not False and value != 0
                    and name not in self.properties.data):
                continue
            params[name] = _parameter_value(schema, value)
        return params

    def _child_value(self, name):
        """Return a property; None while what it is made of has no value."""
        try:
            return self.properties[name]
        except ValueError:
            if getattr(self.stack, 'strict_validate', True):
                raise
            return None

    def validate_template(self):
        """Check the definition, once there is a template."""
        error = self.validation_exception
        if isinstance(error, exception.EntityNotFound):
            section = self.stack.t.get_section_name('resources')
            raise exception.StackValidationFailed(
                path=[section, self.name, self.stack.t.RES_TYPE],
                message=str(error))
        if isinstance(error, ValueError):
            # The template is not well-formed; the text says where.
            error = exception.StackValidationFailed(message=str(error))
        if error is not None:
            raise self._nested_invalid(self._with_all_else(error))
        return super().validate_template()

    def _with_all_else(self, error):
        """Return an error that also tells what else the template has."""
        try:
            tmpl = _parse(self.template_data(), files=self.stack.t.files,
                          env=self.stack.env)
        except (exception.HeatException, ValueError):
            return error
        found = diagnostics.Problems()
        found.note(error)
        for each in template_checks.check(
                tmpl, find_class=self.stack.env.get_class,
                with_values=False):
            found.add(each)
        return found.error()

    def validate_nested_stack(self):
        """Validate the template against the type it stands for, then it."""
        facade = self._facade()
        if facade is not None:
            self._validate_against(facade)
        super().validate_nested_stack()
        # Its turn may come much later, and a thousand others' before.
        self._parsed_nested = None

    def _facade(self):
        """Return the plugin class that the template stands in for."""
        try:
            info = self.stack.env.get_resource_info(
                self.type(), resource_name=self.name,
                ignore=self.resource_info)
        except exception.EntityNotFound:
            return None
        if not isinstance(info, environment.ClassResourceInfo):
            return None
        return info.get_class(files=self.stack.t.files)

    def _validate_against(self, facade):
        """Raise when what uses the plugin type could not use the template.
        """
        names = {'facade': self.type(), 'name': None}
        for name, schema in properties.schemata(
                facade.properties_schema).items():
            mine = self.properties_schema.get(name)
            if mine is None:
                if schema.required:
                    raise self._mismatch(_(
                        'Required property %(name)s for facade %(facade)s '
                        'missing in provider'), names, name)
            elif _kind(schema) != _kind(mine):
                raise self._mismatch(_(
                    'Property %(name)s type mismatch between facade '
                    '%(facade)s and provider'), names, name)
        for name, schema in self.properties_schema.items():
            if schema.required and name not in facade.properties_schema:
                raise self._mismatch(_(
                    'Provider requires property %(name)s unknown in facade '
                    '%(facade)s'), names, name)
        for name in facade.attributes_schema:
            if name not in self.attributes_schema and (
                    name not in facade.base_attributes_schema):
                raise self._mismatch(_(
                    'Attribute %(name)s for facade %(facade)s missing in '
                    'provider'), names, name)

    def _mismatch(self, text, names, name):
        return exception.StackValidationFailed(
            path=[self.stack.t.get_section_name('resources'), self.name],
            message=text % dict(names, name=name))

    # -- handlers -----------------------------------------------------------

    def handle_create(self):
        """Begin to create the nested stack."""
        return self.create_with_template(self.child_template(),
                                         self.child_params())

    def handle_update(self, json_snippet, tmpl_diff, prop_diff):
        """Begin to update the nested stack."""
        self.properties = json_snippet.properties(self.properties_schema,
                                                  self.context)
        return self.update_with_template(self.child_template(),
                                         self.child_params())

    def metadata_update(self, new_metadata=None):
        """Take the metadata of the template again."""
        self.metadata_set(self.t.metadata())

    # -- values -------------------------------------------------------------

    def get_reference_id(self):
        """Return the output OS::stack_id, or the ARN of the nested stack."""
        if self.resource_id is None:
            return self.name
        if STACK_ID_OUTPUT in self.attributes:
            reference = self.attributes[STACK_ID_OUTPUT]
            if reference is not None:
                return reference
        return self.nested_identifier().arn()

    def get_attribute(self, key, *path):
        """Return an output, or something inside one."""
        if self.resource_id is None:
            return None
        if key.startswith('resource.'):
            return self._attribute_inside(key, *path)
        # Kept with the resource, so that reading it does not lead through
        # all that is nested.
        return super().get_attribute(key, *path)

    def _attribute_inside(self, key, *path):
        """Return what `resource.<name>.<attribute>` names inside us."""
        child = self.nested()
        _word, name, *rest = key.split('.', 2)
        if child is None or name not in child:
            raise exception.InvalidTemplateAttribute(
                resource=self.name, key=key)
        inner = child[name]
        if not rest and not path:
            return inner.FnGetRefId()
        return inner.FnGetAtt(*(*rest, *path))


def _kind(schema):
    """Return the type of a property, with those alike made equal."""
    same = {properties.Schema.INTEGER: properties.Schema.NUMBER}
    return same.get(schema.type, schema.type)


def _parameter_value(schema, value):
    """Return a property value in the form a parameter takes it."""
    if schema.type != schema.LIST or not isinstance(value, (list, tuple)):
        return value
    if value and isinstance(value[0], dict):
        # As in queries of AWS, which templates inside take apart.
        return ','.join(f'.member.{number}.{key}={_item_text(each)}'
                        for number, item in enumerate(value)
                        for key, each in _members(item))
    return ','.join(_item_text(item) for item in value)


def _members(item):
    return item.items() if isinstance(item, dict) else ()


def _item_text(item):
    if item is None:
        return ''
    return item if isinstance(item, str) else jsonutils.dumps(item)
