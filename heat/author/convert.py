"""Another notation or a newer version for a template."""
from collections.abc import Callable, Mapping
import json
from typing import Any

import yaml

from heat.author import cfn as template_cfn
from heat.author import document
from heat.author import layout
from heat.author import style
from heat.common import exception
from heat.common import template_format
from heat.common.i18n import _
from heat.engine import template
from heat.engine.language import suggest

_HOT = 'heat_template_version'
LATEST = 'latest'


class CannotConvert(exception.StackValidationFailed):
    """Something in the template has no equivalent."""


def versions() -> list[str]:
    """Return the versions that a HOT template may be brought to."""
    return sorted(value for key, value in template.template_classes()
                  if key == _HOT)


def convert(text: str, to: str) -> str:
    """Return a template as 'yaml', as 'json', as 'hot' or in a newer version.

    Raises ValueError for what is no template and CannotConvert, with the
    path, for what has no equivalent.
    """
    if to == 'json':
        data = template_format.simple_parse(text)
        return json.dumps(data, indent=2, ensure_ascii=False) + '\n'
    if to == 'yaml':
        doc = document.read(text)
        doc.is_json = False
        style.arrange(doc)
        return layout.write(doc)
    if to == 'hot':
        return _hot_from_cfn(text)
    return upgrade(text, to)


def _hot_from_cfn(text: str) -> str:
    data = template_cfn.to_hot(template_format.simple_parse(text))
    _check(template.get_template_class(data), data)
    written: str = yaml.dump(data, Dumper=template_format.yaml_dumper,
                             sort_keys=False, allow_unicode=True)
    return style.format_text(written)


def upgrade(text: str, to: str) -> str:
    """Return a HOT template in a newer version, notation and order kept."""
    data = template_format.simple_parse(text)
    source = template.get_template_class(data)
    key, value = template.get_version(data)
    if key != _HOT:
        raise CannotConvert(path=[key], message=_(
            'only a template that states its %s has newer versions') % _HOT)
    if to == LATEST:
        to = max(version for version in versions() if version[0].isdigit())
    target = template.template_classes().get((_HOT, to))
    if target is None:
        raise CannotConvert(path=[key], message=_(
            'there is no version "%(to)s". There are: %(known)s.') % {
                'to': to, 'known': ', '.join(versions())}
            + suggest.hint(to, versions()))
    if not issubclass(target, source):
        raise CannotConvert(path=[key], message=_(
            'the version %(to)s is older than %(value)s; a template can be '
            'brought to a newer version only') % {'to': to, 'value': value})
    doc = document.read(text)
    _state_version(doc, to)
    _Upgrade(source, target, doc, data).run()
    result = layout.write(doc)
    _check(target, template_format.simple_parse(result))
    return result


def _state_version(doc: document.Document, to: str) -> None:
    for entry in doc.root.entries:
        if isinstance(entry.key, document.Scalar) and entry.key.value == _HOT:
            # A date is text to us without quotes, too.
            entry.value = document.Scalar(
                to, style="'" if doc.is_json else None, raw=to)


def _check(target: Any, data: Mapping[str, Any]) -> None:
    """Make sure that the new version takes everything there is."""
    result = target(dict(data))
    result.validate()
    for section in (result.RESOURCES, result.OUTPUTS):
        result.parse(None, result.section(section), [section])


