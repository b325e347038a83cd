"""Environments: parameter values, resource types and event sinks of a stack.

The global environment holds what plugins and the operator provide; it is
filled at start-up. Every other environment lies over it.
"""
import collections.abc
from collections.abc import Callable, Iterable, Iterator, Mapping
import glob
import logging
import os
from typing import Any

from heat.common import environment_format as env_fmt
from heat.common import exception
from heat.common import secrecy
from heat.common.i18n import _
from heat.engine.language import environment_registry
from heat.engine.language import suggest

LOG = logging.getLogger(__name__)

HOOK_TYPES = (
    HOOK_PRE_CREATE, HOOK_PRE_UPDATE, HOOK_PRE_DELETE,
    HOOK_POST_CREATE, HOOK_POST_UPDATE, HOOK_POST_DELETE,
) = environment_registry.HOOK_TYPES

RESTRICTED_ACTIONS = (
    UPDATE, REPLACE,
) = environment_registry.RESTRICTED_ACTIONS

TEMPLATE_SUFFIXES = environment_registry.TEMPLATE_SUFFIXES

valid_hook_type = environment_registry.valid_hook_type
valid_restricted_actions = environment_registry.valid_restricted_actions

ResourceInfo = environment_registry.ResourceInfo
ClassResourceInfo = environment_registry.ClassResourceInfo
TemplateResourceInfo = environment_registry.TemplateResourceInfo
MapResourceInfo = environment_registry.MapResourceInfo
GlobResourceInfo = environment_registry.GlobResourceInfo
ResourceRegistry = environment_registry.ResourceRegistry

_global_environment: 'Environment | None' = None


def global_env() -> 'Environment':
    """Return the global environment; an empty one if none was set."""
    if _global_environment is None:
        set_global_env(Environment({}, user_env=False))
    assert _global_environment is not None      # set_global_env() has set it
    return _global_environment


def set_global_env(env: 'Environment | None') -> None:
    """Set the global environment; None forgets it."""
    global _global_environment
    _global_environment = env


def _section(env: Mapping[str, Any], name: str,
             kind: Callable[[Any], Any]) -> Any:
    """Return a copy of a section, empty if it is absent."""
    contents = env.get(name)
    if contents is None:
        return kind(())
    wanted = (collections.abc.Mapping if kind is dict else (list, tuple))
    if not isinstance(contents, wanted):
        raise ValueError(
            _('The section "%(name)s" of the environment must be a '
              '%(kind)s') % {'name': name,
                             'kind': _('map') if kind is dict else _('list')})
    return kind(contents)


def _names(env: Mapping[str, Any], name: str) -> list[str]:
    """Return a section that is a list of names, empty if it is absent."""
    names: list[str] = _section(env, name, list)
    for each in names:
        if not isinstance(each, str):
            raise ValueError(
                _('The section "%(name)s" of the environment must be a list '
                  'of names, not of %(kind)s') % {
                      'name': name, 'kind': type(each).__name__})
    return names


