"""Random templates, environments and values, for tests of laws.

A test says ``@strategies.SETTINGS`` so that it is tried with the same
examples everywhere; HEAT_TEST_EXAMPLES asks for more, and other ones.
"""
import functools
import os
import string

import hypothesis
from hypothesis import strategies as st

LATEST = '2021-04-16'

_EXAMPLES = int(os.environ.get('HEAT_TEST_EXAMPLES', '0'))


def settings(max_examples):
    """Return the settings of a test that is tried so many times."""
    return hypothesis.settings(
        max_examples=max(_EXAMPLES, max_examples),
        derandomize=not _EXAMPLES, database=None, deadline=None,
        suppress_health_check=list(hypothesis.HealthCheck))


SETTINGS = settings(30)

#: Texts that YAML and JSON can hold, and that no pattern takes for a word.
texts = st.text(st.characters(
    codec='utf-8', exclude_categories=('Cc', 'Cs', 'Co', 'Cn')),
    max_size=8)
#: Words that are no functions, so that a map with one entry is no call.
words = st.text(string.ascii_lowercase, min_size=1, max_size=4).filter(
    lambda word: word not in ('and', 'if', 'not', 'or', 'yaql'))
scalars = st.one_of(texts, words, st.integers(-10 ** 6, 10 ** 6),
                    st.booleans(), st.none(),
                    st.floats(-1e6, 1e6, allow_nan=False))

#: Anything a template can hold that is no function call: a map with one
#: entry might be one, but no function is called in upper case.
data = st.recursive(
    scalars, lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(st.text(string.ascii_uppercase, min_size=1,
                                max_size=3), inner, max_size=3)),
    max_leaves=6)

# Parameters that all random templates have, and what they are by default.
PARAMETERS = {
    'text': {'type': 'string', 'default': 'some text',
             'constraints': [{'length': {'min': 1, 'max': 20}}]},
    'number': {'type': 'number', 'default': 7,
               'constraints': [{'range': {'min': 0, 'max': 100}}]},
    'flag': {'type': 'boolean', 'default': True},
    'list': {'type': 'comma_delimited_list', 'default': 'a,b,c'},
    'map': {'type': 'json', 'default': {'k': 'v', 'l': ['x', 'y']}},
    'secret': {'type': 'string', 'default': 'hush', 'hidden': True},
}

#: Other values for them.
parameter_values = st.fixed_dictionaries({}, optional={
    'text': st.text(string.ascii_letters, min_size=1, max_size=20),
    'number': st.integers(0, 100),
    'flag': st.booleans(),
    'list': st.lists(words, max_size=4).map(','.join),
    'map': st.dictionaries(words, data, max_size=3),
    'secret': words,
})


@st.composite
def conditions(draw, names=()):
    """Draw a condition that may refer to conditions with these names."""
    leaf = st.one_of(
        st.booleans(),
        st.just({'get_param': 'flag'}),
        st.builds(lambda word: {'equals': [{'get_param': 'text'}, word]},
                  words),
        st.builds(lambda word: {'contains': [word, {'get_param': 'list'}]},
                  words),
        st.builds(lambda least: {'yaql': {
            'expression': '$.data >= %d' % least,
            'data': {'get_param': 'number'}}}, st.integers(0, 100)),
        *([st.sampled_from(sorted(names))] if names else []))
    return draw(st.recursive(leaf, lambda inner: st.one_of(
        st.builds(lambda one: {'not': one}, inner),
        st.builds(lambda several: {'and': several},
                  st.lists(inner, min_size=2, max_size=3)),
        st.builds(lambda several: {'or': several},
                  st.lists(inner, min_size=2, max_size=3))), max_leaves=3))


