"""Template functions: values that are computed when they are asked for.

A parsed snippet is a tree of mappings, sequences and plain values with
Function objects in it. The functions of this module walk such trees.
"""
import abc
import collections.abc
from collections.abc import Callable, Iterator
from typing import Any
import weakref

from heat.common import exception
from heat.common import request_budget
from heat.common.i18n import _
from heat.engine.language import diagnostics
from heat.engine.sandbox import result_size

#: What a function results in that wants to be left out: the enclosing map
#: entry or list item disappears. Only macros may produce it.
NOTHING = Ellipsis

_SCALARS = (str, bytes, int, float, bool, type(None))
# To look a type up is quicker than isinstance(), and most are one of these.
_SCALAR_TYPES = frozenset(_SCALARS)
_PLAIN_TYPES = _SCALAR_TYPES | {dict, list}


class Function(abc.ABC):
    """A function call in a template, with its arguments already parsed."""

    #: Whether the result is the value of a parameter, known from the start.
    reads_parameter = False

    def __init__(self, stack: Any, fn_name: str, args: Any) -> None:
        # The definition owns what was parsed from it, not the reverse.
        self._stackref = None if stack is None else weakref.ref(stack)
        self.fn_name = fn_name
        self.args = args

    @property
    def stack(self) -> Any:
        """The StackDefinition this call belongs to, or None without one."""
        if self._stackref is None:
            return None
        stack = self._stackref()
        if stack is None:
            raise RuntimeError('The stack definition of function %s is gone'
                               % self.fn_name)
        return stack

    @abc.abstractmethod
    def result(self) -> Any:
        """Compute and return the value of the call."""

    def validate(self) -> None:
        """Check the arguments as far as possible without resolving."""
        validate(self.args)

    def dependencies(self, path: str) -> Iterator[Any]:
        """Yield the resources that this call refers to."""
        return dependencies(self.args, _join(path, self.fn_name))

    def dep_attrs(self, resource_name: str) -> Iterator[Any]:
        """Yield the attributes of one resource that this call refers to."""
        return dep_attrs(self.args, resource_name)

    def all_dep_attrs(self) -> Iterator[tuple[str, Any]]:
        """Yield (resource name, attribute) for all it refers to."""
        return all_dep_attrs(self.args)

    def __reduce__(self) -> Any:
        # A copied or serialised call is the template snippet it came from.
        return dict, ([(self.fn_name, self.args)],)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Function) and not isinstance(other, Macro):
            return self.fn_name == other.fn_name and self.args == other.args
        return NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return '<%s.%s %r>' % (type(self).__module__, type(self).__name__,
                               {self.fn_name: self.args})


class Macro(Function):
    """A call that decides which of its arguments are parsed at all.

    It stands for the snippet it has parsed: that snippet's value,
    references and faults are its own.
    """

    def __init__(self, stack: Any, fn_name: str, raw_args: Any,
                 parse_func: Callable[..., Any], template: Any) -> None:
        super().__init__(stack, fn_name, raw_args)
        self._tmplref = None if template is None else weakref.ref(template)
        self.parsed = self.parse_args(parse_func)

    @property
    def template(self) -> Any:
        """The template the call was parsed from."""
        template = self._tmplref() if self._tmplref is not None else None
        if template is None:
            raise RuntimeError('The template of function %s is gone'
                               % self.fn_name)
        return template

    @abc.abstractmethod
    def parse_args(self, parse_func: Callable[..., Any]) -> Any:
        """Return the parsed snippet the call stands for."""

    def result(self) -> Any:
        return resolve(self.parsed, nullable=True)

    def validate(self) -> None:
        validate(self.parsed)

    def dependencies(self, path: str) -> Iterator[Any]:
        return dependencies(self.parsed, _join(path, self.fn_name))

    def dep_attrs(self, resource_name: str) -> Iterator[Any]:
        return dep_attrs(self.parsed, resource_name)

    def all_dep_attrs(self) -> Iterator[tuple[str, Any]]:
        return all_dep_attrs(self.parsed)

    def __eq__(self, other: object) -> bool:
        # NOTE: with other parameters the same text may mean another branch.
        if isinstance(other, Macro):
            return bool(self.parsed == other.parsed)
        return bool(self.parsed == other)

    __hash__ = None


