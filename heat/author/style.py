"""The canonical order of what a template consists of."""
from typing import Any

from heat.author import document
from heat.author import layout

_SECTIONS = (
    'heat_template_version', 'AWSTemplateFormatVersion',
    'HeatTemplateFormatVersion', 'description', 'parameter_groups',
    'parameters', 'mappings', 'conditions', 'resources', 'outputs',
)
# The keys of what the sections hold, in their order.
_KEYS = {
    'parameter_groups': ('label', 'description', 'parameters'),
    'parameters': ('type', 'label', 'description', 'default', 'hidden',
                   'noecho', 'immutable', 'tags', 'constraints'),
    'resources': ('type', 'description', 'condition', 'external_id',
                  'dependson', 'deletionpolicy', 'updatepolicy',
                  'metadata', 'properties'),
    'outputs': ('description', 'condition', 'value'),
}
_VERSIONS = {name.lower() for name in _SECTIONS[:3]}
_SPACED = ('resources',)


def format_text(text: str) -> str:
    """Return the text of a template in its canonical form.

    It means the same as before; a text that is in this form stays as it
    is. Raises ValueError for what is no YAML or JSON mapping.
    """
    doc = document.read(text)
    arrange(doc)
    return layout.write(doc)


def arrange(doc: document.Document) -> None:
    """Bring sections and keys of a template into their canonical order.

    An alias must stay behind its anchor, so with aliases all order stays.
    What is no template (an environment, say) keeps its order as well.
    """
    root = doc.root
    if not isinstance(root, document.Collection):
        return
    names = {_name(entry) for entry in root.entries}
    if not names & _VERSIONS:
        return
    if not doc.has_aliases:
        _sort(root, [name.lower() for name in _SECTIONS])
        for section in root.entries:
            _arrange_section(section)
    for entry in root.entries[1:]:
        _space(entry)
    for section in root.entries:
        if _name(section) in _SPACED and isinstance(
                section.value, document.Collection) and (
                    not section.value.flow):
            for entry in section.value.entries[1:]:
                _space(entry)


def _arrange_section(section: document.Entry) -> None:
    keys = _KEYS.get(_name(section))
    if keys is None or not isinstance(section.value, document.Collection):
        return
    for definition in section.value.entries:
        if isinstance(definition.value, document.Collection) and (
                definition.value.is_map):
            _sort(definition.value, keys)


def _name(entry: document.Entry) -> str:
    key = entry.key
    if not isinstance(key, document.Scalar):
        return ''
    name = key.value.lower()
    return name.replace('_', '') if name.replace('_', '') in (
        'dependson', 'deletionpolicy', 'updatepolicy') else name


def _sort(node: document.Collection, order: Any) -> None:
    """Sort entries by the place of their keys, unknown ones to the end."""
    places = {name: place for place, name in enumerate(order)}
    node.entries.sort(key=lambda entry: places.get(_name(entry),
                                                   len(places)))


def _space(entry: document.Entry) -> None:
    """Part an entry, with its comments, from the one before."""
    if not entry.before or entry.before[0]:
        entry.before.insert(0, '')
