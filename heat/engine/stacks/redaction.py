"""Descriptions of stacks as users may see them: hidden values masked.

A description is what export, abandon and snapshots show. It is plain data;
what a stack goes back to by a snapshot is not touched.
"""
import collections
from collections.abc import Collection, Iterable, Iterator, Sequence
import contextlib
import json
from typing import Any
from urllib import parse

from oslo_serialization import jsonutils

from heat.common import exception
from heat.common import secrecy
from heat.engine import environment as environment_module
from heat.engine import parameters
from heat.engine import template
from heat.engine.language import substitution
from heat.engine.stacks import interface
from heat.engine.stacks import template_store

#: How many texts of one hidden value are looked for.
_MOST_TEXTS = 500
_SECTIONS = ('parameters', 'parameter_defaults')
#: Length of the shortest text that is looked for in keys of maps. Most keys
#: are names, which may equal a short secret by chance.
_SHORTEST_IN_KEYS = 8
#: What a resource is described by that may hold what it was given.
_OF_RESOURCES = ('metadata', 'resource_data')
_PARAMETERS = (('parameters', 'hidden'), ('Parameters', 'NoEcho'))


def hidden_names(template: Any) -> set[str]:
    """Return the parameters that a template declares as hidden."""
    names: set[str] = set()
    for section, key in _PARAMETERS:
        declared = (template or {}).get(section)
        if not isinstance(declared, dict):
            continue
        names.update(name for name, schema in declared.items()
                     if isinstance(schema, dict) and
                     parameters.is_hidden(schema.get(key)))
    return names


def redacted(description: dict[str, Any] | None,
             stack: interface.Stack | None = None) -> Any:
    """Return a copy of a description without hidden values.

    What a nested stack was given as a hidden value is hidden in it too,
    whatever its own template says.

    :param stack: the stack described, which may be nested itself.
    """
    if not description:
        return description
    names, texts = set(), set()
    if stack is not None:
        names, texts = hidden_parameters(stack), _hidden_texts(stack)
    for each in _stacks(description):
        hidden = hidden_names(each.get('template'))
        names |= hidden
        environment = each.get('environment') or {}
        for section in _SECTIONS:
            values = environment.get(section) or {}
            for name in hidden & values.keys():
                texts |= _texts(values[name])
    secrets = _all_written(texts)
    if stack is None or not is_made_above(stack):
        return _masked(description, names, secrets, nested=False)
    return {**_masked(description, names, secrets, nested=True),
            'template': shown_template(stack, description['template'])}


def shown_template(stack: interface.Stack, data: Any) -> Any:
    """Return the data of a template of a stack as users may see it.

    What they wrote stays. A group has its members' properties in the
    template, with hidden values of the stacks above.
    """
    inherited = stack.parameters.inherited
    return data if inherited is None else struck_out(
        data, _all_written(inherited.texts))


def is_made_above(stack: interface.Stack) -> bool:
    """Return whether the values of a stack are made by one above it."""
    return (stack.owner_id is not None or
            stack.parameters.inherited is not None)


def _texts(value: Any) -> set[str]:
    """Return the texts that a hidden value consists of.

    Of a value that consists of very many, only the first ones are looked
    for: each is looked for in all that is shown.
    """
    if value is None or value in ('', [], {}):
        return set()
    found = {str(value)}
    if not isinstance(value, str):
        found.add(jsonutils.dumps(value))
    waiting = collections.deque(_parts(value))
    while waiting and len(found) < _MOST_TEXTS:
        part = waiting.popleft()
        if part is None or part in ('', [], {}):
            continue
        if len(str(part)) >= parameters.SHORTEST_SECRET:
            found.add(str(part))
        waiting.extend(_parts(part))
    return found


def _written(text: str) -> set[str]:
    """Return a text as others write it: plain, quoted, as JSON, in a URL."""
    return {text, json.dumps(text)[1:-1],
            json.dumps(text, ensure_ascii=False)[1:-1], repr(text)[1:-1],
            parse.quote(text, safe='')}


def _all_written(texts: Iterable[str]) -> set[str]:
    return set().union(*map(_written, texts))


def _parts(value: Any) -> Iterable[Any]:
    """Return what a value consists of, also one that is given as a text."""
    if isinstance(value, str):
        if value[0] not in '{[':
            return value.split(',') if ',' in value else ()
        try:
            value = jsonutils.loads(value)
        except (ValueError, RecursionError):
            return ()
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list) else ()