class Invalid(Function):
    """A function that exists, in a place where it may not be used."""

    def __init__(self, stack: Any, fn_name: str, args: Any) -> None:
        raise ValueError(_('The function "%s" is not allowed here')
                         % fn_name)

    def result(self) -> Any:
        raise ValueError(_('The function "%s" is not allowed here')
                         % self.fn_name)


class Faulty(Function):
    """Stands for a call that is wrong, so that what is around is checked."""

    def result(self) -> Any:
        raise diagnostics.DerivedError(cause=self.fn_name)


def _non_null_value(v: Any) -> bool:
    return v is not NOTHING


def _non_null_item(i: tuple[Any, Any]) -> bool:
    return i[1] is not NOTHING


def is_scalar(value: Any) -> bool:
    """Return whether a value has nothing in it: no items and no function."""
    return type(value) in _SCALAR_TYPES


def _is_call(value: Any) -> bool:
    return type(value) not in _PLAIN_TYPES and isinstance(value, Function)


def is_list(value: Any) -> bool:
    """Return whether a value is a list to the template language."""
    return (isinstance(value, (list, collections.abc.Sequence))
            and not isinstance(value, (str, bytes)))


def two_of(fn_name: str, args: Any, wanted: str) -> Any:
    """Return the arguments of a function that takes two of them.

    :param wanted: what is to be said when they are not two: a text with
        the name of the function to be put in
    :raises TypeError: there is no list of arguments
    :raises ValueError: there are more or fewer
    """
    if not is_list(args):
        raise TypeError(_('The argument of "%s" must be a list') % fn_name)
    if len(args) != 2:
        raise ValueError(wanted % fn_name)
    return args


def is_map(value: Any) -> bool:
    """Return whether a value is a map to the template language."""
    return isinstance(value, (dict, collections.abc.Mapping))


def _is_iterable(snippet: Any) -> bool:
    return (isinstance(snippet, collections.abc.Iterable)
            and not isinstance(snippet, (str, bytes)))


def _join(path: str, name: str) -> str:
    return '%s.%s' % (path, name) if path else str(name)


def _items(snippet: Any) -> Iterator[tuple[Any, Any]]:
    """Yield (key or index, value) of what a snippet consists of."""
    kind = type(snippet)
    if kind is dict:
        return iter(snippet.items())
    if kind is list:
        return enumerate(snippet)
    if kind in _SCALAR_TYPES or isinstance(snippet, _SCALARS):
        return iter(())
    if isinstance(snippet, collections.abc.Mapping):
        return iter(snippet.items())
    if _is_iterable(snippet):
        return enumerate(snippet)
    return iter(())


def resolve(snippet: Any, nullable: bool = False) -> Any:
    """Return the snippet with the results of functions in their places.

    Where a function has no value at all, the list item or map entry goes
    away; at the top the result is None, or NOTHING for nullable callers.
    Raises value_size.TooLarge, a ValueError, if the functions make more
    than a value may hold.
    """
    if type(snippet) in _SCALAR_TYPES:
        return snippet
    if result_size.is_counting():
        return _resolve(snippet, nullable)
    with result_size.counting():
        return _resolve(snippet, nullable)


def _resolve(snippet: Any, nullable: bool) -> Any:
    kind = type(snippet)
    if _is_call(snippet):
        # Many values may be asked for one by one, each failing alone.
        request_budget.require()
        result = snippet.result()
        result_size.spend(result)
        return None if result is NOTHING and not nullable else result
    # Plain loops, for snippets may be deep and each level costs a frame.
    if kind is not list and is_map(snippet):
        resolved_map = {}
        for key, value in snippet.items():
            if type(value) not in _SCALAR_TYPES:
                value = _resolve(value, True)
                if not _non_null_value(value):
                    continue
            resolved_map[key] = value
        return resolved_map
    if kind is list or _is_iterable(snippet):
        resolved_list = []
        for value in snippet:
            if type(value) not in _SCALAR_TYPES:
                value = _resolve(value, True)
                if not _non_null_value(value):
                    continue
            resolved_list.append(value)
        return resolved_list
    return snippet


