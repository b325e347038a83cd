"""Load and store templates; parse each stored one once in a process.

A stored template is never changed while others may read it, with one
exception: a legacy update works on a row of its own (see stack_store),
which is read past the cache until the update has ended.
"""
import collections
from collections.abc import Iterable, Sequence
import threading
from typing import Any
import weakref

from oslo_log import log as logging

from heat.common import context as heat_context
from heat.common import environment_format as env_fmt
from heat.common import exception
from heat.common import json_text
from heat.common import stored_secrets
from heat.common import template_format
from heat.engine import environment
from heat.engine import parameters
from heat.engine import template
from heat.engine import template_files
from heat.engine.language import environment_registry
from heat.engine.tasks import group_commit
from heat.engine.tasks import scheduler
from heat.objects import export as export_objects
from heat.objects import raw_template
from heat.objects import transaction

LOG = logging.getLogger(__name__)

#: How often deleting templates is tried, and the seconds in between.
_DELETIONS = 10
_DELETION_INTERVAL = 5
#: How many parsed templates a process keeps.
CACHE_SIZE = 512
#: How many resources they may have together; a few are kept in any case.
CACHED_RESOURCES = 2500
_FEW = 4
#: How many texts are kept read: thousands of stacks may be made of one.
_TEXTS = 8
#: More texts are kept while they have at most this many characters together:
#: a request may use dozens of files, each of them many times.
_CHARACTERS = 1024 * 1024


class _Cache:
    """Parsed templates by raw template id, the latest used ones.

    :param size: how many there are at most
    :param weight: how many resources they have together at most
    """

    def __init__(self, size: int, weight: int) -> None:
        self._size = size
        self._limit = weight
        self._weight = 0
        self._parsed: collections.OrderedDict[int, template.Template] = (
            collections.OrderedDict())
        self._lock = threading.Lock()

    def get(self, key: int) -> template.Template | None:
        with self._lock:
            if key not in self._parsed:
                return None
            self._parsed.move_to_end(key)
            return self._parsed[key]

    def put(self, key: int, tmpl: template.Template) -> None:
        with self._lock:
            self._drop(key)
            self._parsed[key] = tmpl
            self._weight += _weight(tmpl)
            while self._is_full():
                self._drop(next(iter(self._parsed)))

    def _is_full(self) -> bool:
        return len(self._parsed) > self._size or (
            len(self._parsed) > _FEW and self._weight > self._limit)

    def _drop(self, key: int) -> None:
        tmpl = self._parsed.pop(key, None)
        if tmpl is not None:
            self._weight -= _weight(tmpl)

    def drop(self, key: int) -> None:
        with self._lock:
            self._drop(key)

    def clear(self) -> None:
        with self._lock:
            self._parsed.clear()
            self._weight = 0


def _weight(tmpl: template.Template) -> int:
    """Return how many resources a template has, were it ever so wrong."""
    resources = tmpl.t.get(tmpl.RESOURCES)
    return len(resources) if isinstance(resources, dict) else 0


_cache = _Cache(CACHE_SIZE, CACHED_RESOURCES)
#: Templates that were read before they are needed; a large one that is in
#: use does not push them out.
_ahead = _Cache(CACHE_SIZE, CACHED_RESOURCES)
#: Templates that somebody waits for, and the event that ends the read under
#: way. All tasks that wait for it continue at once, so that their writes are
#: committed together. With a lock they would continue one after the other.
_needed: dict[int, None] = {}
_under_way: list[threading.Event] = []
_read_lock = threading.Lock()
#: Data of templates that were read last.
_data: collections.deque[dict[str, Any]] = collections.deque(maxlen=_TEXTS)
#: Files that are in use, by their id: those of a tree are the same.
_files: weakref.WeakValueDictionary[int, template_files.TemplateFiles]
_files = weakref.WeakValueDictionary()


def parsed(context: heat_context.RequestContext, template_id: int
           ) -> template.Template:
    """Return the template with this id; it must not be changed."""
    tmpl = _cache.get(template_id)
    if tmpl is None:
        tmpl = _ahead.get(template_id)
        _ahead.drop(template_id)
        if tmpl is None:
            tmpl = load(context, template_id).freeze()
        _cache.put(template_id, tmpl)
    return tmpl


