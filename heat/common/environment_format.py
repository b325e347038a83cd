"""Reading the text of environment files."""
from collections.abc import Iterable, Mapping
from typing import Any

from heat.common import template_format
from heat.common.i18n import _

SECTIONS = (
    PARAMETERS, RESOURCE_REGISTRY, PARAMETER_DEFAULTS,
    ENCRYPTED_PARAM_NAMES, EVENT_SINKS,
    PARAMETER_MERGE_STRATEGIES, MOVES,
) = (
    'parameters', 'resource_registry', 'parameter_defaults',
    'encrypted_param_names', 'event_sinks',
    'parameter_merge_strategies', 'moves',
)


def validate(env):
    """Raise ValueError unless env has only known sections with content."""
    if not isinstance(env, dict):
        raise ValueError(
            _('The environment is not a JSON object or YAML mapping.'))
    for section, content in env.items():
        if section not in SECTIONS:
            raise ValueError(
                _('The environment has an unknown section "%(section)s"; '
                  'the sections are %(known)s.')
                % {'section': section, 'known': ', '.join(SECTIONS)})
        if content is None:
            raise ValueError(
                _('The section "%s" of the environment is empty; leave it '
                  'out or give it content.') % section)


def parse(env_str):
    """Return the validated mapping of an environment's text."""
    template_format.validate_template_limit(len(env_str))
    try:
        env = template_format.simple_parse(env_str)
    except ValueError as exc:
        raise template_format.ParseError(
            str(exc).replace('template', 'environment', 1), exc) from exc
    validate(env)
    return env


def default_for_missing(env):
    """Add the sections that are missing, empty, to env itself."""
    for section in (PARAMETERS, RESOURCE_REGISTRY, PARAMETER_DEFAULTS):
        env.setdefault(section, {})
    for section in (ENCRYPTED_PARAM_NAMES, EVENT_SINKS):
        env.setdefault(section, [])


def new_items(present: Iterable[Any], given: Iterable[Any]) -> list[Any]:
    """Return the given items of a list section that are not there yet.

    Each once, in order. The time grows with the number of items alone: a
    tenant may send some ten thousand.
    """
    known = {_hashable(item) for item in present}
    new = []
    for item in given:
        key = _hashable(item)
        if key not in known:
            known.add(key)
            new.append(item)
    return new


def _hashable(value: Any) -> Any:
    """Return a value that stands for data of JSON or YAML in a set."""
    if isinstance(value, Mapping):
        return frozenset((key, _hashable(each))
                         for key, each in value.items())
    if isinstance(value, (list, tuple)):
        return tuple(_hashable(each) for each in value)
    return value