class Expressions:
    """Expressions of each type that may refer to resources and conditions.

    They call functions in one another's arguments, to a depth.
    """

    def __init__(self, resources=(), conditions=(), depth=2):
        """Let them refer to resources and conditions with these names."""
        self.text = st.one_of(
            texts, words,
            st.sampled_from(['text', 'secret']).map(
                lambda name: {'get_param': name}),
            st.just({'get_param': 'OS::stack_name'}),
            st.just({'get_param': ['map', 'nothing']}),
            st.just({'get_file': 'a file'}),
            *([st.sampled_from(sorted(resources)).map(
                lambda name: {'get_resource': name})] if resources else []))
        self.list = st.one_of(st.lists(words, max_size=3),
                              st.just({'get_param': 'list'}))
        self.map = st.one_of(
            st.dictionaries(words, data, min_size=2, max_size=3),
            st.just({'get_param': 'map'}))
        self.any = st.one_of(data, self.text, self.list, self.map)
        for _level in range(depth):
            self._nest(sorted(conditions))

    def _nest(self, conditions):
        """Let every kind be made of those that there are so far."""
        text, items, mapping = (
            st.one_of(kind, *calls) for kind, calls in (
                (self.text, self._text_calls()),
                (self.list, self._list_calls()),
                (self.map, self._map_calls())))
        if conditions:
            names = st.sampled_from(conditions)
            text, items, mapping = (
                st.one_of(kind, st.builds(
                    lambda *args: {'if': list(args)}, names, kind, kind))
                for kind in (text, items, mapping))
        self.text, self.list, self.map = text, items, mapping
        self.any = st.one_of(data, text, items, mapping)

    def _text_calls(self):
        return (
            st.builds(lambda delim, items: {'list_join': [delim, items]},
                      words, self.list),
            st.builds(lambda text, value: {'str_replace': {
                'template': text, 'params': {'a': value, 'ab': text}}},
                self.text, self.any),
            st.builds(lambda word, value: {'str_replace_strict': {
                'template': word + '%', 'params': {'%': value}}},
                words, self.text),
            st.builds(lambda text: {'str_split': ['x', text, 0]},
                      self.text),
            st.builds(lambda word: {'digest': ['sha256', word]}, words),
            st.builds(lambda host, path: {'make_url': {
                'scheme': 'http', 'host': host, 'path': path}},
                words, words))

    def _list_calls(self):
        return (
            st.lists(self.text, max_size=3),
            st.builds(lambda some: {'list_concat': some},
                      st.lists(self.list, max_size=2)),
            st.builds(lambda some: {'list_concat_unique': some},
                      st.lists(self.list, max_size=2)),
            st.builds(lambda values, items: {'filter': [values, items]},
                      self.list, self.list),
            st.builds(lambda text: {'str_split': ['e', text]}, self.text),
            st.builds(lambda value, items: {'repeat': {
                'template': value, 'for_each': {'%one%': items}}},
                self.any, st.lists(words, max_size=2)))

    def _map_calls(self):
        return (
            st.builds(lambda some: {'map_merge': some},
                      st.lists(self.map, max_size=2)),
            st.builds(lambda value, old, new: {'map_replace': [
                value, {'values': {old: new}}]}, self.map, words, words),
            st.builds(lambda value, other: {'A': value, 'B': other},
                      self.any, self.any))


@functools.lru_cache(maxsize=256)
def expressions(resources, conditions):
    """Return the Expressions that may refer to these names, in tuples."""
    return Expressions(resources, conditions)


@st.composite
def templates(draw, valid=True, type_name='Test::Thing', attributes=('out',),
              max_resources=5):
    """Draw the raw data of a HOT template of the latest version.

    A valid one refers only to resources before, without conditions of
    their own. Others may refer to any: to later ones, to themselves and to
    what is switched off. Resources have the properties text, list, map and
    any, and an attribute.
    """
    defined = {}
    for index in range(draw(st.integers(0, 3))):
        defined[f'c{index}'] = draw(conditions(names=tuple(defined)))
    names = [f'r{index}' for index in range(
        draw(st.integers(0, max_resources)))]
    resources, sure = {}, []
    for name in names:
        resource = draw(_resource(sure if valid else names, list(resources)
                                  if valid else names, defined, type_name,
                                  attributes))
        resources[name] = resource
        if 'condition' not in resource:
            sure.append(name)
    any_value = expressions(tuple(sure if valid else names),
                            tuple(defined)).any
    outputs = {f'o{index}': {'value': draw(any_value)}
               for index in range(draw(st.integers(0, 2)))}
    return {'heat_template_version': LATEST, 'parameters': PARAMETERS,
            'conditions': defined, 'resources': resources,
            'outputs': outputs}


@st.composite
def _resource(draw, referable, earlier, defined, type_name, attributes):
    kinds = expressions(tuple(referable), tuple(defined))
    values = {'text': kinds.text, 'list': kinds.list, 'map': kinds.map,
              'any': kinds.any}
    if referable and attributes:
        values['any'] |= st.builds(
            lambda name, attr, path: {'get_attr': [name, attr, *path]},
            st.sampled_from(referable), st.sampled_from(attributes),
            st.lists(words, max_size=2))
    resource = {'type': type_name, 'properties': draw(
        st.fixed_dictionaries({}, optional=values))}
    if draw(st.booleans()):
        resource['metadata'] = draw(kinds.map)
    if earlier and draw(st.booleans()):
        resource['depends_on'] = draw(st.lists(
            st.sampled_from(earlier), max_size=2, unique=True))
    if draw(st.booleans()):
        resource['deletion_policy'] = draw(st.sampled_from(
            ['delete', 'retain', 'Delete', 'Retain']))
    if draw(st.integers(0, 3)) == 0:
        resource['condition'] = draw(conditions(names=tuple(defined)))
    return resource
