"""Which class, template or other type stands behind a resource type.

A registry belongs to an environment. That of a user lies over the global
one, which knows the plugins. What makes a class of a template is handed in
at start-up, so that the registry needs no resource code.
"""
import collections.abc
from collections.abc import Callable, Iterator, Mapping
import dataclasses
import fnmatch
import logging
from typing import Any
import weakref

from heat.common import environment_format as env_fmt
from heat.common import exception
from heat.common import request_budget
from heat.common.i18n import _
from heat.engine.language import suggest

LOG = logging.getLogger(__name__)

HOOK_TYPES = (
    HOOK_PRE_CREATE, HOOK_PRE_UPDATE, HOOK_PRE_DELETE,
    HOOK_POST_CREATE, HOOK_POST_UPDATE, HOOK_POST_DELETE,
) = (
    'pre-create', 'pre-update', 'pre-delete',
    'post-create', 'post-update', 'post-delete',
)

RESTRICTED_ACTIONS = (UPDATE, REPLACE) = ('update', 'replace')

#: What names of template files end with.
TEMPLATE_SUFFIXES = ('.yaml', '.template')

#: How many mappings may lead from one type to another.
MAX_MAPPINGS = 50

RESOURCES = 'resources'
HOOKS = 'hooks'
RESTRICTED = 'restricted_actions'
IMPORT = 'import'


@dataclasses.dataclass(frozen=True, slots=True)
class TemplateTypes:
    """The makers of resource types from templates.

    make_class(name, data, env) makes a class of the text of a template;
    instance_class is the class resources of such types are made of, if that
    is another one; fetch(location, user_resource) gets a text that did not
    come with the request.
    """

    make_class: Callable[[str, Any, Any], Any]
    instance_class: Any = None
    fetch: Callable[[str, bool], str] | None = None


_GLOB = frozenset('*?[')

# The keys of a single resource that are no types, what they may hold, and
# the error if they hold something else.
_WORDS: dict[str, tuple[tuple[str, ...], type[exception.HeatException]]] = {
    HOOKS: (HOOK_TYPES, exception.InvalidBreakPointHook),
    RESTRICTED: (RESTRICTED_ACTIONS, exception.InvalidRestrictedAction),
}


def valid_hook_type(hook: Any) -> bool:
    """Return whether there is such a hook."""
    return hook in HOOK_TYPES


def valid_restricted_actions(action: Any) -> bool:
    """Return whether an action can be restricted."""
    return action in RESTRICTED_ACTIONS


class ResourceInfo:
    """One entry of a registry: a type and what stands behind it."""

    description = 'Plugin'

    def __init__(self, registry: 'ResourceRegistry', path: list[str],
                 value: Any) -> None:
        self.registry = registry
        self.path = path
        self.name = path[-1]
        self.value = value
        self.user_resource = registry.is_of_user

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ResourceInfo):
            return NotImplemented
        return (type(self) is type(other) and self.path == other.path
                and self.value == other.value
                and self.user_resource == other.user_resource)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return '[%s](User:%s) %s -> %s' % (
            self.description, self.user_resource, ' '.join(self.path),
            self.value)

    def rank(self) -> tuple[Any, ...]:
        """Return the sort key that puts the entry that counts first."""
        return (not self.user_resource, -len(self.path), self.path)

    def matches(self, resource_type: str) -> bool:
        """Return whether the entry is about a type."""
        return self.name == resource_type

    def get_class(self, files: Mapping[str, Any] | None = None) -> Any:
        """Return the resource class, with the schemas of the type."""
        raise NotImplementedError

    def get_class_to_instantiate(self) -> Any:
        """Return the class that resources of the type are made of."""
        return self.get_class()


class ClassResourceInfo(ResourceInfo):
    """A type that a plugin class implements."""

    def get_class(self, files: Mapping[str, Any] | None = None) -> Any:
        return self.value