def render(snippet: Any) -> Any:
    """Return the snippet as plain template data, functions as their text."""
    if type(snippet) in _SCALAR_TYPES:
        return snippet
    if _is_call(snippet):
        return {snippet.fn_name: render(snippet.args)}
    if isinstance(snippet, collections.abc.Mapping):
        return {k: render(v) for k, v in snippet.items()}
    if _is_iterable(snippet):
        return [render(v) for v in snippet]
    return snippet


#: The number of faults of one value that are told; further ones are counted.
_SHOWN = 10


def validate(snippet: Any, path: Any = None) -> None:
    """Check every function in a snippet.

    Raises StackValidationFailed with the path of the faulty call, the
    first one if there are several; it tells of some more.
    """
    if is_scalar(snippet):
        return
    found = diagnostics.Problems(_SHOWN)
    _validate(snippet, _path_tuple(path), found)
    found.raise_first_or_all()


def _validate(snippet: Any, path: tuple[Any, ...],
              found: diagnostics.Problems) -> None:
    if _is_call(snippet):
        try:
            snippet.validate()
        except Exception as exc:  # noqa: BLE001
            # Whatever a function of a third party complains about is a
            # fault of the template to the user.
            found.note(_in_call(exc, (*path, snippet.fn_name)))
        return
    for key, value in _items(snippet):
        if type(value) not in _SCALAR_TYPES:
            if found.full:
                return
            _validate(value, path + (key,), found)


def _in_call(exc: Exception, path: tuple[Any, ...]
             ) -> exception.StackValidationFailed:
    """Return the error of a call as one of the template."""
    if isinstance(exc, exception.StackValidationFailed):
        error = diagnostics.below(exc, *path)
    else:
        error = exception.StackValidationFailed(
            path=list(path), message=error_text(exc),
            dangling=getattr(exc, 'dangling', False))
    error.__cause__ = exc
    return error


error_text = diagnostics.text_of


def _path_tuple(path: Any) -> tuple[Any, ...]:
    if not path:
        return ()
    return (path,) if isinstance(path, str) else tuple(path)


def dependencies(snippet: Any, path: str = '') -> Iterator[Any]:
    """Yield the resources that the functions in a snippet refer to.

    What is yielded has a name attribute; a resource may come repeatedly.
    """
    if _is_call(snippet):
        return snippet.dependencies(path)
    if type(snippet) in _SCALAR_TYPES:
        return iter(())
    return _dependencies_below(snippet, path)


def _dependencies_below(snippet: Any, path: str) -> Iterator[Any]:
    mapping = type(snippet) is not list and is_map(snippet)
    for key, value in _items(snippet):
        # An empty one costs its path and a generator otherwise.
        if value and type(value) not in _SCALAR_TYPES:
            below = _join(path, key) if mapping else '%s[%d]' % (path, key)
            yield from dependencies(value, below)


def dep_attrs(snippet: Any, resource_name: str) -> Iterator[Any]:
    """Yield the attributes of one resource that a snippet refers to.

    An attribute is its name, or a tuple of name and path.
    """
    if _is_call(snippet):
        yield from snippet.dep_attrs(resource_name)
        return
    for _key, value in _items(snippet):
        if type(value) not in _SCALAR_TYPES:
            yield from dep_attrs(value, resource_name)


def all_dep_attrs(snippet: Any) -> Iterator[tuple[str, Any]]:
    """Yield (resource name, attribute) of all references in a snippet."""
    if _is_call(snippet):
        yield from snippet.all_dep_attrs()
        return
    for _key, value in _items(snippet):
        if type(value) not in _SCALAR_TYPES:
            yield from all_dep_attrs(value)
