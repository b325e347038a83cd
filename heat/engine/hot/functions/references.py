"""Functions that refer to parameters, resources, files and the parent."""
from collections.abc import Iterator
from typing import Any

from heat.common import exception
from heat.common.i18n import _
from heat.engine import attributes
from heat.engine import function
from heat.engine import status
from heat.engine.language import suggest

_R = status.ResourceStatus

#: A resource that has got this far has attributes.
_HAVE_ATTRIBUTES = frozenset([
    _R.CREATE, _R.ADOPT, _R.SUSPEND, _R.RESUME, _R.UPDATE, _R.ROLLBACK,
    _R.SNAPSHOT, _R.CHECK,
])
_HAVE_ALL_ATTRIBUTES = _HAVE_ATTRIBUTES - {_R.ROLLBACK}


def _component(value: Any, key: Any) -> Any:
    """Return an item of a map or list; LookupError if it has none."""
    if function.is_map(value):
        return value[key]
    if not function.is_list(value):
        raise LookupError(key)
    try:
        return value[int(key)]
    except (TypeError, ValueError) as exc:
        raise LookupError(key) from exc


class GetParam(function.Function):
    """The value of a parameter, or of something inside it.

    get_param: <name>
    get_param: [<name>, <path component>, ...]
    """

    reads_parameter = True

    def result(self) -> Any:
        args = function.resolve(self.args)
        if not args:
            raise ValueError(_('Function "%s" must have arguments')
                             % self.fn_name)
        if isinstance(args, str):
            name, path = args, []
        elif function.is_list(args):
            name, *path = args
        else:
            raise TypeError(_('The argument of "%s" must be a parameter name '
                              'or a list') % self.fn_name)
        if not isinstance(name, str):
            raise TypeError(_('The parameter name in "%s" must be a string')
                            % self.fn_name)
        return self._lookup(name, path)

    def _undefined(self, name: str) -> exception.UserParameterMissing:
        known = getattr(self.stack.parameters, 'names', None)
        return exception.UserParameterMissing(
            key=name, reason=_('It is not defined in the template.')
            + suggest.hint(name, known() if known else self.stack.parameters)
        )

    def validate(self) -> None:
        super().validate()
        name = self.args
        if function.is_list(name) and name:
            name = name[0]
        if (isinstance(name, str) and name and self.stack is not None
                and name not in self.stack.parameters):
            raise self._undefined(name)

    def _lookup(self, name: str, path: list[Any]) -> Any:
        try:
            value = self.stack.parameters[name]
        except KeyError as exc:
            raise self._undefined(name) from exc
        try:
            for key in path:
                value = _component(value, key)
        except (LookupError, TypeError):
            return ''
        return value


class ResourceReference(function.Function):
    """Base class of the references to a resource."""

    def _resource_name(self) -> Any:
        return function.resolve(self.args)

    def _resource(self, path: str = '', *, list_names: bool = False) -> Any:
        name = self._resource_name()
        try:
            return self.stack[name]
        except (KeyError, TypeError) as exc:
            raise exception.InvalidTemplateReference(
                resource=name, key=path,
                hint=self._hint(name, list_names)) from exc

    def _hint(self, name: Any, list_names: bool) -> str:
        known = list(getattr(self.stack, 'all_rsrc_names', tuple)())
        if name in known:
            return _(' Its condition does not hold.')
        # The error of an output of a stack is shown with the stack: it stays
        # short.
        return (suggest.hint_with_names if list_names else suggest.hint)(
            name, known)

    def dependencies(self, path: str) -> Iterator[Any]:
        yield from super().dependencies(path)
        if self.stack is not None:
            where = '%s.%s' % (path, self.fn_name) if path else self.fn_name
            yield self._resource(where, list_names=True)

    def validate(self) -> None:
        super().validate()
        if self.stack is not None:
            self._resource(list_names=True)


class GetResource(ResourceReference):
    """The reference id of a resource.

    get_resource: <resource name>
    """

    def result(self) -> Any:
        return self._resource().FnGetRefId()