class TemplateResourceInfo(ResourceInfo):
    """A type that a template implements."""

    description = 'Template'

    @property
    def template_name(self) -> str:
        """The name of the template file, or its URL."""
        return str(self.value)

    def matches(self, resource_type: str) -> bool:
        if self.name.endswith('*'):
            return resource_type.startswith(self.name[:-1])
        return super().matches(resource_type)

    def get_class(self, files: Mapping[str, Any] | None = None) -> Any:
        types = self.registry.template_types
        if types is None:
            raise exception.NotSupported(feature=_('Template resources'))
        data = (files or {}).get(self.template_name)
        if data is None and types.fetch is not None:
            data = types.fetch(self.template_name, self.user_resource)
        return types.make_class(self.name, data, self.registry.environment)

    def get_class_to_instantiate(self) -> Any:
        types = self.registry.template_types
        if types is None or types.instance_class is None:
            return self.get_class()
        return types.instance_class


class MapResourceInfo(ResourceInfo):
    """A type that is another name for a type."""

    description = 'Mapping'

    def target(self, resource_type: str) -> str:
        """Return the type that a type is mapped to."""
        return str(self.value)


class GlobResourceInfo(MapResourceInfo):
    """Types with a common prefix that are mapped to others."""

    description = 'Wildcard Mapping'

    def matches(self, resource_type: str) -> bool:
        return resource_type.startswith(self.name[:-1])

    def target(self, resource_type: str) -> str:
        if self.value.endswith('*'):
            return str(self.value[:-1]) + resource_type[len(self.name) - 1:]
        return str(self.value)


def _kind_of(name: str, value: Any) -> type[ResourceInfo]:
    if name.endswith(TEMPLATE_SUFFIXES):
        return TemplateResourceInfo
    if not isinstance(value, str):
        return ClassResourceInfo
    if value.endswith(TEMPLATE_SUFFIXES):
        return TemplateResourceInfo
    if name.endswith('*'):
        return GlobResourceInfo
    return MapResourceInfo


def _bad(path: list[str], message: str) -> exception.StackValidationFailed:
    return exception.StackValidationFailed(
        path=[env_fmt.RESOURCE_REGISTRY, *path], message=message)


