"""Resources that are one noun of a service, declared instead of written.

A class says what the thing is called and how its properties are named in
requests; creating, changing, checking and deleting it follow from that.
"""
from collections.abc import Iterator
import dataclasses
import re

from heat.common import cloud_error
from heat.common import exception
from heat.common.i18n import _
from heat.engine import properties
from heat.engine import resource
from heat.engine import translation
from heat.engine.clients import sdk
from heat.engine.resources import found_by_name

#: How services say that there is something of the same name or id.
_TAKEN = re.compile(r'\balready (exists|in use)\b|\bduplicate\b',
                    re.IGNORECASE)

#: What a type overrides whose things are not shown in the usual way.
_WAYS_TO_SHOW = ('_show_resource', '_res_get_args')


class _PageSize(int):
    """A number of things that openstacksdk sends and does not count by.

    It would ask once more after the last page, although services link each
    page to the next one.
    """

    def __bool__(self):
        return False


#: Things that a service is asked to give in one page of a list.
LIST_PAGE = _PageSize(500)


@dataclasses.dataclass(frozen=True, slots=True)
class WaitFor:
    """The states in which to wait, and those that end the waiting.

    :ivar attribute: where the service tells the state; a dotted path.
    :ivar failed: states that mean that the action failed.
    :ivar pending: states in which to go on waiting; empty for all others.
    :ivar reason: where the service says why it is in that state.
    """

    ready: frozenset = frozenset()
    pending: frozenset = frozenset()
    failed: frozenset = frozenset()
    attribute: str = 'status'
    reason: str | None = None

    def state_of(self, live):
        """Return the state that the service shows, None if none."""
        state = live
        for key in self.attribute.split('.'):
            state = (state or {}).get(key)
        return state

    def reached(self, live, name):
        """Return whether the waiting is over.

        :raises ResourceInError: the state is one of the failed ones.
        :raises ResourceUnknownStatus: nobody foresaw the state.
        """
        state = self.state_of(live)
        if state in self.ready:
            return True
        if state in self.failed:
            raise exception.ResourceInError(
                resource_status=state,
                status_reason=self.reason and live.get(self.reason) or
                _('the service reports it of %s') % name)
        if self.pending and state not in self.pending:
            raise exception.ResourceUnknownStatus(
                resource_status=state, result=_('waiting for %s') % name)
        return False