class Environment:
    """Parameters, registry and event sinks, over the global environment.

    A dict without a parameters section is taken as the parameters.
    """

    #: What was wrong with the files it was made of, for validation to tell.
    fault: exception.HeatException | None = None
    #: What to hide for the stacks above; None if there are none, or if the
    #: environment was stored before that was noted.
    inherited: secrecy.Inherited | None = None

    def __init__(self, env: Mapping[str, Any] | None = None,
                 user_env: bool = True) -> None:
        env = {} if env is None else env
        below: Environment | None = global_env() if user_env else None
        self.registry: ResourceRegistry = ResourceRegistry(
            None if below is None else below.registry, self)
        self.constraints: dict[str, Any] = {}
        self.stack_lifecycle_plugins: list[tuple[str, Any]] = []
        self.event_sink_classes: dict[str, Any] = {}
        if below is not None:
            self.constraints = below.constraints
            self.stack_lifecycle_plugins = below.stack_lifecycle_plugins
            self.event_sink_classes = below.event_sink_classes
        self.params: dict[str, Any] = {}
        self.param_defaults: dict[str, Any] = {}
        self.encrypted_param_names: list[str] = []
        #: Moves of resources, {from, to} each, that updates carry out.
        self.moves: list[Any] = []
        self._event_sinks: list[dict[str, Any]] = []
        self._built_event_sinks: list[Any] = []
        if env_fmt.PARAMETERS not in env:
            env = {**env, env_fmt.PARAMETERS: {
                name: value for name, value in env.items()
                if name not in env_fmt.SECTIONS}}
        self.load(env)

    def load(self, env_snippet: Mapping[str, Any]) -> None:
        """Add the contents of an environment, over what there is."""
        self.registry.load(env_snippet.get(env_fmt.RESOURCE_REGISTRY))
        self.params.update(_section(env_snippet, env_fmt.PARAMETERS, dict))
        self.param_defaults.update(
            _section(env_snippet, env_fmt.PARAMETER_DEFAULTS, dict))
        self.encrypted_param_names += env_fmt.new_items(
            self.encrypted_param_names,
            _names(env_snippet, env_fmt.ENCRYPTED_PARAM_NAMES))
        sinks = _section(env_snippet, env_fmt.EVENT_SINKS, list)
        for index, sink in enumerate(sinks):
            self._check_event_sink(index, sink)
        self._event_sinks += [dict(sink) for sink in env_fmt.new_items(
            self._event_sinks, sinks)]
        self._built_event_sinks = []
        self.moves += env_fmt.new_items(
            self.moves, _section(env_snippet, env_fmt.MOVES, list))

    def patch_previous_parameters(self, previous_env: 'Environment',
                                  parameters_to_clear: Iterable[str] = (),
                                  ) -> None:
        """Put an older environment below this one.

        Of its parameters, those to clear are left out. Entries and defaults
        of it stay unless this environment has others.
        """
        cleared = frozenset(parameters_to_clear)
        mine = self.env_as_dict()
        merged = Environment(previous_env.env_as_dict())
        merged.params = {name: value for name, value in merged.params.items()
                         if name not in cleared}
        merged.load(mine)
        # NOTE: what was encrypted is known from the schema when it is
        # stored again; a cleared parameter must not be listed.
        self.params = merged.params
        self.param_defaults = merged.param_defaults
        self.encrypted_param_names = [
            name for name in merged.encrypted_param_names
            if name in merged.params]
        self.inherited = previous_env.inherited
        self.moves = merged.moves
        self._event_sinks = merged._event_sinks
        self._built_event_sinks = []
        self.registry.load(_below(merged.registry.as_dict(),
                                  mine[env_fmt.RESOURCE_REGISTRY]))

    def user_env_as_dict(self) -> dict[str, Any]:
        """Return the environment as users write it."""
        moves = {env_fmt.MOVES: list(self.moves)} if self.moves else {}
        return {
            env_fmt.RESOURCE_REGISTRY: self.registry.as_dict(),
            env_fmt.PARAMETERS: dict(self.params),
            env_fmt.PARAMETER_DEFAULTS: dict(self.param_defaults),
            env_fmt.EVENT_SINKS: [dict(sink) for sink in self._event_sinks],
            **moves,
        }

    def env_as_dict(self) -> dict[str, Any]:
        """Return the environment as it is stored."""
        return {**self.user_env_as_dict(),
                env_fmt.ENCRYPTED_PARAM_NAMES:
                list(self.encrypted_param_names)}

    # -- Resource types

    def register_class(self, resource_type: str, resource_class: Any,
                       path: list[str] | None = None) -> None:
        """Add a plugin class, or the name of a type or template."""
        self.registry.register_class(resource_type, resource_class,
                                     path=path)

    def register_template_resource_factory(
            self, factory: Callable[[str, Any, Any], Any],
            instance_class: Any = None,
            fetch: Callable[[str, bool], str] | None = None) -> None:
        """Have templates become resource types, in the global environment.

        factory(name, data, env) makes the class that has the schemas of the
        type from the text of the template. Resources of such a type are
        made of instance_class, or of the factory's class. fetch(location,
        user_resource) returns a text that is not among the files of a
        request.
        """
        self.registry.use_template_types(environment_registry.TemplateTypes(
            factory, instance_class, fetch))

    def register_stand_in(self, cls: type) -> None:
        """Set the class of stored resources whose type is not known.

        It counts in the global environment.
        """
        self.registry.use_stand_in(cls)

    def get_class(self, resource_type: str, resource_name: str | None = None,
                  files: Mapping[str, Any] | None = None) -> Any:
        """Return the class that has the schemas of a type.

        Raises EntityNotFound when there is no such type.
        """
        return self.registry.get_class(resource_type, resource_name,
                                       files=files)

    def get_class_to_instantiate(self, resource_type: Any,
                                 resource_name: str | None = None) -> Any:
        """Return the class that a resource of a template is made of.

        Raises StackValidationFailed when there is no such type.
        """
        return self.registry.get_class_to_instantiate(resource_type,
                                                      resource_name)

    def get_resource_info(self, resource_type: str,
                          resource_name: str | None = None,
                          registry_type: type | None = None,
                          ignore: Any = None) -> Any:
        """Return the registry entry for a type, mappings followed.

        Raises EntityNotFound when there is none.
        """
        return self.registry.get_resource_info(
            resource_type, resource_name, registry_type=registry_type,
            ignore=ignore)

    def policy_names(self, resource_type: str,
                     resource_name: str | None = None) -> set[str]:
        """Return the names that a policy on resource types is asked about.
        """
        return self.registry.policy_names(resource_type, resource_name)

    def registered_classes(self) -> dict[str, Any]:
        """Return the classes of all types that are more than mappings."""
        return self.registry.registered_classes()

    # -- Other plugins

    def register_constraint(self, constraint_name: str,
                            constraint: Any) -> None:
        """Add the class of a custom constraint."""
        self.constraints[constraint_name] = constraint

    def get_constraint(self, name: str) -> Any:
        """Return the class of a custom constraint, None if unknown."""
        return self.constraints.get(name)

    def register_stack_lifecycle_plugin(self, plugin_name: str,
                                        plugin_class: Any) -> None:
        """Add a class whose objects see every stack operation."""
        self.stack_lifecycle_plugins.append((plugin_name, plugin_class))

    def get_stack_lifecycle_plugins(self) -> list[tuple[str, Any]]:
        """Return (name, class) of the life cycle plugins."""
        return list(self.stack_lifecycle_plugins)

    def register_event_sink(self, event_sink_name: str,
                            event_sink_class: Any) -> None:
        """Add a class that takes events elsewhere."""
        self.event_sink_classes[event_sink_name] = event_sink_class

    def _check_event_sink(self, index: int, sink: Any) -> None:
        path = [env_fmt.EVENT_SINKS, index]
        if not isinstance(sink, collections.abc.Mapping) or (
                'type' not in sink):
            raise exception.StackValidationFailed(
                path=path,
                message=_('An event sink must be a map with a type'))
        known = self.event_sink_classes
        if sink['type'] not in known and known:
            raise exception.StackValidationFailed(
                path=path,
                message=_('There is no event sink type "%(type)s", the types '
                          'are: %(known)s.') % {
                              'type': sink['type'],
                              'known': ', '.join(sorted(known))}
                + suggest.hint(sink['type'], known))

    def require_event_sinks(self) -> None:
        """Raise StackValidationFailed for a sink that nothing stands behind.

        A stored environment may have such: a plugin may be gone.
        """
        for index, sink in enumerate(self._event_sinks):
            if sink['type'] not in self.event_sink_classes:
                raise exception.StackValidationFailed(
                    path=[env_fmt.EVENT_SINKS, index, 'type'],
                    message=_('Events cannot be sent to a "%s" here: no '
                              'plugin for it is installed') % sink['type'])

    def get_event_sinks(self) -> list[Any]:
        """Return the sinks that events of the stack go to."""
        if not self._built_event_sinks and self._event_sinks:
            self._built_event_sinks = [
                self.event_sink_classes[sink['type']](
                    **{key: value for key, value in sink.items()
                       if key != 'type'})
                for sink in self._event_sinks
                if sink['type'] in self.event_sink_classes]
        return list(self._built_event_sinks)