class ResourceRegistry:
    """The resource types an environment knows.

    Without a global registry below it, it is the global one.
    """

    def __init__(self, global_registry: 'ResourceRegistry | None',
                 environment: Any = None) -> None:
        self.global_registry = global_registry
        self.is_of_user = global_registry is not None
        self._environment = (None if environment is None
                             else weakref.ref(environment))
        # Entries by path: a name leads to an entry or to a dict of names.
        self._registry: dict[str, Any] = {RESOURCES: {}}
        # Entries of the top level that match more than their own name.
        self._wildcards: dict[str, ResourceInfo] = {}
        # Names of single resources that match several, None if not known.
        self._globs: list[str] | None = None
        self._template_types: TemplateTypes | None = None
        self._stand_in: type | None = None

    @property
    def template_types(self) -> TemplateTypes | None:
        """The makers of types from templates; the global registry has them.
        """
        if self.global_registry is not None:
            return self.global_registry.template_types
        return self._template_types

    def use_template_types(self, types: TemplateTypes | None) -> None:
        """Have templates become resource types; for the global registry."""
        self._template_types = types

    @property
    def stand_in(self) -> type | None:
        """The class of stored resources whose type is not known.

        The global registry has it; None where nothing stands for them.
        """
        if self.global_registry is not None:
            return self.global_registry.stand_in
        return self._stand_in

    def use_stand_in(self, cls: type | None) -> None:
        """Set the class of stored resources of types that are not known.

        For the global registry.
        """
        self._stand_in = cls

    @property
    def environment(self) -> Any:
        """The environment the registry belongs to."""
        return self._environment and self._environment()

    # -- Filling

    def load(self, json_snippet: Mapping[str, Any] | None) -> None:
        """Add the entries of a resource_registry section."""
        if json_snippet is None:
            return
        if not isinstance(json_snippet, collections.abc.Mapping):
            raise _bad([], _('The section must be a map'))
        with request_budget.work():
            self._load([], json_snippet)

    def _load(self, path: list[str], section: Mapping[str, Any]) -> None:
        for name, value in section.items():
            request_budget.check()
            here = [*path, str(name)]
            if value is None:
                self._remove(here)
            elif len(path) > 1 and name in _WORDS:
                self._set_words(here, value, *_WORDS[name])
            elif len(path) > 1 and name == IMPORT and isinstance(value, str):
                self._level(path)[IMPORT] = value
            elif isinstance(value, collections.abc.Mapping):
                if here[0] != RESOURCES:
                    raise _bad(here, _('A type must be mapped to the name of '
                                       'a type or template'))
                self._level(here)
                self._load(here, value)
            elif RESOURCES in (name, *path) and len(here) < 3:
                raise _bad(here, _('The value must be a map'))
            elif not isinstance(value, str):
                raise _bad(here, _('The value must be the name of a type or '
                                   'template'))
            else:
                self._register(here, value)

    def _set_words(self, path: list[str], value: Any,
                   allowed: tuple[str, ...],
                   error: type[exception.HeatException]) -> None:
        """Keep hooks or restricted actions, one or a list of them."""
        words = value if isinstance(value, list) else [value]
        for word in words:
            if word not in allowed:
                raise error(
                    path=[env_fmt.RESOURCE_REGISTRY, *path],
                    message=_('Invalid value "%(word)s". It should be one '
                              'of: %(allowed)s.') % {
                                  'word': word,
                                  'allowed': ', '.join(allowed)}
                    + suggest.hint(word, allowed))
        self._level(path[:-1])[path[-1]] = value

    def _level(self, path: list[str]) -> dict[str, Any]:
        """Return the dict at a path, making it if need be."""
        self._globs = None
        level = self._registry
        for name in path:
            if not isinstance(level.get(name), dict):
                level[name] = {}
            level = level[name]
        return level

    def register_class(self, resource_type: str, resource_class: Any,
                       path: list[str] | None = None) -> None:
        """Add a plugin class, or the name of a type or template."""
        self._register([resource_type] if path is None else list(path),
                       resource_class)

    def _register(self, path: list[str], value: Any) -> ResourceInfo:
        name = path[-1]
        info = _kind_of(name, value)(self, path, value)
        level = self._level(path[:-1])
        present = level.get(name)
        if isinstance(present, ResourceInfo):
            if present == info:
                return present
            LOG.log(logging.INFO if self.is_of_user else logging.WARNING,
                    'Changing %s from %s to %s', name, present.value, value)
        level[name] = info
        if len(path) == 1 and name.endswith('*'):
            # The last one comes last.
            self._wildcards.pop(name, None)
            self._wildcards[name] = info
        return info

    def _remove(self, path: list[str]) -> None:
        """Drop an entry or, with a wildcard, all that match it."""
        if path == [RESOURCES]:
            return
        level = self._level(path[:-1])
        name = path[-1]
        if name.endswith('*'):
            gone = [each for each in level if each.startswith(name[:-1])
                    and isinstance(level[each], ResourceInfo)]
        else:
            gone = [name] if name in level else []
        for each in gone:
            del level[each]
        if len(path) == 1:
            for each in gone:
                self._wildcards.pop(each, None)

    def remove_item(self, info: ResourceInfo) -> None:
        """Drop the entry of a template; others stay."""
        if not isinstance(info, TemplateResourceInfo):
            return
        self._globs = None
        level = self._registry
        for name in info.path[:-1]:
            level = level.get(name, {})
        level.pop(info.name, None)
        if len(info.path) == 1:
            self._wildcards.pop(info.name, None)

    def remove_resources_except(self, resource_name: str) -> None:
        """Keep of the entries for single resources what is inside one.

        What is said of the resources in it is then said at the top, as the
        registry of the stack inside that resource has it.
        """
        kept: dict[str, Any] = {}
        for entries in self._of_resource(resource_name):
            kept.update((name, value) for name, value in entries.items()
                        if isinstance(value, dict))
        self._registry[RESOURCES] = {}
        self._globs = None
        self._load([RESOURCES], _plain(kept))

    # -- Entries for single resources

    def _of_resource(self, resource_name: Any) -> Iterator[dict[str, Any]]:
        """Yield what is said of a resource, under its name last."""
        resources = self._registry[RESOURCES]
        if not resources or not isinstance(resource_name, str):
            return
        if self._globs is None:
            self._globs = [name for name in resources
                           if not _GLOB.isdisjoint(name)]
        for name in self._globs:
            request_budget.check()
            if name != resource_name and fnmatch.fnmatchcase(
                    resource_name, name):
                yield resources[name]
        if resource_name in resources:
            yield resources[resource_name]

    def matches_hook(self, resource_name: str, hook: str) -> bool:
        """Return whether a resource shall stop at a hook."""
        with request_budget.work():
            return any(hook in _words(entries.get(HOOKS))
                       for entries in self._of_resource(resource_name))

    def get_rsrc_restricted_actions(self, resource_name: str) -> set[str]:
        """Return the actions that are forbidden for a resource."""
        actions: set[str] = set()
        with request_budget.work():
            for entries in self._of_resource(resource_name):
                actions.update(_words(entries.get(RESTRICTED)))
        return actions

    # -- Look-up

    def own_entries(self, resource_type: str, resource_name: str | None
                    ) -> Iterator[ResourceInfo]:
        """Yield the entries about a type that this registry itself has."""
        info = self._registry.get(resource_type)
        if isinstance(info, ResourceInfo):
            yield info
        for info in self._wildcards.values():
            if info.name != resource_type and info.matches(resource_type):
                yield info
        for entries in self._of_resource(resource_name):
            for info in entries.values():
                if (isinstance(info, ResourceInfo)
                        and info.matches(resource_type)):
                    yield info

    def iterable_by(self, resource_type: str,
                    resource_name: str | None = None,
                    ) -> Iterator[ResourceInfo]:
        """Yield the entries about a type, those of the user included."""
        if (self.is_of_user and resource_type.endswith(TEMPLATE_SUFFIXES)
                and resource_type not in self._registry):
            # The name of a template file is a type without being declared.
            self._register([resource_type], resource_type)
        yield from self.own_entries(resource_type, resource_name)
        if self.global_registry is not None:
            yield from self.global_registry.own_entries(resource_type,
                                                        resource_name)

    def get_resource_info(self, resource_type: str,
                          resource_name: str | None = None,
                          registry_type: type | None = None,
                          ignore: ResourceInfo | None = None,
                          ) -> ResourceInfo:
        """Return the entry that says what a type is, mappings followed.

        registry_type restricts the kind of entry; ignore leaves one out.
        Raises EntityNotFound when there is none.
        """
        # Without entries of the user, reading the clock dominates the cost.
        with request_budget.work_if(len(self._registry) > 1 or
                                    self._registry[RESOURCES]):
            info = self.follow(resource_type, resource_name, registry_type,
                               ignore, [])
        if info is None:
            raise exception.EntityNotFound(entity='Resource Type',
                                           name=resource_type)
        return info

    def follow(self, resource_type: str, resource_name: str | None,
               registry_type: type | None, ignore: ResourceInfo | None,
               passed: list[ResourceInfo]) -> ResourceInfo | None:
        """Return the entry that mappings lead to from a type, or None.

        :param passed: the mappings followed so far, which are left out
        """
        if len(passed) > MAX_MAPPINGS:
            raise exception.StackValidationFailed(
                path=[env_fmt.RESOURCE_REGISTRY, passed[0].name],
                message=_('More than %d types are mapped to one another')
                % MAX_MAPPINGS)
        request_budget.check()
        entries = sorted(self.iterable_by(resource_type, resource_name),
                         key=ResourceInfo.rank)
        for info in entries:
            if any(info is each for each in passed):
                continue
            found: ResourceInfo | None = info
            if isinstance(info, MapResourceInfo) and (
                    registry_type is None
                    or not issubclass(registry_type, MapResourceInfo)):
                # Mappings may go in a circle, so none is followed twice.
                passed.append(info)
                found = info.registry.follow(
                    info.target(resource_type), resource_name,
                    registry_type, ignore, passed)
            if found is None or ignore is not None and found == ignore:
                continue
            if registry_type is None or isinstance(found, registry_type):
                return found
        return None

    def policy_names(self, resource_type: str,
                     resource_name: str | None = None) -> set[str]:
        """Return the names that a policy on resource types is asked about.

        These are the type itself and the type that it is mapped to. A user
        may give any name to a type by a mapping.
        """
        try:
            info = self.get_resource_info(resource_type, resource_name)
        except exception.EntityNotFound:
            return {resource_type}
        return {resource_type, info.name}

    def get_class(self, resource_type: str, resource_name: str | None = None,
                  files: Mapping[str, Any] | None = None) -> Any:
        """Return the class with the schemas of a type.

        Raises EntityNotFound when there is no such type.
        """
        info = self.get_resource_info(resource_type,
                                      resource_name=resource_name)
        return info.get_class(files=files)

    def get_class_to_instantiate(self, resource_type: Any,
                                 resource_name: str | None = None) -> Any:
        """Return the class that a resource of a template is made of.

        Raises StackValidationFailed when there is no such type.
        """
        if not isinstance(resource_type, str) or not resource_type:
            raise exception.StackValidationFailed(
                message=_('Resource "%s" must have a type, which is a '
                          'string') % resource_name)
        try:
            info = self.get_resource_info(resource_type,
                                          resource_name=resource_name)
        except exception.EntityNotFound as exc:
            raise exception.StackValidationFailed(
                message=str(exc) + suggest.hint(
                    resource_type, self.type_names())) from exc
        return info.get_class_to_instantiate()

    # -- Listing

    def type_names(self) -> Iterator[str]:
        """Yield the names of all types, without wildcards."""
        yield from (name for name, info in self._registry.items()
                    if isinstance(info, ResourceInfo)
                    and not name.endswith('*'))
        if self.global_registry is not None:
            yield from self.global_registry.type_names()

    def info_of(self, name: str) -> ResourceInfo | None:
        """Return the entry of this name, of the user or the global one."""
        info: ResourceInfo | None = self._registry.get(name)
        if info is None and self.global_registry is not None:
            return self.global_registry.info_of(name)
        return info

    def registered_classes(self) -> dict[str, Any]:
        """Return the classes of all types that are more than mappings."""
        classes = {}
        for name in self.type_names():
            info = self.info_of(name)
            if info is None or isinstance(info, MapResourceInfo):
                continue
            try:
                classes[name] = info.get_class()
            except exception.HeatException as exc:
                LOG.warning('Type %s is not available: %s', name, exc)
        return classes

    def as_dict(self) -> dict[str, Any]:
        """Return the entries of the user as a resource_registry section."""
        if not self.is_of_user:
            return {RESOURCES: {}}
        return _plain(self._registry)


def _words(value: Any) -> list[str]:
    if value is None:
        return []
    return value if isinstance(value, list) else [value]


def _plain(level: Mapping[str, Any]) -> dict[str, Any]:
    """Return a level of a registry as data that can be stored."""
    plain: dict[str, Any] = {}
    for name, value in level.items():
        if isinstance(value, dict):
            plain[name] = _plain(value)
        elif isinstance(value, ClassResourceInfo):
            continue
        elif isinstance(value, ResourceInfo):
            plain[name] = value.value
        else:
            plain[name] = value
    return plain
