"""Descriptions of stacks as users may see them: hidden values masked.

A description is what export, abandon and snapshots show. It is plain data;
what a stack goes back to by a snapshot is not touched.
"""
from heat.engine import parameters

_SECTIONS = ('parameters', 'parameter_defaults')
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
            secrets.update(str(values[name]) for name in hidden
                           if values.get(name) not in (None, ''))
    return _masked(description, names, secrets)


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
    if data.get('metadata'):
        data = {**data, 'metadata': _replaced(data['metadata'], secrets)}
    return data


def _replaced(value, secrets):
    """Return a value in which texts that are secret are masked."""
    if isinstance(value, dict):
        return {key: _replaced(each, secrets) for key, each in value.items()}
    if isinstance(value, list):
        return [_replaced(each, secrets) for each in value]
    if isinstance(value, str) and value in secrets:
        return parameters.HIDDEN_VALUE
    return value


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
