"""Descriptions of stacks as users may see them: hidden values masked.

A description is what export, abandon and snapshots show. It is plain data;
what a stack goes back to by a snapshot is not touched.
"""
from oslo_serialization import jsonutils

from heat.engine import parameters

_SECTIONS = ('parameters', 'parameter_defaults')
#: What a resource is described by that may hold what it was given.
_OF_RESOURCES = ('metadata', 'resource_data')
_PARAMETERS = (('parameters', 'hidden'), ('Parameters', 'NoEcho'))


def hidden_names(template):
    """Return the parameters that a template declares as hidden."""
    names = set()
    for section, key in _PARAMETERS:
        declared = (template or {}).get(section)
        if not isinstance(declared, dict):
            continue
        names.update(name for name, schema in declared.items()
                     if isinstance(schema, dict) and
                     parameters.is_hidden(schema.get(key)))
    return names


def redacted(description):
    """Return a copy of a description without hidden values.

    What a nested stack was given as a hidden value is hidden in it too,
    whatever its own template says.
    """
    if not description:
        return description
    names, secrets = set(), set()
    for each in _stacks(description):
        hidden = hidden_names(each.get('template'))
        names |= hidden
        environment = each.get('environment') or {}
        for section in _SECTIONS:
            values = environment.get(section) or {}
            for name in hidden & values.keys():
                secrets.update(_texts(values[name]))
    return _masked(description, names, secrets)


def _texts(value):
    """Return the texts in which a hidden value may turn up elsewhere."""
    if value is None or value in ('', [], {}):
        return set()
    parts = _parts(value)
    return {str(value), *(
        text for part in parts for text in _texts(part)
        if len(text) >= parameters.SHORTEST_SECRET)}


def _parts(value):
    """Return what a value consists of, also one that is given as a text."""
    if isinstance(value, str):
        if value[0] not in '{[':
            return value.split(',') if ',' in value else ()
        try:
            value = jsonutils.loads(value)
        except ValueError:
            return ()
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list) else ()


def _stacks(description):
    """Yield the description, and those of the stacks inside."""
    yield description
    for each in (description.get('resources') or {}).values():
        if isinstance(each, dict) and each.get('template'):
            yield from _stacks(each)


def _masked(description, names, secrets):
    result = dict(description)
    environment = description.get('environment')
    if environment:
        result['environment'] = {**environment, **{
            section: {name: (parameters.HIDDEN_VALUE
                             if name in names or str(value) in secrets
                             else value)
                      for name, value in
                      (environment.get(section) or {}).items()}
            for section in _SECTIONS if section in environment}}
    resources = description.get('resources')
    if resources:
        result['resources'] = {
            name: _of_resource(each, names, secrets)
            for name, each in resources.items()}
    return result


def _of_resource(data, names, secrets):
    if not isinstance(data, dict):
        return data
    if data.get('template'):
        data = _masked(data, names, secrets)
    return {**data, **{key: struck_out(data[key], secrets)
                       for key in _OF_RESOURCES if data.get(key)}}


def takers(definitions, resource_name, names):
    """Return the properties of a resource that take one of some parameters.

    :param definitions: the section of resources of a template, as data
    """
    definition = (definitions or {}).get(resource_name)
    if not isinstance(definition, dict):
        return set()
    given = next((definition[key] for key in ('properties', 'Properties')
                  if isinstance(definition.get(key), dict)), {})
    return {name for name, value in given.items()
            if _names_one(value, names)}


def _names_one(snippet, names):
    if isinstance(snippet, list):
        return any(_names_one(each, names) for each in snippet)
    if not isinstance(snippet, dict):
        return False
    for key, value in snippet.items():
        if key in ('get_param', 'Ref'):
            first = value[0] if isinstance(value, list) and value else value
            if isinstance(first, str) and first in names:
                return True
        if _names_one(value, names):
            return True
    return False


def secrets_of(stack):
    """Return the texts in which hidden values of a stack may turn up."""
    hidden = (parameter for parameter in stack.parameters.params.values()
              if parameter.hidden() and parameter.has_value())
    return set().union(*(_texts(parameter.value()) for parameter in hidden))


def hide(error, secrets):
    """Strike what is secret out of a HeatException."""
    text = struck_out(error.message, secrets)
    if text == error.message:
        return
    error.message = text
    error.kwargs = struck_out(error.kwargs, secrets)
    if hasattr(error, 'error_message'):
        error.error_message = struck_out(error.error_message, secrets)
    # Whatever led to it says the same.
    error.__cause__ = None
    error.__suppress_context__ = True


def struck_out(value, secrets):
    """Return a value in which what is secret is masked, also inside texts.
    """
    if not secrets:
        return value
    if isinstance(value, dict):
        return {key: struck_out(each, secrets) for key, each in value.items()}
    if isinstance(value, list):
        return [struck_out(each, secrets) for each in value]
    if not isinstance(value, str):
        text = str(value)
        return (parameters.HIDDEN_VALUE if text in secrets and
                len(text) >= parameters.SHORTEST_SECRET else value)
    if value in secrets:
        return parameters.HIDDEN_VALUE
    for secret in sorted(secrets, key=len, reverse=True):
        if len(secret) >= parameters.SHORTEST_SECRET:
            value = value.replace(secret, parameters.HIDDEN_VALUE)
    return value


def without_masked_data(description):
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


def _to_adopt(data):
    data = without_masked_data(data)
    metadata, of_plugin = (data.get(key) for key in _OF_RESOURCES)
    if _has_mask(metadata):
        data = {**data, 'metadata': {}}
    if isinstance(of_plugin, dict):
        data = {**data, 'resource_data': {
            key: value for key, value in of_plugin.items()
            if not _has_mask(value)}}
    return data


def _has_mask(value):
    if isinstance(value, dict):
        return any(_has_mask(each) for each in value.values())
    if isinstance(value, list):
        return any(_has_mask(each) for each in value)
    return isinstance(value, str) and parameters.HIDDEN_VALUE in value


def without_masks(environment, template):
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