def _below(level: Mapping[str, Any],
           over: Mapping[str, Any]) -> dict[str, Any]:
    """Return the entries of a level that another does not have."""
    below: dict[str, Any] = {}
    for name, value in level.items():
        if isinstance(value, dict):
            inner = over.get(name)
            below[name] = _below(
                value, inner if isinstance(inner, dict) else {})
        elif name not in over:
            below[name] = value
    return below


def _is_flat(env_or_params: Any) -> bool:
    return env_or_params is not None and not any(
        section in env_or_params for section in env_fmt.SECTIONS)


def get_child_environment(parent_env: Environment, child_params: Any,
                          item_to_remove: Any = None,
                          child_resource_name: str | None = None,
                          ) -> Environment:
    """Return the environment for the stack inside a resource.

    It has everything of the parent's but the parameters. child_params are
    the parameters, or a whole environment that is put over it.
    item_to_remove is a registry entry to leave out, so that a template does
    not stand for a resource inside itself. Of the entries for single
    resources those inside child_resource_name are kept.
    """
    child = Environment({**parent_env.user_env_as_dict(),
                         env_fmt.PARAMETERS: {}})
    # Their paths begin in the stack that they were given for.
    child.moves = []
    if _is_flat(child_params):
        child.load({env_fmt.PARAMETERS: child_params})
    elif child_params is not None:
        child.load(child_params)
    if item_to_remove is not None:
        child.registry.remove_item(item_to_remove)
    if child_resource_name:
        child.registry.remove_resources_except(child_resource_name)
    return child


def get_custom_environment(registry: Mapping[str, Any],
                           params: Any) -> Environment:
    """Return an environment with just these entries and parameters."""
    return Environment({env_fmt.RESOURCE_REGISTRY: registry,
                        env_fmt.PARAMETERS: params or {}})


def read_global_environment(env: Environment, env_dir: str) -> None:
    """Load the environment files of a directory, in order of their names.

    A file that cannot be used is skipped: problems_of_directory() names it
    when a service starts.
    """
    for problem in _read_directory(env, env_dir):
        LOG.debug('%s', problem)


def problems_of_directory(env_dir: str) -> list[str]:
    """Return a text for each environment file that would be skipped."""
    return list(_read_directory(Environment({}, user_env=False), env_dir))


def _read_directory(env: Environment, env_dir: str) -> Iterator[str]:
    """Load the files of a directory; yield what is wrong with each."""
    for path in sorted(glob.glob(os.path.join(env_dir, '*'))):
        if not os.path.isfile(path):
            continue
        LOG.info('Loading %s', path)
        try:
            with open(path, encoding='utf-8') as env_file:
                env.load(env_fmt.parse(env_file.read()))
        except (exception.HeatException, ValueError, OSError) as exc:
            yield f'Failed to read {path}: {exc}'