class GetAttThenSelect(ResourceReference):
    """An attribute of a resource, or something inside its value.

    get_attr: [<resource name>, <attribute>, <path component>, ...]

    The whole attribute is fetched, then the path is followed.
    """

    def __init__(self, stack: Any, fn_name: str, args: Any) -> None:
        super().__init__(stack, fn_name, args)
        self._name, self._attribute, self._path = self._parse_args()

    def _parse_args(self) -> tuple[Any, Any, list[Any]]:
        """Return resource name, attribute and path of the arguments."""
        if not function.is_list(self.args):
            raise TypeError(_('The argument of "%s" must be a list')
                            % self.fn_name)
        if len(self.args) < 2:
            raise ValueError(
                _('The arguments of "%s" must be a resource name, an '
                  'attribute and perhaps a path') % self.fn_name)
        name, attribute, *path = self.args
        return name, attribute, path

    def _resource_name(self) -> Any:
        return function.resolve(self._name)

    def _is_ready(self, resource: Any) -> bool:
        return resource.action in _HAVE_ATTRIBUTES

    def _value(self, resource: Any) -> Any:
        value = resource.FnGetAtt(function.resolve(self._attribute))
        path = function.resolve(self._path)
        if value is None or not path:
            return value
        return attributes.select_from_attribute(value, path)

    def result(self) -> Any:
        resource = self._resource()
        if not self._is_ready(resource):
            return None
        try:
            return self._value(resource)
        except LookupError:
            return None

    def _reference(self) -> Any:
        """Return how node data name what is asked for."""
        return function.resolve(self._attribute)

    def all_dep_attrs(self) -> Iterator[tuple[str, Any]]:
        yield from super().all_dep_attrs()
        name, reference = self._resource_name(), self._reference()
        if isinstance(name, str) and isinstance(reference, (str, tuple)):
            yield name, reference

    def dep_attrs(self, resource_name: str) -> Iterator[Any]:
        return (attr for name, attr in self.all_dep_attrs()
                if name == resource_name)

    def validate(self) -> None:
        super().validate()
        if self.stack is None or self._attribute is None:
            return
        attribute = function.resolve(self._attribute)
        known = self._resource().attributes_schema
        if known is not None and attribute not in known:
            raise exception.InvalidTemplateAttribute(
                resource=self._resource_name(), key=attribute,
                hint=suggest.hint(attribute, known))


class GetAtt(GetAttThenSelect):
    """An attribute of a resource, or something inside its value.

    get_attr: [<resource name>, <attribute>, <path component>, ...]

    The path is handed to the resource, which may know what it needs not
    fetch.
    """

    def _value(self, resource: Any) -> Any:
        return resource.FnGetAtt(function.resolve(self._attribute),
                                 *function.resolve(self._path))

    def _reference(self) -> Any:
        attribute = super()._reference()
        path = function.resolve(self._path)
        if not path or not all(isinstance(key, (str, int)) for key in path):
            return attribute
        return None if attribute is None else (attribute, *path)


class GetAttAllAttributes(GetAtt):
    """An attribute of a resource, or a map of all its attributes.

    get_attr: [<resource name>]
    get_attr: [<resource name>, <attribute>, <path component>, ...]
    """

    def _parse_args(self) -> tuple[Any, Any, list[Any]]:
        if function.is_list(self.args) and len(self.args) == 1:
            return self.args[0], None, []
        return super()._parse_args()

    def _is_ready(self, resource: Any) -> bool:
        if self._attribute is not None:
            return super()._is_ready(resource)
        return (resource.action in _HAVE_ALL_ATTRIBUTES
                and resource.status in (_R.IN_PROGRESS, _R.COMPLETE))

    def _value(self, resource: Any) -> Any:
        if self._attribute is None:
            return resource.FnGetAtts()
        return super()._value(resource)

    def _reference(self) -> Any:
        if self._attribute is None:
            return attributes.ALL_ATTRIBUTES
        return super()._reference()


class GetFile(function.Function):
    """A function for including a file inline.

    get_file: <file key>
    """

    def result(self) -> Any:
        key = function.resolve(self.args)
        if not isinstance(key, str):
            raise TypeError(_('The argument of "%s" must be a string')
                            % self.fn_name)
        files = self.stack.t.files
        if key not in files:
            raise ValueError(
                _('No content for "%(name)s" was sent along, which '
                  '"%(function)s" asks for.') % {
                      'name': key, 'function': self.fn_name}
                + suggest.hint(key, files))
        return files[key]


class ResourceFacade(function.Function):
    """Something of the resource that a provider template stands for.

    resource_facade: metadata | deletion_policy | update_policy
    """

    _RESOURCE_ATTRIBUTES = (
        METADATA, DELETION_POLICY, UPDATE_POLICY,
    ) = (
        'metadata', 'deletion_policy', 'update_policy',
    )

    def __init__(self, stack: Any, fn_name: str, args: Any) -> None:
        super().__init__(stack, fn_name, args)
        if args not in self._RESOURCE_ATTRIBUTES:
            raise ValueError(
                _('The argument of "%(function)s" should be one of: '
                  '%(allowed)s') % {
                      'function': fn_name,
                      'allowed': ', '.join(self._RESOURCE_ATTRIBUTES)})

    def result(self) -> Any:
        parent = self.stack.parent_resource
        if parent is None:
            return None
        if self.args == self.METADATA:
            return parent.metadata_get()
        if self.args == self.DELETION_POLICY:
            return parent.t.deletion_policy()
        # NOTE: the policy is wanted as written, not as the type of the
        # resource would complete it.
        return function.resolve(parent.t.written_update_policy) or {}