class _Texts:
    """Data of texts, the last ones used up to a number of characters."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: collections.OrderedDict[str, Any] = (
            collections.OrderedDict())
        self._size = 0

    def get(self, text: str) -> Any:
        with self._lock:
            if text in self._known:
                self._known.move_to_end(text)
                return self._known[text]
        data = template_format.parse(text)
        with self._lock:
            if text not in self._known:
                self._known[text] = data
                self._size += len(text)
            while (len(self._known) > _TEXTS
                   and self._size > _CHARACTERS):
                dropped, _value = self._known.popitem(last=False)
                self._size -= len(dropped)
        return data

    def clear(self) -> None:
        with self._lock:
            self._known.clear()
            self._size = 0


_texts = _Texts()


def read(text: Any) -> Any:
    """Return the data of a template that is a text; as template_format does.

    It must not be changed: all who read the text are given the same.
    """
    return _texts.get(text)


def know(context: heat_context.RequestContext, template_ids: Sequence[int]
         ) -> None:
    """Read and parse templates, as parsed() does, many together.

    The first one is needed now. If it is known, the others can wait; if
    somebody is reading, it is read together with all that others need by
    then. Not to be called in a transaction.
    """
    first = template_ids[0]
    if _is_known(first):
        return
    _needed[first] = None
    while first in _needed:
        with _read_lock:
            other = next(iter(_under_way), None)
            if other is None:
                mine = threading.Event()
                _under_way.append(mine)
        if other is not None:
            other.wait()
            continue
        try:
            _read_ahead(context, template_ids)
        finally:
            _under_way.remove(mine)
            mine.set()


def _read_ahead(context: heat_context.RequestContext,
                template_ids: Iterable[int]) -> None:
    """Read what somebody needs now, and some templates that are next."""
    needed = list(_needed)
    try:
        unknown = dict.fromkeys(one for one in [*needed, *template_ids]
                                if not _is_known(one))
        for row in raw_template.RawTemplate.get_many(context, unknown,
                                                     dict(_files)):
            _ahead.put(row.id, load(context, row.id, row).freeze())
    finally:
        # Whoever waits for one that could not be read reads it alone.
        for one in needed:
            _needed.pop(one, None)


def _is_known(template_id: int) -> bool:
    return (_cache.get(template_id) is not None or
            _ahead.get(template_id) is not None)


def load(context: heat_context.RequestContext, template_id: int, t: Any = None
         ) -> template.Template:
    """Return a template of its own from the database.

    :param t: the row, when it has been read already.
    """
    row = t
    if row is None:
        row = raw_template.RawTemplate.get_by_id(context, template_id)
    if row is None:
        raise exception.EntityNotFound(entity='Template', name=template_id)
    env = environment.Environment(row.environment or {})
    env.inherited = stored_secrets.inherited_of(row.environment)
    files = template_files.TemplateFiles(row.files, row.files_id)
    tmpl = template.make(_same(row.template), template_id=row.id,
                         files=files, env=env)
    if tmpl.files.files_id is not None:
        _files.setdefault(tmpl.files.files_id, tmpl.files)
    return tmpl


def exported_value(context: heat_context.RequestContext, tenant: str | None,
                   name: str) -> Any:
    """Return the value of an export of a project.

    :raises ExportConflict: there is none of the name
    """
    return export_objects.Export.get_by_name(context, tenant, name).value


def _same(data: Any) -> Any:
    """Return the same data that others have already, if there are any.

    What is nested often has a thousand templates that say the same.
    """
    for known in list(_data):
        if json_text.are_alike(known, data):
            return known
    _data.append(data)
    return data


def hidden_names(tmpl: template.Template) -> list[str]:
    """Return the names of the parameters nobody may read."""
    schemata = tmpl.param_schemata(tmpl.env.param_defaults)
    names = {name for name, schema in schemata.items()
             if parameters.is_hidden(schema.hidden)}
    if tmpl.env.inherited is not None:
        names |= tmpl.env.inherited.names
    return sorted(names)


def _encrypted_names(tmpl: template.Template) -> list[str]:
    """Return the parameters that are encrypted where they are at all.

    Those of a nested stack may be made of anything that is hidden above.
    """
    return (hidden_names(tmpl) if tmpl.env.inherited is None
            else sorted(tmpl.env.params))


def _values(tmpl: template.Template) -> Any:
    environment = tmpl.env.env_as_dict()
    if tmpl.env.inherited is not None:
        environment.update(stored_secrets.stored(tmpl.env.inherited))
    values = {'template': tmpl.source, 'environment': environment}
    if tmpl.files.files_id is not None:
        values['files_id'] = tmpl.files.files_id
    elif tmpl.files:
        values['files'] = tmpl.files.as_dict()
    return values


def write(context: heat_context.RequestContext, tmpl: template.Template
          ) -> tuple[int, int | None]:
    """Write a template, a new row unless it has one.

    Database effects only, may be run again. Return what mark_stored() takes.
    """
    values, hidden = _values(tmpl), _encrypted_names(tmpl)
    if tmpl.id is not None:
        raw_template.RawTemplate.update_by_id(context, tmpl.id, values,
                                              hidden_names=hidden)
        return tmpl.id, tmpl.files.files_id
    row = raw_template.RawTemplate.create(context, values,
                                          hidden_names=hidden)
    return row.id, row.files_id


def write_new(context: heat_context.RequestContext,
              tmpls: Sequence[template.Template]
              ) -> list[tuple[int, int | None]]:
    """Write templates that have no row yet, by as few statements as can be.

    Database effects only, may be run again. Return what mark_stored() takes
    for each of them.
    """
    alike = [tmpl for tmpl in tmpls
             if not tmpl.files or tmpl.files.files_id is not None]
    if len(alike) < 2:
        return [write(context, tmpl) for tmpl in tmpls]
    ids = dict(zip(map(id, alike), raw_template.RawTemplate.create_many(
        context, [(_values(tmpl), _encrypted_names(tmpl)) for tmpl in alike]),
        strict=True))
    return [(ids[id(tmpl)], tmpl.files.files_id) if id(tmpl) in ids
            else write(context, tmpl) for tmpl in tmpls]


def is_same(tmpl: template.Template, stored: template.Template) -> bool:
    """Return whether a template reads exactly like one that is stored.

    Of the files that come with a request the contents are compared; those
    of nested stacks are stored as those of the stack above. What is hidden
    may have to be encrypted differently.
    """
    return (not hidden_names(tmpl) and has_same_files(tmpl, stored) and
            tmpl.env.inherited == stored.env.inherited and
            json_text.are_alike(tmpl.t, stored.t) and
            json_text.are_alike(_chosen(tmpl.env), _chosen(stored.env)))


def _chosen(env: environment.Environment) -> dict[str, Any]:
    """Return an environment without names of files mapped to themselves.

    The registry adds these when a resource of such a type is first looked up.
    """
    chosen = env.env_as_dict()
    chosen[env_fmt.RESOURCE_REGISTRY] = {
        name: value
        for name, value in chosen[env_fmt.RESOURCE_REGISTRY].items()
        if value != name or not name.endswith(
            environment_registry.TEMPLATE_SUFFIXES)}
    return chosen


def has_same_files(tmpl: template.Template, stored: template.Template) -> bool:
    """Return whether a template comes with the files that another has."""
    mine, theirs = tmpl.files, stored.files
    if mine.files_id is not None or not mine:
        return mine.files_id == theirs.files_id and bool(mine) == bool(
            theirs)
    return theirs.files_id is not None and mine == theirs


def mark_stored(tmpl: template.Template, written: tuple[int, int | None], *,
                share: bool = False) -> None:
    """Tell a template where it has been written.

    :param share: others may use this very object; it is frozen.
    """
    tmpl.id, files_id = written
    forget(tmpl.id)
    if files_id is not None and files_id != tmpl.files.files_id:
        # Numbers of rows that are gone may be given again.
        _files.pop(files_id, None)
    if transaction.in_transaction():
        # Before the commit nobody knows whether the ids will last; whoever
        # runs the transaction takes care of the template's.
        return
    tmpl.files.files_id = files_id
    if files_id is not None:
        _files[files_id] = tmpl.files
    if share:
        _cache.put(tmpl.id, tmpl.freeze())


def store(context: heat_context.RequestContext, tmpl: template.Template, *,
          share: bool = False) -> int:
    """Write a template and return its id; see write() and mark_stored()."""
    written = write(context, tmpl)
    mark_stored(tmpl, written, share=share)
    return written[0]


def delete(context: heat_context.RequestContext, template_id: int) -> None:
    """Delete the row of a template that no stack uses any more."""
    if template_id is not None:
        delete_many(context, [template_id])


def delete_many(context: heat_context.RequestContext,
                template_ids: Iterable[int]) -> None:
    """Delete the rows of templates that no stack uses any more."""
    if template_ids:
        raw_template.RawTemplate.delete_many(context, template_ids)
        for template_id in template_ids:
            forget(template_id)


def delete_unused(context: heat_context.RequestContext,
                  template_ids: Iterable[int]) -> None:
    """Delete the rows of those of some templates that nothing refers to."""
    if template_ids:
        raw_template.RawTemplate.delete_unused(context, sorted(template_ids))
        for template_id in template_ids:
            forget(template_id)


def delete_unused_task(context: heat_context.RequestContext,
                       template_ids: Iterable[int]
                       ) -> scheduler.TaskGenerator[None]:
    """A task to delete those of some templates that nothing refers to.

    A database that is away is waited for, so that none is left behind.
    """
    for _attempt in range(_DELETIONS):
        try:
            yield group_commit.Write(
                lambda: delete_unused(context, template_ids), context)
        except Exception as error:  # noqa: BLE001 (tried again)
            LOG.warning('Deleting templates failed: %s', error)
            yield _DELETION_INTERVAL
        else:
            break


def forget(template_id: int) -> None:
    """Drop a template from the cache."""
    _cache.drop(template_id)
    _ahead.drop(template_id)


def forget_all() -> None:
    """Empty the cache."""
    _cache.clear()
    _ahead.clear()
    _files.clear()
    _data.clear()
    _texts.clear()