def _stacks(description: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the description, and those of the stacks inside."""
    yield description
    for each in (description.get('resources') or {}).values():
        if isinstance(each, dict) and each.get('template'):
            yield from _stacks(each)


def _masked(description: dict[str, Any], names: set[str],
            secrets: Collection[str], *, nested: bool) -> dict[str, Any]:
    result = dict(description)
    environment = description.get('environment')
    if environment:
        result['environment'] = masked_environment(
            environment, names, secrets, description.get('files'),
            nested=nested)
    resources = description.get('resources')
    if resources:
        result['resources'] = {
            name: _of_resource(each, names, secrets)
            for name, each in resources.items()}
    return result


def masked_environment(environment: Any, names: set[str],
                       secrets: Collection[str], files: Any, *, nested: bool
                       ) -> Any:
    """Return an environment with hidden values masked.

    :param names: the parameters that are hidden altogether.
    :param files: what is nested says which further defaults are hidden.
    :param nested: whether its values were made by the stack above. What
        users themselves write around a hidden value stays: it is given
        again when the stack is adopted.
    """
    inside = secrets if nested else ()

    def masked(name: str, value: Any, hidden: set[str]) -> Any:
        if name in hidden or str(value) in secrets:
            return parameters.HIDDEN_VALUE
        return struck_out(value, inside)

    result = dict(environment)
    for section in _SECTIONS:
        values = environment.get(section) or {}
        hidden = names if section == 'parameters' or not values else (
            names | _hidden_in_files(files))
        if section in environment:
            result[section] = {name: masked(name, value, hidden)
                               for name, value in values.items()}
    return result


def _hidden_in_files(files: Any) -> set[str]:
    """Return the parameters that templates among files declare as hidden.
    """
    names = set()
    for name, text in (files or {}).items():
        if not str(name).endswith(environment_module.TEMPLATE_SUFFIXES):
            continue
        # A file that is no template has no parameters.
        with contextlib.suppress(ValueError, TypeError,
                                 exception.RequestLimitExceeded):
            names |= hidden_names(template_store.read(text))
    return names


def _of_resource(data: Any, names: set[str], secrets: Collection[str]) -> Any:
    if not isinstance(data, dict):
        return data
    if data.get('template'):
        # A group has its members' properties in the template; to adopt it,
        # that is made anew.
        data = {**_masked(data, names, secrets, nested=True),
                'template': struck_out(data['template'], secrets)}
    return {**data, **{key: struck_out(data[key], secrets)
                       for key in _OF_RESOURCES if data.get(key)}}


def takers(definitions: Any, resource_name: str | None, names: set[str]
           ) -> set[str]:
    """Return the properties of a resource that take one of some parameters.

    :param definitions: the section of resources of a template, as data
    """
    definition = (definitions or {}).get(resource_name)
    if not isinstance(definition, dict):
        return set()
    given: dict[str, Any] = next((
        definition[key] for key in ('properties', 'Properties')
        if isinstance(definition.get(key), dict)), {})
    return {name for name, value in given.items()
            if _names_one(value, names)}


def _names_one(snippet: Any, names: set[str]) -> bool:
    if isinstance(snippet, list):
        return any(_names_one(each, names) for each in snippet)
    if not isinstance(snippet, dict):
        return False
    for key, value in snippet.items():
        first = value[0] if isinstance(value, list) and value else value
        if isinstance(first, str) and (
                key in ('get_param', 'Ref') and first in names or
                key == 'Fn::Sub' and not names.isdisjoint(
                    substitution.names(first))):
            return True
        if _names_one(value, names):
            return True
    return False


def secrets_of(stack: interface.Stack) -> set[str]:
    """Return the texts in which hidden values of a stack may turn up.

    Those that it was given by the stacks above are among them.
    """
    return _all_written(_hidden_texts(stack))


def _hidden_texts(stack: interface.Stack) -> set[str]:
    found = set()
    for parameter in stack.parameters.params.values():
        if parameter.hidden() and parameter.has_value():
            found |= _texts(_value_of(parameter))
    inherited = stack.parameters.inherited
    return found if inherited is None else found | inherited.texts


def _value_of(parameter: Any) -> Any:
    """Return a value, as it was given if it is of the wrong type."""
    try:
        return parameter.value()
    except (ValueError, TypeError):
        return parameter.user_value


def hidden_parameters(stack: interface.Stack) -> set[str]:
    """Return the names of what a stack hides of its environment."""
    names = {name for name, parameter in stack.parameters.params.items()
             if parameter.hidden()}
    inherited = stack.parameters.inherited
    return names if inherited is None else names | inherited.names


def inherited_from(stack: interface.Stack, resource_name: str | None,
                   tmpl: template.Template) -> secrecy.Inherited:
    """Return what the stack in a resource has to hide for those above.

    :param tmpl: the template of the stack inside, with its environment.
    """
    names, secrets = hidden_parameters(stack), secrets_of(stack)
    if not names and not secrets:
        return secrecy.Inherited()
    env = tmpl.env
    taking = takers(stack.t.t.get(stack.t.RESOURCES), resource_name, names)
    hidden = taking & env.params.keys()
    hidden |= names & env.param_defaults.keys()
    for values in (env.params, env.param_defaults):
        hidden.update(name for name, value in values.items()
                      if struck_out(value, secrets) != value)
    given = '\n'.join(_strings([env.params, env.param_defaults, tmpl.t]))
    return secrecy.Inherited(frozenset(hidden), frozenset(
        text for text in _hidden_texts(stack)
        if any(written in given for written in _written(text))))


def _strings(value: Any) -> Iterator[str]:
    """Yield the texts inside a value, keys included."""
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, dict):
            waiting += [*item.keys(), *item.values()]
        elif isinstance(item, list):
            waiting += item
        elif item is not None:
            yield str(item)


def hide(error: Any, secrets: Collection[str]) -> None:
    """Strike what is secret out of a HeatException."""
    text = struck_out(error.message, secrets)
    if text == error.message:
        return
    error.message = text
    error.kwargs = {name: struck_out(value, secrets)
                    for name, value in error.kwargs.items()}
    if hasattr(error, 'error_message'):
        error.error_message = struck_out(error.error_message, secrets)
    # Whatever led to it says the same.
    error.__cause__ = None
    error.__suppress_context__ = True


def struck_out(value: Any, secrets: Collection[str]) -> Any:
    """Return a value in which what is secret is masked.

    Secrets are also found inside texts, and longer ones in keys of maps.
    """
    if not secrets:
        return value
    return _struck_out(value, secrets, sorted(
        (secret for secret in secrets
         if len(secret) >= parameters.SHORTEST_SECRET),
        key=len, reverse=True))


def _struck_out(value: Any, secrets: Collection[str], long_ones: Sequence[str]
                ) -> Any:
    if isinstance(value, dict):
        return {_struck_out_key(key, long_ones):
                _struck_out(each, secrets, long_ones)
                for key, each in value.items()}
    if isinstance(value, list):
        return [_struck_out(each, secrets, long_ones) for each in value]
    if not isinstance(value, str):
        text = str(value)
        return (parameters.HIDDEN_VALUE if text in secrets and
                len(text) >= parameters.SHORTEST_SECRET else value)
    if value in secrets:
        return parameters.HIDDEN_VALUE
    for secret in long_ones:
        value = value.replace(secret, parameters.HIDDEN_VALUE)
    return value


def _struck_out_key(key: Any, long_ones: Sequence[str]) -> Any:
    if not isinstance(key, str):
        return key
    for secret in long_ones:
        if len(secret) < _SHORTEST_IN_KEYS:
            break
        key = key.replace(secret, parameters.HIDDEN_VALUE)
    return key


def without_masked_data(description: Any) -> Any:
    """Return what is to be adopted, less what has been masked of it.

    A resource gets its metadata from the template then, where the hidden
    value is given anew, and does without the data.
    """
    resources = description.get('resources')
    if not isinstance(resources, dict):
        return description
    return {**description, 'resources': {
        name: _to_adopt(each) if isinstance(each, dict) else each
        for name, each in resources.items()}}


def _to_adopt(data: Any) -> Any:
    data = without_masked_data(data)
    metadata, of_plugin = (data.get(key) for key in _OF_RESOURCES)
    if _has_mask(metadata):
        data = {**data, 'metadata': {}}
    if isinstance(of_plugin, dict):
        data = {**data, 'resource_data': {
            key: value for key, value in of_plugin.items()
            if not _has_mask(value)}}
    return data


def _has_mask(value: Any) -> bool:
    if isinstance(value, dict):
        return any(_has_mask(each) for item in value.items()
                   for each in item)
    if isinstance(value, list):
        return any(_has_mask(each) for each in value)
    return isinstance(value, str) and parameters.HIDDEN_VALUE in value


def without_masks(environment: Any, template: Any) -> Any:
    """Return an environment without values that somebody has masked.

    Whoever adopts an exported stack has to give hidden values anew: a mask
    is none.
    """
    hidden = hidden_names(template)
    return {**environment, **{
        section: {name: value for name, value in
                  (environment.get(section) or {}).items()
                  if name not in hidden or value != parameters.HIDDEN_VALUE}
        for section in _SECTIONS if section in environment}}


def know_inherited(stack: interface.Stack) -> None:
    """Have a nested stack hide what derives from hidden values above it.

    New stacks are stored with what they inherit. For stacks that an earlier
    release or another service stored, it is derived from the stacks above.
    """
    if stack.owner_id is None or stack.parameters.inherited is not None:
        return
    try:
        parent = type(stack).load(stack.context, stack.owner_id)
    except exception.EntityNotFound:
        return
    know_inherited(parent)
    stack.parameters.inherit(inherited_from(
        parent, stack.parent_resource_name, stack.t))
