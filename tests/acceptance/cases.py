"""The table of resource types: what each is made of, and changed to.

A file types/*.yaml maps names of types to the following; README.rst tells
more, with an example::

    as: member or admin; who owns the stack (member)
    needs: {name: resource} of the same template
    after: names in "needs" that the resource depends on without a reference
    parameters: {name: value} of the template
    properties: of the resource at first
    update: properties to change in place; null takes one away
    replace: properties whose change makes another one
    service, path: where the service shows it; {id} and the names of
                   resources in "needs" stand for physical ids
    key: where in the answer it is; by default the only key
    shows: {property: key in what the service shows}, where they differ
    unseen: properties that the service does not show as they were given
    look: function of tests/acceptance/looks.py that finds it, instead of
          service and path
    no_update, no_replace: why there is none
    tidy: function of tests/acceptance/looks.py that removes what stays by
          design when a resource is deleted
    missing: why the cloud cannot serve the type; it must be refused
    pending: why the cloud never gets ready with it; it is then made, and
             deleted while it is being made
    refused: why the service of the cloud makes none; the stack that asks for
             it has to fail, and to go away
    untried: why it is not tried at all
    alone: whether no other tests may run meanwhile
    named: whether it has no physical id, but a name that tells it from
           others
"""
import dataclasses
import json
import pathlib
import re

import yaml

_DIRECTORY = pathlib.Path(__file__).resolve().parent / 'types'


@dataclasses.dataclass(frozen=True, slots=True)
class Case:
    """One type, and what is to be done with a resource of it."""

    type: str
    user: str = 'member'
    needs: dict = dataclasses.field(default_factory=dict)
    after: tuple = ()
    parameters: dict = dataclasses.field(default_factory=dict)
    properties: dict = dataclasses.field(default_factory=dict)
    update: dict = dataclasses.field(default_factory=dict)
    replace: dict = dataclasses.field(default_factory=dict)
    service: str = ''
    path: str = ''
    key: str = ''
    look: str = ''
    shows: dict = dataclasses.field(default_factory=dict)
    unseen: tuple = ()
    tidy: str = ''
    no_update: str = ''
    no_replace: str = ''
    missing: str = ''
    pending: str = ''
    refused: str = ''
    untried: str = ''
    alone: bool = False
    named: bool = False

    @property
    def types(self):
        """Return all types of the template."""
        return {self.type, *(one['type'] for one in self.needs.values())}

    @property
    def words(self):
        """Return the words that are to be filled in."""
        return set(re.findall('<([a-z_]+)>', json.dumps(
            dataclasses.asdict(self))))

    def template(self, properties, words):
        """Return a template with the resource, words filled in."""
        return filled({
            'heat_template_version': 'wallaby',
            'parameters': {
                name: {'type': 'string', 'default': value}
                for name, value in self.parameters.items()},
            'resources': {
                **self.needs,
                'it': {'type': self.type, 'properties': properties,
                       'depends_on': list(self.after)}},
            'outputs': {'it': {'value': {'get_resource': 'it'}}}
            if self.named else {}}, words)

    def states(self):
        """Return the properties at first, updated, and replaced."""
        first = self.properties
        second = _changed(first, self.update)
        return first, second, _changed(second, self.replace)


def _changed(properties, change):
    merged = {**properties, **change}
    return {name: value for name, value in merged.items()
            if value is not None}


def filled(value, words):
    """Return a value with <word> replaced in all its texts."""
    if isinstance(value, dict):
        return {filled(key, words): filled(one, words)
                for key, one in value.items()}
    if isinstance(value, list):
        return [filled(one, words) for one in value]
    if isinstance(value, str):
        for word, text in words.items():
            value = value.replace(f'<{word}>', text)
    return value


def _case(name, description):
    values = dict(description)
    values['user'] = values.pop('as', 'member')
    for key in ('unseen', 'after'):
        values[key] = tuple(values.get(key, ()))
    return Case(type=name, **values)


def load():
    """Return {type: case} of all files of the table."""
    cases = {}
    for path in sorted(_DIRECTORY.glob('*.yaml')):
        for name, description in yaml.safe_load(path.read_text()).items():
            assert name not in cases, f'{name} is in the table twice'
            cases[name] = _case(name, description)
    return cases