class _Upgrade:
    """Replaces the calls that the target has no more."""

    def __init__(self, source: Any, target: Any, doc: document.Document,
                 data: Mapping[str, Any]) -> None:
        self.doc = doc
        self.target = target
        self.resources = data.get(source.RESOURCES) or {}
        self.gone = {
            name for name, implementation in target.functions.items()
            if template.is_removed(implementation)
            and not template.is_removed(source.functions.get(name))
            and name in source.functions}

    def run(self) -> None:
        for entry in self.doc.root.entries:
            if isinstance(entry.key, document.Scalar) and (
                    entry.key.value in (self.target.RESOURCES,
                                        self.target.OUTPUTS)):
                entry.value = self.node(entry.value, (entry.key.value,))

    def node(self, node: Any, path: tuple[Any, ...]) -> Any:
        """Return what stands for a node in the target version."""
        if not isinstance(node, document.Collection):
            return node
        for number, entry in enumerate(node.entries):
            step = (entry.key.value if isinstance(entry.key, document.Scalar)
                    else number)
            notes = _notes(entry.value)
            entry.value = self.node(entry.value, (*path, step))
            # A comment on a call that has gone stays above what replaced it.
            kept = _notes(entry.value)
            entry.before += [note for note in notes if note not in kept]
        name = _call(node)
        if name is None or name not in self.gone:
            return node
        replaced = self.replace(name, node, (*path, name))
        if node.anchor and not isinstance(replaced, document.Alias):
            replaced.anchor = node.anchor
        return replaced

    def replace(self, name: str, node: document.Collection,
                path: tuple[Any, ...]) -> Any:
        args = node.entries[0].value
        made = _EQUIVALENTS[name](self, args) if (
            name in _EQUIVALENTS) else None
        if made is None:
            raise CannotConvert(path=list(path), message=_(
                '"%(name)s" does not exist in %(version)s, and this call '
                'has no equivalent there') % {
                    'name': name, 'version': self.target.__name__[-8:]})
        return made

    def has(self, name: str) -> bool:
        implementation = self.target.functions.get(name)
        return implementation is not None and not (
            template.is_removed(implementation))

    # -- Equivalents: they return None where there is none

    def ref(self, args: Any) -> Any:
        if not isinstance(args, document.Scalar):
            return None
        return _made_call('get_resource' if args.value in self.resources
                          else 'get_param', args)

    def join(self, args: Any) -> Any:
        return _made_call('list_join', args)

    def split(self, args: Any) -> Any:
        return _made_call('str_split', args) if self.has(
            'str_split') else None

    def replace_text(self, args: Any) -> Any:
        if not _is_list(args, 2):
            return None
        params, text = args.entries
        return _made_call('str_replace', document.Collection([
            document.Entry(_key('template'), text.value, text.before,
                           text.comment),
            document.Entry(_key('params'), params.value, params.before,
                           params.comment)], is_map=True))

    def facade(self, args: Any) -> Any:
        names = {'Metadata': 'metadata', 'DeletionPolicy': 'deletion_policy',
                 'UpdatePolicy': 'update_policy'}
        if not isinstance(args, document.Scalar) or args.value not in names:
            return None
        return _made_call('resource_facade', _key(names[args.value]))

    def base64(self, args: Any) -> Any:
        # It never encoded anything: it gives what it gets.
        return args

    def select(self, args: Any) -> Any:
        """Follow the index where the value comes from, if that can."""
        if not _is_list(args, 2):
            return None
        index, value = (entry.value for entry in args.entries)
        inner = _call(value)
        if inner is None:
            return _item_of(index, value, self.target)
        source = value.entries[0].value
        if inner == 'get_param' and isinstance(source, document.Scalar):
            return _made_call(inner, _list(source, index))
        if inner in ('get_param', 'get_attr') and _is_list(source):
            source.entries.append(document.Entry(None, index))
            return value
        if inner == 'str_split' and _is_list(source, 2):
            source.entries.append(document.Entry(None, index))
            return value
        return None


_EQUIVALENTS: Mapping[str, Callable[[_Upgrade, Any], Any]] = {
    'Ref': _Upgrade.ref,
    'Fn::Base64': _Upgrade.base64,
    'Fn::Join': _Upgrade.join,
    'Fn::Replace': _Upgrade.replace_text,
    'Fn::ResourceFacade': _Upgrade.facade,
    'Fn::Select': _Upgrade.select,
    'Fn::Split': _Upgrade.split,
}


def _call(node: Any) -> str | None:
    """Return the only key of a map, which may name a function."""
    if (isinstance(node, document.Collection) and node.is_map
            and len(node.entries) == 1
            and isinstance(node.entries[0].key, document.Scalar)):
        name: str = node.entries[0].key.value
        return name
    return None


def _is_list(node: Any, length: int | None = None) -> bool:
    return (isinstance(node, document.Collection) and not node.is_map
            and (length is None or len(node.entries) == length))


def _key(name: str) -> document.Scalar:
    return document.Scalar(name, style='any')


def _list(*nodes: Any) -> document.Collection:
    return document.Collection([document.Entry(None, node)
                                for node in nodes], is_map=False, flow=True)


def _made_call(name: str, args: Any) -> document.Collection:
    flow = not isinstance(args, document.Collection) or args.flow
    return document.Collection([document.Entry(_key(name), args)],
                               is_map=True, flow=flow)


def _item_of(index: Any, value: Any, target: Any) -> Any:
    """Return an item of a list or map that is written out."""
    if not isinstance(index, document.Scalar) or not isinstance(
            value, document.Collection):
        return None
    if value.is_map:
        return value.get(index.value)
    if not index.value.isdigit() or int(index.value) >= len(value.entries):
        return None
    return value.entries[int(index.value)].value


def _notes(node: Any) -> list[str]:
    """Return the comments in a node."""
    if not isinstance(node, document.Collection):
        return []
    notes = list(node.tail)
    for entry in node.entries:
        notes += [note for note in entry.before if note]
        notes += [entry.comment] if entry.comment else []
        notes += _notes(entry.value)
    return notes
