"""Classes of openstacksdk for nouns that it has no class for."""
from collections.abc import Callable
import dataclasses
import functools
from typing import Any

from heat.engine.clients import sdk


@dataclasses.dataclass(frozen=True, slots=True)
class Noun:
    """One noun of a service, as its requests name it.

    :ivar path: of the collection.
    :ivar key: around a thing in requests and answers; None for nothing.
    :ivar plural: around a list of things.
    :ivar identity: the key of the id of a thing.
    :ivar bare: whether requests have nothing around a thing.
    :ivar patch: whether changes are sent as a JSON patch.
    :ivar create_query: (name, value) of the query of creating requests.
    :ivar delete_query: the same of deleting ones.
    """

    path: str
    key: str | None
    plural: str
    identity: str = 'id'
    bare: bool = False
    patch: bool = False
    create_query: tuple[tuple[str, str], ...] = ()
    delete_query: tuple[tuple[str, str], ...] = ()


@functools.cache
def resource_class(noun: Noun) -> Any:
    """Return the class of openstacksdk for a noun.

    It sends properties as they are and keeps all that the service shows.
    """
    members: dict[str, Any] = {}
    if noun.identity != 'id':
        members[noun.identity] = sdk.resource.Body(noun.identity,
                                                   alternate_id=True)
    if noun.bare:
        members['create_opts'] = sdk.resource.CreateOpts(request_key=None)
    return type(noun.plural, (sdk.resource.Resource,), {
        '__doc__': f'One of the {noun.plural} of a service.',
        'resource_key': noun.key,
        'resources_key': noun.plural,
        'base_path': noun.path,
        'allow_create': True,
        'allow_fetch': True,
        'allow_commit': True,
        'allow_delete': True,
        'allow_list': True,
        '_allow_unknown_attrs_in_body': True,
        **members,
    })


def _create(proxy, noun, **values):
    return resource_class(noun).new(**values).create(
        proxy, **dict(noun.create_query))


def _get(proxy, noun, thing_id):
    return resource_class(noun).new(id=thing_id).fetch(proxy)


def _update(proxy, noun, thing_id, **values):
    if not noun.patch:
        return resource_class(noun).new(id=thing_id, **values).commit(proxy)
    answer = proxy.patch(f'{noun.path}/{thing_id}', json=[
        {'op': 'remove', 'path': f'/{name}'} if value is None else
        {'op': 'replace', 'path': f'/{name}', 'value': value}
        for name, value in sorted(values.items())])
    sdk.exceptions.raise_from_response(answer)
    return None


def _delete(proxy, noun, thing_id, ignore_missing=True):
    try:
        resource_class(noun).new(id=thing_id).delete(
            proxy, params=dict(noun.delete_query))
    except sdk.exceptions.NotFoundException:
        if not ignore_missing:
            raise


def _find(proxy, noun, name_or_id, ignore_missing=True):
    return resource_class(noun).find(proxy, name_or_id,
                                     ignore_missing=ignore_missing)


_VERBS: dict[str, Callable[..., Any]] = {
    'create': _create, 'get': _get, 'update': _update, 'delete': _delete,
    'find': _find}


def extended(proxy: Any, nouns: dict[str, Noun]) -> Any:
    """Return a proxy with the verbs create_, get_, ... of further nouns."""
    for word, noun in nouns.items():
        for verb, request in _VERBS.items():
            setattr(proxy, f'{verb}_{word}',
                    functools.partial(request, proxy, noun))
    return proxy