class SDKResource(found_by_name.FoundByName, resource.Resource):
    """A thing that the client of a service can create, show and delete.

    The client is a proxy of openstacksdk; it has the verbs create_, get_,
    update_ and delete_ followed by the noun, which is the entity unless
    another one is given.
    """

    #: How far it is takes a request to find out.
    patient = True
    #: Whether waiting resources are polled at the same time, by lists.
    looks_together = False

    #: What follows the verbs, where it is not the entity.
    noun: str | None = None

    #: The property that is passed before everything else: the thing that
    #: this one is a part of.
    parent: str | None = None
    #: Names of properties in requests, where they differ.
    rename: dict[str, str] = {}
    #: Properties that are never sent.
    omit: tuple[str, ...] = ()
    #: The property that has a name of our making if the template has none.
    name_property: str | None = 'name'
    #: When creating or updating is over; None for at once.
    ready: WaitFor | None = None
    #: States while it goes away; None if it is gone at once.
    gone: WaitFor | None = None
    #: Whether a conflict means "not yet": the service is busy with it.
    retry_busy = False

    # What has been taken must not be asked for again.
    _update_called = False
    _delete_called = False
    # What the service has told with the answer it is not asked for.
    _is_born_ready = False

    # -- what is peculiar to a type -----------------------------------------

    def prepare_create(self, body):
        """Return the body of the request that creates the thing."""
        return body

    def prepare_update(self, body, prop_diff):
        """Return the body of the request that changes the thing."""
        return body

    def parse_live(self, live):
        """Return what the service shows by the names of properties."""
        names = {there: here for here, there in self.rename.items()}
        return {names.get(key, key): value for key, value in live.items()}

    # -- requests -----------------------------------------------------------

    def _verb(self, verb):
        return getattr(self._service(),
                       '%s_%s' % (verb, self.noun or self.entity))

    def _service(self):
        """Return what has the verbs."""
        return self.sdk()

    def _place(self):
        """Return the arguments that come before the body or after the id.
        """
        return (self.properties[self.parent],) if self.parent else ()

    def _body(self, values):
        return {self.rename.get(name, name): value
                for name, value in values.items()
                if name not in self.omit and name != self.parent}

    def _given(self):
        """Return the properties that have a value, with a name for us."""
        values = self.client_plugin().given(self.properties)
        if (self.name_property in self.properties_schema and
                self.name_property not in values):
            values[self.name_property] = self.physical_resource_name()
        return values

    def _show_resource(self):
        """Return all that the service knows of the thing."""
        return shown(self._verb('get')(*self._res_get_args()))

    def _awaited(self):
        """Return the object that is being deleted, or None if unknown.

        The object is requested again in that case.
        """
        return self._show_resource()

    def _res_get_args(self):
        """Return the arguments by which the client finds the thing."""
        return [self.resource_id, *self._place()]

    # -- actions ------------------------------------------------------------

    def handle_create(self):
        """Ask for the thing; return whether that has been taken."""
        return self._try(self._create)

    def _create(self):
        body = self.prepare_create(self._body(self._given()))
        try:
            created = self._made(self._verb('create'), *self._place(),
                                 **body)
        except Exception as error:
            self._require_own_name(error)
            raise
        self.resource_id_set(self._created_id(created))
        self._is_born_ready = self.ready is not None and (
            self.ready.state_of(shown(created)) in self.ready.ready)
        self.remember_id()
        return created

    def _require_own_name(self, error):
        """Say what to do if the thing that this one replaces has its name.

        It keeps the name until this one is there: waiting does not help.
        """
        told = cloud_error.text_of(error)
        if (told is None or not self.client_plugin().is_conflict(error) or
                not _TAKEN.search(told) or not self._is_replacement()):
            return
        raise exception.Error(_(
            '%(told)s. A replaced resource is deleted only after its '
            'replacement has been created, so the replacement requires '
            'another name or ID in the template') % {'told': told}) from error

    def _is_replacement(self):
        """Return whether there is another one until this one is made."""
        if self.replaces is not None:
            return True
        backup = self.stack.backup_stack()
        return backup is not None and self.name in backup

    def _find_by_name(self):
        """Return the thing that has the name we gave it, or None."""
        name = self._name_of_ours()
        finder = getattr(self._service(),
                         'find_%s' % (self.noun or self.entity), None)
        if finder is None or name is None or self.parent is not None:
            return None
        with self.client_plugin().ignore_not_found:
            return finder(name, ignore_missing=False)
        return None

    def _name_of_ours(self):
        """Return the name that nobody else gives, or None.

        One that the template gives may be that of somebody else's.
        """
        if (self.name_property not in self.properties_schema or
                self.properties[self.name_property] is not None):
            return None
        return self.physical_resource_name()

    def _try(self, request, *args):
        """Send a request; False when the service is too busy to take it."""
        try:
            request(*args)
        except Exception as error:
            if not (self.retry_busy and self._is_busy(error)):
                raise
            return False
        return True

    def _is_busy(self, error):
        """Return whether an error means that the service is busy with it."""
        return self.client_plugin().is_conflict(error)

    def check_create_complete(self, taken):
        """Return whether the thing is there."""
        if not taken and self.resource_id is None:
            self._try(self._create)
            return False
        return self._is_born_ready or self._is_ready()

    def _is_ready(self):
        return self.ready is None or self.ready.reached(
            self._show_resource(), self.name)

    def handle_update(self, json_snippet, tmpl_diff, prop_diff):
        """Ask for the changes; return those that could not be sent yet."""
        self._update_called = not prop_diff or self._try(self._update,
                                                         prop_diff)
        return None if self._update_called else prop_diff

    def _update(self, prop_diff):
        body = self.prepare_update(self._body(prop_diff), prop_diff)
        if self.name_property in body and body[self.name_property] is None:
            body[self.name_property] = self.physical_resource_name()
        if body:
            self._verb('update')(self.resource_id, *self._place(), **body)

    def check_update_complete(self, unsent):
        """Return whether the changes are made."""
        if unsent is not None and not self._update_called:
            self._update_called = self._try(self._update, unsent)
            if not self._update_called:
                return False
        return self._is_ready()

    def handle_check(self):
        """Look whether the thing is there and well."""
        live = self._show_resource()
        if self.ready is not None and not self.ready.reached(live,
                                                             self.name):
            raise exception.Error(_('%(name)s is %(state)s') % {
                'name': self.name,
                'state': self.ready.state_of(live)})

    def handle_delete(self):
        """Ask for the thing to go away; it may be gone."""
        if self.resource_id is None:
            return True
        with self.client_plugin().ignore_not_found:
            self._delete_called = self._try(self._delete)
            return self._delete_called
        return True

    def _delete(self):
        self._verb('delete')(self.resource_id, *self._place(),
                             ignore_missing=False)

    def check_delete_complete(self, check):
        """Return whether the thing is gone.

        :param check: whether the service has taken the request.
        """
        if self.resource_id is None:
            return True
        with self.client_plugin().ignore_not_found:
            if not check and not self._delete_called:
                self._delete_called = self._try(self._delete)
                return self._delete_called and self.gone is None
            if self.gone is None:
                return True
            live = self._awaited()
            return live is not None and self.gone.reached(live, self.name)
        return True

    # -- what others see ----------------------------------------------------

    def get_reference_id(self):
        """Return what get_resource gives: the id, None before there is one.
        """
        return self.resource_id

    def _resolve_attribute(self, name):
        if self.resource_id is None:
            return None
        live = self._show_resource()
        # A property may have another name than the attribute that shows it.
        return {**live, **self.parse_live(live)}.get(name)

    def parse_live_resource_data(self, resource_properties, resource_data):
        """Return those live values that an update could change."""
        return super().parse_live_resource_data(
            resource_properties, self.parse_live(resource_data))

    # -- what has drifted ---------------------------------------------------

    def drift_listing(self):
        """Return the list of things of our kind, if the client has one."""
        if any(getattr(type(self), name) is not getattr(SDKResource, name)
               for name in _WAYS_TO_SHOW):
            return None
        place = self._place()
        ask = getattr(self._service(), plural_of(self.noun or self.entity),
                      None)
        if ask is None:
            return None
        noun = self.noun or self.entity
        key = (self.default_client_name, noun, place)
        return key, lambda: noted(self.client_plugin(), noun,
                                  ask(*place, limit=LIST_PAGE))

    def remember_id(self):
        """Take the physical ID for that of an object that exists."""
        if self.resource_id is None or self.parent is not None:
            return
        plugin = self.client_plugin()
        noun = self.noun or self.entity
        if plugin is not None and noun:
            plugin.finds.know(noun, self.resource_id)

    def drift_data_of(self, thing, live):
        """Return what the service shows of a thing in a list."""
        return shown(thing)

    def drift_state(self, resource_properties, resource_data):
        """Return what an update could change, and the name."""
        found = super().drift_state(resource_properties, resource_data)
        if self.name_property in self.properties_schema:
            live = self.parse_live(resource_data or {})
            if self.name_property in live:
                found.setdefault(self.name_property,
                                 live[self.name_property])
        return found

    def translation_rules(self, properties):
        """Return rules that make ids of names, as constraints say."""
        return [translation.TranslationRule(
            properties, translation.TranslationRule.RESOLVE, path,
            client_plugin=self.client_plugin(client), finder=finder,
            entity=entity)
            for path, client, finder, entity in references(
                self.properties_schema)]


class Unshown(resource.Resource):
    """Makes the attribute `show` null, for types that Heat shows none of.

    The engine itself still asks the service for the thing.
    """

    def _resolve_any_attribute(self, attr):
        return None if attr == self.SHOW else (
            super()._resolve_any_attribute(attr))


def shown(found):
    """Return what a service shows of a thing, by the names it uses."""
    return sdk.shown(found)


def noted(plugin, noun, things):
    """Yield things of a list; nobody needs to look up their ids any more."""
    for thing in things:
        plugin.finds.know(noun, thing.id)
        yield thing


def plural_of(noun):
    """Return the noun of a list of things, as openstacksdk forms it."""
    return (noun[:-1] + 'ies' if noun.endswith('y') else noun + 's')


def references(schema, path=()) -> Iterator[tuple]:
    """Yield (path, client, finder, entity) of each named thing in a schema.
    """
    for name, each in schema.items():
        here = path if name == '*' else (*path, name)
        for constraint in each.constraints:
            found = getattr(constraint, 'finder', lambda: None)()
            if found is not None:
                yield list(here), *found
        if each.schema is not None and each.type in (
                properties.Schema.LIST, properties.Schema.MAP):
            yield from references(each.schema, here)
